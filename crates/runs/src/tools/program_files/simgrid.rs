//! Time-independent traces, as `SimGrid`'s SMPI replays them (Desprez et al. 2011): a file of actions per
//! rank, and a file that lists these.
//!
//! A rank executes its actions one after another. Before an operation, `wait` actions wait for its
//! requirements, naming a receive or a send by source, destination and tag.

use std::{collections::BTreeSet, io::Write};

use cubefold_mapping::ProcessId;
use cubefold_scenario::Run;
use cubefold_simulator::{OperationKind, Requirement, TaskSchedule};

use super::{Amounts, FormatDescriptor, ProgramFileError, ProgramFiles, ProgramOptions, schedule_of};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "simgrid",
    summary: "time-independent traces, a file for each rank, for SimGrid's smpirun -replay",
    is_folder: true,
    extension: None,
    write,
};

fn write(run: &Run, _: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
    let schedule = schedule_of(run, FORMAT.name)?;
    let amounts = Amounts::new(run);
    let mut files = ProgramFiles::default();
    let requirements = schedule.requirements();
    let mut names = vec![];
    for (process, operations) in by_process(&schedule, &requirements) {
        let name = format!("rank-{process}.txt");
        writeln!(names, "{name}")?;
        files.files.push((name, trace(process, &operations, &schedule, &requirements, &amounts)?));
    }
    files.files.push(("traces.txt".to_owned(), names));
    files.notes = notes(run, &schedule);
    Ok(files)
}

type Requirements = Vec<(u32, Requirement)>;

/// The operations of each process, in an order in which they can be executed one after another.
fn by_process(schedule: &TaskSchedule, requirements: &[Requirements]) -> Vec<(ProcessId, Vec<u32>)> {
    let mut lists: Vec<(ProcessId, Vec<u32>)> =
        ProcessId::first(schedule.process_count().into()).map(|process| (process, vec![])).collect();
    for (number, operation) in (0..).zip(schedule.operations()) {
        lists[operation.process.label() as usize].1.push(number);
    }
    for (_, list) in &mut lists {
        let mut done: BTreeSet<u32> = BTreeSet::new();
        let mut order = vec![];
        while order.len() < list.len() {
            let before = order.len();
            for &operation in &*list {
                let is_free =
                    requirements[operation as usize].iter().all(|(required, _)| done.contains(required));
                if is_free && done.insert(operation) {
                    order.push(operation);
                }
            }
            if order.len() == before {
                break;
            }
        }
        *list = order;
    }
    lists
}

fn trace(
    process: ProcessId,
    operations: &[u32],
    schedule: &TaskSchedule,
    requirements: &[Requirements],
    amounts: &Amounts<'_>,
) -> std::io::Result<Vec<u8>> {
    let mut text = vec![];
    let mut open: BTreeSet<u32> = BTreeSet::new(); // receives and sends that have not been waited for
    writeln!(text, "{process} init")?;
    for &number in operations {
        let operation = &schedule.operations()[number as usize];
        for &(before, requirement) in &requirements[number as usize] {
            if requirement == Requirement::Over && open.remove(&before) {
                write_wait(&mut text, process, before, schedule)?;
            }
        }
        let size = amounts.bytes(operation.amount);
        match operation.kind {
            OperationKind::Calc if operation.amount == 0 => {}
            OperationKind::Calc => {
                writeln!(text, "{process} compute {}", amounts.nanoseconds(operation.amount).0)?;
            }
            OperationKind::Send => {
                writeln!(text, "{process} isend {} {} {size}", operation.peer, operation.tag)?;
                open.insert(number);
            }
            OperationKind::Receive => {
                writeln!(text, "{process} irecv {} {} {size}", operation.peer, operation.tag)?;
                open.insert(number);
            }
        }
    }
    if !open.is_empty() {
        writeln!(text, "{process} waitall")?;
    }
    writeln!(text, "{process} finalize")?;
    Ok(text)
}

fn write_wait(
    text: &mut Vec<u8>,
    process: ProcessId,
    number: u32,
    schedule: &TaskSchedule,
) -> std::io::Result<()> {
    let operation = &schedule.operations()[number as usize];
    match operation.kind {
        OperationKind::Calc => Ok(()),
        OperationKind::Send => {
            writeln!(text, "{process} wait {process} {} {}", operation.peer, operation.tag)
        }
        OperationKind::Receive => {
            writeln!(text, "{process} wait {} {process} {}", operation.peer, operation.tag)
        }
    }
}

fn notes(run: &Run, schedule: &TaskSchedule) -> Vec<String> {
    let mut notes = vec![match run.scale {
        Some(_) => "compute counts nanoseconds: give hosts a speed of 1 Gf".to_owned(),
        None => "compute counts cycles and sizes are units: give hosts a speed of a cycle a flop, links a \
                 bandwidth of a unit a byte"
            .to_owned(),
    }];
    if schedule.operations().iter().any(|operation| operation.processor > 0) {
        notes.push(
            "the processors of a process are left out: its computations run one after another".to_owned(),
        );
    }
    let requirements = schedule.requirements();
    if requirements.iter().flatten().any(|(_, kind)| *kind == Requirement::Begun) {
        notes.push("a requirement on the begin of an operation is kept by the order only".to_owned());
    }
    if run.program.body.special().tasks().is_some() {
        notes.push("independent operations of a rank run one after another".to_owned());
    }
    notes
}
