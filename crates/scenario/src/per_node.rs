//! `program.processes_per_node`: a number, or the lengths of the block of processes that shares a node
//! (`docs/model.md` section 22).

use cubefold_mapping::ProcessBlock;
use cubefold_topology::{Machine, MachineKind};

use super::{
    errors::{Errors, ScenarioError},
    keys::Key,
    scenario_program::ScenarioProgram,
    settings::Settings,
    stages_file::MAX_PROCESSES,
    value::{Content, Value, written_lengths},
};

/// Reads the number of processes per node; 1 by default.
pub(super) fn count(settings: &Settings<'_>) -> Option<u64> {
    let Some(value) = settings.get(Key::ProgramProcessesPerNode) else { return Some(1) };
    match &value.content {
        Content::List(_) => {
            let lengths = lengths(value, settings.errors())?;
            let count = lengths.iter().try_fold(1_u64, |product, length| product.checked_mul(*length));
            let count = count.filter(|count| *count <= MAX_PROCESSES);
            if count.is_none() {
                let expected = format!("a block of at most {MAX_PROCESSES} (2^20) processes");
                settings.report(value.unexpected(Key::ProgramProcessesPerNode.path(), expected));
            }
            count
        }
        _ => value.natural(Key::ProgramProcessesPerNode.path(), 1..=MAX_PROCESSES, settings.errors()),
    }
}

/// The program, with a note if several of its processes share a device of a cluster.
pub(super) fn with_note(mut program: ScenarioProgram, machine: Option<&Machine>) -> ScenarioProgram {
    let each = program.ranks_per_node;
    if each > 1 && machine.is_some_and(|machine| machine.kind() == MachineKind::Cluster) {
        program.notes.push(format!(
            "program.processes_per_node = {each} lets {each} processes share a device of the cluster; without it, a device has one."
        ));
    }
    program
}

/// The lengths of a block.
fn lengths(value: &Value, errors: &Errors) -> Option<Vec<u64>> {
    let name = Key::ProgramProcessesPerNode.path();
    let entries = value.list(name, "lengths", errors)?;
    let entry_name = format!("entry of {name}");
    entries.iter().map(|entry| entry.natural(&entry_name, 1..=MAX_PROCESSES, errors)).collect()
}

/// The program with the given block, which must divide a torus or mesh guest or a logical shape.
pub(super) fn with_block(settings: &Settings<'_>, program: ScenarioProgram) -> Option<ScenarioProgram> {
    let value = settings.get(Key::ProgramProcessesPerNode);
    let Some(value) = value.filter(|value| matches!(value.content, Content::List(_))) else {
        return Some(program);
    };
    let block = lengths(value, settings.errors())?;
    let shape = program.placed_shape();
    let is_grid =
        shape.grid().is_some() && (program.collective.is_some() || program.guest().cube().is_none());
    if !is_grid || program.file.is_some() {
        let message = "a block of processes of a program without a torus or mesh, expected their number";
        let error = ScenarioError::at(&value.place, message, "no dimensions");
        return settings.fail(error.because(settings.place(Key::ProgramKind), "the program"));
    }
    let grid = shape.shape().lengths();
    let Some(process_block) = ProcessBlock::new(grid, &block) else {
        let message = format!(
            "a block of {} processes of {}, expected a length for each dimension that divides it",
            written_lengths(&block),
            written_lengths(grid)
        );
        let error = ScenarioError::at(&value.place, message, "does not divide them");
        let error = error.because(settings.place(Key::ProgramGuest), "the guest");
        return settings.fail(error.because(settings.place(Key::ProgramShape), "the logical shape"));
    };
    let others = program.others.iter().map(|other| other.with_block_of(&process_block)).collect();
    Some(ScenarioProgram { block: Some(process_block), others, ..program })
}
