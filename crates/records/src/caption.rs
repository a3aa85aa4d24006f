//! Descriptions of runs in tables, besides the columns of their records: names, swept values, constructions
//! and the settings that runs share.

use std::{borrow::Cow, sync::Arc};

use cubefold_formats::input::{
    quantity::written_bytes,
    text::{counted, with_article},
};
use cubefold_mapping::{
    ClassicPlacement, Construction, Exactness, GreenbergConstruction, GreenbergPlacement, Placement,
};
use cubefold_scenario::{EmbeddingName, Run, Scenario, SweptValue};
use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::{
    MachineRecord, ProgramRecord, RunRecord, StepRecord, column::join, execution_record::PhaseLengths,
};

/// A scenario as tables show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioCaption {
    /// Its name.
    pub name: String,
    /// Its runs.
    pub runs: Vec<RunCaption>,
}

/// A run as tables show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCaption {
    /// The paths of the keys that the sweep sets, and the values as written, on one line.
    pub combination: Arc<[SweptValue]>,
    /// The embedding's name.
    pub embedding: String,
    /// The name of the algorithm under which it competes; `None` if nothing but embeddings can differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// A sentence on the construction of Tao, Greenberg or CS838, if one was used.
    pub construction: Option<String>,
}

impl ScenarioCaption {
    /// Makes the caption of a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self { name: scenario.name.clone(), runs: scenario.runs.iter().map(RunCaption::new).collect() }
    }
}

impl RunCaption {
    /// Makes the caption of a run.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        let construction = match &*run.placement {
            Placement::Construction(construction) => Some(taken(construction, &run.embedding)),
            Placement::Classic(placement) => Some(by_the_notes(placement, &run.embedding)),
            Placement::Greenberg(placement) => Some(by_greenberg(placement, &run.embedding)),
            Placement::Product(_) | Placement::Table(_) => None,
        };
        Self {
            combination: Arc::clone(&run.combination),
            embedding: run.embedding.to_string(),
            algorithm: run.algorithm().map(Cow::into_owned),
            construction,
        }
    }
}

/// A sentence on the construction to which an embedding's name resolved.
fn taken(construction: &Construction, embedding: &EmbeddingName) -> String {
    let dilation = construction.dilation();
    let at_most = match dilation.exactness {
        Exactness::Exact => "",
        Exactness::AtMost => "at most ",
    };
    let promise = format!("dilation {at_most}{}", dilation.links);
    let taken = format!("{} ({}, {})", construction.kind(), construction.formula(), construction.theorem());
    let pair = format!("{} on {}", shape(construction.guest()), shape(construction.host()));
    if embedding.construction().is_some() {
        return format!("{embedding}, {pair}: {taken}; it promises {promise}.");
    }
    format!("tao, {pair}: took {taken}; of those that apply it promises the least, {promise}.")
}

/// A sentence on the construction of CS838 that was used.
fn by_the_notes(placement: &ClassicPlacement, embedding: &EmbeddingName) -> String {
    let at_most = match placement.dilation().exactness {
        Exactness::Exact => "",
        Exactness::AtMost => "at most ",
    };
    let pair = format!("{} on {}", shape(placement.guest()), shape(placement.table().machine()));
    let (construction, links) = (placement.construction(), placement.dilation().links);
    let section = construction.source;
    format!("{embedding}, {pair}: {construction} (CS838, {section}); it promises dilation {at_most}{links}.")
}

/// A sentence on Greenberg's construction.
fn by_greenberg(placement: &GreenbergPlacement, embedding: &EmbeddingName) -> String {
    let (guest, construction) = (shape(placement.guest()), placement.construction());
    let dilation = placement.promised_dilation();
    let at_most = match dilation.exactness {
        Exactness::Exact => "",
        Exactness::AtMost => "at most ",
    };
    let machine = placement.table().machine();
    let machine = match construction {
        GreenbergConstruction::Polymorphic => format!("the {}", shape(machine)),
        GreenbergConstruction::Gray
        | GreenbergConstruction::Reflection
        | GreenbergConstruction::LongerSide
        | GreenbergConstruction::Folded
        | GreenbergConstruction::Tiles => format!("the {}-cube", machine.shape().dimension_count()),
    };
    let promise = format!("it promises dilation {at_most}{}.", dilation.links);
    format!("{embedding}, {guest} on {machine}: {construction} ({placement}); {promise}")
}

fn shape(machine: &Machine) -> String {
    format!("{} {}", machine.kind(), join(machine.shape().lengths(), "x"))
}

/// Describes the settings that all runs of a scenario share, each with its name. If a setting differs, its
/// common parts remain.
#[must_use]
pub fn settings<'runs>(
    records: &(impl Iterator<Item = &'runs RunRecord> + Clone),
) -> Vec<(&'static str, String)> {
    let common = |groups| common(records.clone(), groups);
    [
        ("machine", common(machine)),
        ("program", common(program)),
        ("execution", common(execution)),
        ("loading", common(|record| groups([loading(record)]))),
    ]
    .into_iter()
    .filter(|(_, words)| !words.is_empty())
    .collect()
}

/// The words that all records share, each group of words without a comma.
fn common<'runs>(
    mut records: impl Iterator<Item = &'runs RunRecord>,
    groups: fn(&RunRecord) -> Vec<WordGroup>,
) -> String {
    let mut common = records.next().map(groups).unwrap_or_default();
    for record in records {
        for (group, words) in common.iter_mut().zip(groups(record)) {
            for (word, other) in group.iter_mut().zip(words) {
                if *word != other {
                    word.clear();
                }
            }
        }
    }
    let joined = |group: WordGroup| {
        let words: Vec<String> = group.into_iter().filter(|word| !word.is_empty()).collect();
        words.join(" ")
    };
    let groups: Vec<String> = common.into_iter().map(joined).filter(|group| !group.is_empty()).collect();
    groups.join(", ")
}

/// Related words; empty ones are left out.
type WordGroup = Vec<String>;

/// Makes each text a group of its own.
fn groups(texts: impl IntoIterator<Item = String>) -> Vec<WordGroup> {
    texts.into_iter().map(|text| vec![text]).collect()
}

fn machine(record: &RunRecord) -> Vec<WordGroup> {
    let machine = &record.machine;
    let shape = join(&machine.shape, "x");
    let implied = vec![machine.kind.wrap() == Wrap::Around; machine.wrap.len()];
    let wrap = if machine.wrap == implied {
        String::new()
    } else {
        let wraps: Vec<_> =
            machine.wrap.iter().map(|&around| if around { "around" } else { "open" }).collect();
        format!("({})", wraps.join(", "))
    };
    let partition = machine.partition.as_ref().map_or_else(String::new, |partition| {
        let (base, shape) = (join(&partition.base, ", "), join(&partition.shape, "x"));
        format!("partition {shape} from ({base}) on")
    });
    // Networks with switches have nodes that cannot hold processes.
    let hosts = machine.hosts.filter(|_| !machine.kind.is_grid());
    let (shape, hosts) = match hosts {
        Some(hosts) => (String::new(), counted(hosts, "host")),
        None => (shape, String::new()),
    };
    let mut words = vec![vec![machine.kind.to_string(), shape, wrap]];
    let links = match machine.directed {
        Some(true) => "links in one direction".to_owned(),
        Some(false) | None => format!("{} links", machine.links.mode()),
    };
    let twist = if machine.twist.is_some() { "twisted" } else { "" };
    let down = |count: Option<usize>, noun: &str| {
        let count = count.filter(|&count| count > 0);
        count.map_or_else(String::new, |count| format!("{} down", counted(count as u64, noun)))
    };
    let links_down = down(machine.failed_links.as_ref().map(Vec::len), "link");
    let nodes_down = down(machine.failed_nodes.as_ref().map(Vec::len), "node");
    words.extend(groups([twist.to_owned(), hosts, partition, links_down, nodes_down, links]));
    words.extend(groups(machine.links.times_in_words()));
    words.extend(groups(network_rules(machine)));
    words
}

/// Describes the settings of the network and nodes that differ from the defaults.
fn network_rules(machine: &MachineRecord) -> impl Iterator<Item = String> {
    let rules = [
        (machine.switching != "store-and-forward").then(|| machine.switching.to_string()),
        machine.router.as_ref().map(|router| counted(router.virtual_channels.into(), "virtual channel")),
        machine
            .router
            .as_ref()
            .map(|router| format!("buffers of {}", counted(router.buffer_units.into(), "unit"))),
        machine
            .router
            .as_ref()
            .map(|router| format!("{} in a router", counted(router.cycles.into(), "cycle"))),
        machine
            .router
            .as_ref()
            .and_then(|router| router.global_latency_cycles)
            .map(|latency| format!("latency {latency} between groups")),
        machine.packet_units.map(|units| format!("packets of {}", counted(units, "unit"))),
        (machine.arbitration == "round-robin").then(|| "round-robin".to_owned()),
        machine.processors_per_node.map(|processors| format!("{processors} processors a node")),
        machine
            .local_latency_cycles
            .zip(machine.local_unit_cycles)
            .map(|(latency, unit)| format!("{} and {unit} a unit inside a node", counted(latency, "cycle"))),
        machine.cycle_nanoseconds.map(|length| format!("{} ns a cycle", shortened(length))),
    ];
    rules.into_iter().map(Option::unwrap_or_default)
}

/// Writes a positive number, rounded to three significant digits if it is long: 0.667 for 2/3.
fn shortened(number: f64) -> String {
    let exact = number.to_string();
    if exact.len() <= 6 {
        return exact;
    }
    let places = (0..20).find(|&places| number * 10_f64.powi(places) >= 100.0).unwrap_or(20);
    format!("{number:.*}", usize::try_from(places).unwrap_or(0))
}

/// The cycles for loading; empty if the scenario has no loading.
fn loading(record: &RunRecord) -> String {
    record.loading_cycles.map_or_else(String::new, |cycles| counted(cycles, "cycle"))
}

fn program(record: &RunRecord) -> Vec<WordGroup> {
    let program = &record.program;
    if let Some(traffic) = &program.traffic {
        let size = match &traffic.sizes[..] {
            [(units, _)] => format!("packets of {}", counted(*units, "unit")),
            _ => "packets of several sizes".to_owned(),
        };
        return groups([format!("{} {}", program.kind, traffic.pattern), size]);
    }
    if let Some(steps) = program.steps.as_ref().filter(|_| program.collective.is_none()) {
        return groups([format!("{} of {}", program.kind, steps_in_words(steps))]);
    }
    let dimensions = program.dimensions.map(|dimensions| counted(dimensions.into(), "dimension"));
    let stages = program.stages.as_ref().map(|stages| {
        const SHOWN: usize = 12;
        let dots = if stages.len() > SHOWN { " .." } else { "" };
        format!("stages {}{dots}", join(&stages[..stages.len().min(SHOWN)], " "))
    });
    let guest = program.guest.as_ref().map_or_else(String::new, |guest| {
        format!("on {} {}", with_article(&guest.kind), join(&guest.shape, "x"))
    });
    let collective = program.collective.as_ref().map(|collective| {
        let vector = collective.vector_units.map(|units| size_in_words(units, collective.vector_bytes));
        [Some(collective.algorithm.to_string()), vector]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" of ")
    });
    let communication = program.communication.as_ref().map(|name| match program.sets {
        Some(sets) => format!("{name} in {}", counted(sets as u64, "set")),
        None => name.to_string(),
    });
    let compute = format!("{} a stage", counted(program.compute_cycles, "compute cycle"));
    let mut words = vec![vec![program.kind.to_string(), guest]];
    let others = [
        collective,
        communication,
        dimensions,
        stages,
        Some(compute),
        sizes(program),
        exchange(program),
        noise(program),
    ];
    words.extend(groups(others.map(Option::unwrap_or_default)));
    words
}

/// The steps of a sequence or a job; of many, the number of each sort.
fn steps_in_words(steps: &[StepRecord]) -> String {
    const MOST: usize = 24;
    let words: Vec<String> = steps.iter().map(step).collect();
    if words.len() <= MOST {
        return words.join(", ");
    }
    let mut sorts: Vec<(&String, usize)> = vec![];
    for word in &words {
        match sorts.iter_mut().find(|sort| sort.0 == word) {
            Some(sort) => sort.1 += 1,
            None => sorts.push((word, 1)),
        }
    }
    let sorts: Vec<String> = sorts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    format!("{} steps: {}", words.len(), sorts.join(", "))
}

/// A step of a sequence.
fn step(step: &StepRecord) -> String {
    let Some(collective) = &step.collective else {
        return step.kind.as_ref().map_or_else(|| "computation".to_owned(), ToString::to_string);
    };
    let over = collective.over.as_ref().map_or_else(String::new, |over| format!(" over {}", join(over, " ")));
    format!("{}{over}", collective.operation)
}

/// The sizes of messages, if they have more than one unit.
fn sizes(program: &ProgramRecord) -> Option<String> {
    let units = program.stage_units.as_ref()?;
    let (least, greatest) = (units.iter().min().unwrap_or(&1), units.iter().max().unwrap_or(&1));
    let range = if least == greatest { String::new() } else { format!("{least} to ") };
    let bytes = program.message_bytes.map_or_else(String::new, |bytes| format!(" ({bytes} bytes)"));
    Some(format!("messages of {range}{}{bytes}", counted(*greatest, "unit")))
}

/// The parts, ports and start-ups of a pipelined program.
fn exchange(program: &ProgramRecord) -> Option<String> {
    let parts = program.pipelining?;
    let ports = if program.exchange_ports.as_deref() == Some("1") { " over one port" } else { "" };
    let startup = program.startup_cycles.filter(|&cycles| cycles > 0);
    let startup =
        startup.map_or_else(String::new, |cycles| format!(" with {} of start-up", counted(cycles, "cycle")));
    Some(format!("{}{ports}{startup}", counted(parts, "part")))
}

/// The extra cycles of computations.
fn noise(program: &ProgramRecord) -> Option<String> {
    let noise = program.compute_noise.as_ref()?;
    let numbers = match (noise.max, noise.one_in, noise.cycles, noise.mean) {
        (Some(max), ..) => format!("to {max}"),
        (_, Some(one_in), Some(cycles), _) => format!("of {cycles}, one in {one_in}"),
        (.., Some(mean)) => format!("of mean {mean}"),
        _ => String::new(),
    };
    let each = if &*noise.each == "process" { " by process" } else { "" };
    Some(format!("{} noise {numbers}{each}", noise.kind))
}

fn execution(record: &RunRecord) -> Vec<WordGroup> {
    let execution = &record.execution;
    let tie = if execution.tie == "direct" { String::new() } else { format!("ties {}", execution.tie) };
    let routing = execution.routing.as_ref();
    // Messages on routes of their own choose no dimension, and have no phases.
    let chooses = !routing.is_some_and(|routing| ["embedding", "valiant", "sorting"].contains(&&**routing));
    let choice = match execution.dimension_choice.as_deref().filter(|_| chooses) {
        Some("random") => "dimensions at random".to_owned(),
        _ => String::new(),
    };
    let phases = match execution.phases.as_ref().map(PhaseLengths::as_str).filter(|_| chooses) {
        Some("embedding") | None => String::new(),
        Some(phases) => format!("phases {phases}"),
    };
    let eager = execution.eager_units.as_ref().map_or_else(String::new, |units| format!("eager {units}"));
    let drawn = execution.spread.as_ref().map_or_else(String::new, |spread| format!(" by {spread}"));
    let routing = routing.map_or_else(String::new, |routing| format!("routing {routing}{drawn}"));
    groups([execution.mode.to_string(), tie, choice, phases, eager, routing])
}

/// Formats a size in bytes, or in units if these have no bytes.
#[must_use]
pub fn size_in_words(units: u64, bytes: Option<u64>) -> String {
    bytes.map_or_else(|| counted(units, "unit"), written_bytes)
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_numbers_have_three_significant_digits() {
        let numbers = [2.56, 0.16, 2.0 / 3.0, 0.284_444_444, 1_234.567_891, 0.000_123_456_789];
        assert_eq!(numbers.map(shortened), ["2.56", "0.16", "0.667", "0.284", "1235", "0.000123"]);
    }
}
