//! Lists of messages, a row each, in the format of `program.kind = "stages"`.

use std::io::Write;

use cubefold_scenario::Run;

use super::{FormatDescriptor, ProgramFileError, ProgramFiles, ProgramOptions};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "stages",
    summary: "a row for each message: stage, source, destination, units; for program.kind = \"stages\"",
    is_folder: false,
    extension: Some("csv"),
    write,
};

fn write(run: &Run, _: ProgramOptions) -> Result<ProgramFiles, ProgramFileError> {
    let program = &run.program;
    if program.body.special().tasks().is_some() {
        let what = "a task graph, whose operations are in no stages".to_owned();
        return Err(ProgramFileError::NotSaid { format: FORMAT.name, what, expected: "--format goal" });
    }
    let mut text = vec![];
    writeln!(text, "stage,source,destination,units")?;
    let mut failed = None;
    for stage in 0..program.body.stage_count() {
        program.body.for_each_message(stage, &mut |source, destination, units| {
            if let Err(error) = writeln!(text, "{stage},{source},{destination},{units}") {
                failed.get_or_insert(error);
            }
        });
    }
    failed.map_or(Ok(()), Err)?;
    Ok(ProgramFiles { files: vec![("program.csv".to_owned(), text)], notes: notes(run) })
}

/// Describes the parts without rows: computations, and stages after the last message.
fn notes(run: &Run) -> Vec<String> {
    let program = &run.program;
    let processes = program.body.process_count();
    let computations = |stage: usize| {
        cubefold_mapping::ProcessId::first(processes)
            .map(move |process| program.body.computation(stage, process).get())
    };
    let mut by_stage = vec![];
    for stage in 0..program.body.stage_count() {
        let first = computations(stage).next().unwrap_or(0);
        if computations(stage).any(|cycles| cycles != first) {
            return vec![format!(
                "give program.processes = {processes} with the file; computations are left out: in stage {stage} they differ \
                 between processes (--format goal has them)"
            )];
        }
        by_stage.push(first);
    }
    let all = by_stage.iter().all(|cycles| *cycles == 0);
    let list = by_stage.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let stages = by_stage.len();
    vec![if all {
        format!("the program has {processes} processes and {stages} stages")
    } else {
        format!("give program.processes = {processes} and program.compute_cycles = [{list}] with the file")
    }]
}
