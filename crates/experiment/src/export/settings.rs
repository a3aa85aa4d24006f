//! What runs were set to, in words for people.

use cubefold_topology::Wrap;

use super::RunRecord;

/// The settings that all runs of a scenario have in common, each named and in words.
#[must_use]
pub fn settings<'runs>(
    records: &(impl Iterator<Item = &'runs RunRecord> + Clone),
) -> Vec<(&'static str, String)> {
    let common = |say| common(records.clone(), say);
    [
        ("machine", common(machine)),
        ("program", common(program)),
        ("execution", common(execution)),
        ("loading", common(loading).filter(|cycles| !cycles.is_empty())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// What all records say, if they say the same.
fn common<'runs>(
    mut records: impl Iterator<Item = &'runs RunRecord>,
    say: fn(&RunRecord) -> String,
) -> Option<String> {
    let first = say(records.next()?);
    records.all(|record| say(record) == first).then_some(first)
}

fn machine(record: &RunRecord) -> String {
    let machine = &record.machine;
    let shape = join(&machine.shape, "x");
    let implied = vec![machine.kind.wrap() == Wrap::Around; machine.wrap.len()];
    let wrap = if machine.wrap == implied {
        String::new()
    } else {
        let wraps: Vec<_> =
            machine.wrap.iter().map(|&around| if around { "around" } else { "open" }).collect();
        format!(" ({})", wraps.join(", "))
    };
    let hop = counted(machine.hop_cycles, "cycle");
    let partition = machine.partition.as_ref().map_or_else(String::new, |partition| {
        let (base, shape) = (join(&partition.base, ", "), join(&partition.shape, "x"));
        format!(", partition {shape} from ({base}) on")
    });
    format!("{} {shape}{wrap}{partition}, {} links, {hop} a link", machine.kind, machine.links)
}

/// The cycles that loading takes; nothing where it is not asked for.
fn loading(record: &RunRecord) -> String {
    record.loading_cycles.map_or_else(String::new, |cycles| counted(cycles, "cycle"))
}

fn program(record: &RunRecord) -> String {
    let program = &record.program;
    let dimensions = program
        .dimensions
        .map_or_else(String::new, |dimensions| format!(", {}", counted(dimensions.into(), "dimension")));
    let stages = program.stages.as_ref().map_or_else(String::new, |stages| {
        const SHOWN: usize = 12;
        let dots = if stages.len() > SHOWN { " .." } else { "" };
        format!(", stages {}{dots}", join(&stages[..stages.len().min(SHOWN)], " "))
    });
    let guest = program
        .guest
        .as_ref()
        .map_or_else(String::new, |guest| format!(" on a {} {}", guest.kind, join(&guest.shape, "x")));
    let communication = match (&program.communication, program.sets) {
        (Some(name), Some(sets)) => format!(", {name} in {}", counted(sets as u64, "set")),
        (Some(name), None) => format!(", {name}"),
        (None, _) => String::new(),
    };
    let compute = counted(program.compute_cycles, "compute cycle");
    format!("{}{guest}{communication}{dimensions}{stages}, {compute} a stage", program.kind)
}

fn execution(record: &RunRecord) -> String {
    let execution = &record.execution;
    let tie = if execution.tie == "direct" { String::new() } else { format!(", ties {}", execution.tie) };
    let choice = match execution.dimension_choice.as_deref() {
        Some("random") => ", dimensions at random",
        _ => "",
    };
    let phases = match execution.phases.as_deref() {
        Some("embedding") | None => String::new(),
        Some(phases) => format!(", phases {phases}"),
    };
    format!("{}{tie}{choice}{phases}", execution.mode)
}

fn join<T: std::fmt::Display>(items: &[T], separator: &str) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(separator)
}

/// A number of things, in the singular for one.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
