//! GOAL schedules, as `LogGOPSim`'s `txt2bin` and `program.kind = "goal"` read them.

use std::io::{self, Write};

use cubefold_mapping::ProcessId;
use cubefold_scenario::Run;
use cubefold_simulator::{Operation, OperationKind, Requirement};

use super::{Amounts, FormatDescriptor, ProgramFileError, ProgramFiles, ProgramOptions, label, schedule_of};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "goal",
    summary: "operations of ranks that require one another, for LogGOPSim, ATLAHS and program.kind = \"goal\"",
    is_folder: false,
    extension: Some("goal"),
    write,
};

fn write(run: &Run, _: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
    let schedule = schedule_of(run, FORMAT.name)?;
    let (amounts, requirements) = (Amounts::new(run), schedule.requirements());
    let mut text = vec![];
    writeln!(text, "num_ranks {}", schedule.process_count())?;
    // Ranks are written in ascending order, independently of the numbering of operations.
    let mut order: Vec<u32> = (0..).zip(schedule.operations()).map(|(number, _)| number).collect();
    order.sort_by_key(|&operation| schedule.operations()[operation as usize].process);
    let mut numbers = vec![0; order.len()]; // number within its rank
    let mut next = 0;
    for process in ProcessId::first(schedule.process_count().into()) {
        writeln!(text, "\nrank {process} {{")?;
        let first = next;
        while let Some(&number) = order.get(next) {
            let operation = &schedule.operations()[number as usize];
            if operation.process != process {
                break;
            }
            numbers[number as usize] = next - first;
            next += 1;
            write!(text, "{}: ", label(next - 1 - first))?;
            write_operation(&mut text, operation, &amounts)?;
        }
        for &operation in &order[first..next] {
            for &(before, requirement) in &requirements[operation as usize] {
                let word = match requirement {
                    Requirement::Over => "requires",
                    Requirement::Begun => "irequires",
                };
                let [after, before] = [operation, before].map(|number| label(numbers[number as usize]));
                writeln!(text, "{after} {word} {before}")?;
            }
        }
        writeln!(text, "}}")?;
    }
    Ok(ProgramFiles {
        files: vec![("program.goal".to_owned(), text)],
        notes: amounts.note(&schedule).into_iter().collect(),
    })
}

/// Writes an operation without its label, as a line.
fn write_operation(text: &mut Vec<u8>, operation: &Operation, amounts: &Amounts) -> io::Result<()> {
    match operation.kind {
        OperationKind::Calc => write!(text, "calc {}", amounts.nanoseconds(operation.amount).0)?,
        OperationKind::Send => {
            write!(text, "send {}b to {}", amounts.bytes(operation.amount), operation.peer)?;
        }
        OperationKind::Receive => {
            write!(text, "recv {}b from {}", amounts.bytes(operation.amount), operation.peer)?;
        }
    }
    if operation.kind != OperationKind::Calc {
        write!(text, " tag {}", operation.tag)?;
    }
    if operation.processor > 0 {
        write!(text, " cpu {}", operation.processor)?;
    }
    writeln!(text)
}
