//! Keys of random draws.
//!
//! A draw is keyed by its seed and the name of its task, never by when it is made: one seed makes the same choices
//! whatever the order of runs or the number of threads. The draws inside a run are keyed by a description of the
//! run, which is stated here and nowhere else. Changing a name or the order of members here changes results.

use std::num::NonZeroU64;

use cubefold_collectives::{CollectiveSpecification, Exchange, Groups, Operation, Step};
use cubefold_mapping::{Hypercube, ProcessId};
use cubefold_simulator::EAGER_ALL;
use cubefold_topology::{LinkTime, Machine, Partition, Wrap};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{ExecutionMode, NeighbourCommunication, Phases, RoutingRule, Run, ScenarioProgram};

/// The key of the generator for `task` under `seed`: the SHA-256 of both.
#[must_use]
pub fn generator_key(seed: u64, task: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"cubefold generator key");
    hash.update(seed.to_le_bytes());
    hash.update(task.as_bytes());
    hash.finalize().into()
}

/// The key of a run's draws of the dimensions that messages correct.
pub(crate) fn draw_key(run: &Run) -> [u8; 32] {
    generator_key(run.seed, &description(run))
}

/// The description of a run without its seed by which its draws are keyed.
pub(crate) fn description(run: &Run) -> String {
    let members = (MachineMembers::new(run), ProgramMembers::new(&run.program), ExecutionMembers::new(run));
    // Names and numbers serialize; if they did not, runs would only share their choices.
    let members = serde_json::to_string(&members).unwrap_or_default();
    format!("dimension choice; {members}; {}", run.embedding)
}

/// The members of a machine in the description: those of the first version, so that draws stay when results say more
/// of a machine.
#[derive(Serialize)]
struct MachineMembers<'run> {
    kind: &'static str,
    shape: &'run [u64],
    wrap: Vec<bool>,
    links: &'static str,
    hop_cycles: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_times: Option<Vec<[u64; 2]>>, // `u` and `l` by class, where links differ
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<PartitionMembers>,
}

#[derive(Serialize)]
struct PartitionMembers {
    base: Vec<u32>,
    shape: Vec<u64>,
}

impl<'run> MachineMembers<'run> {
    fn new(run: &'run Run) -> Self {
        let partition = run.partition.as_deref();
        let machine = partition.map_or(&*run.machine, Partition::whole);
        Self {
            kind: machine.kind().name(),
            shape: machine.shape().lengths(),
            wrap: wraps(machine),
            links: run.communication.links().name(),
            hop_cycles: run.communication.hop().get(),
            link_times: run
                .machine
                .link_times()
                .map(|times| times.iter().map(|LinkTime { unit, latency }| [*unit, *latency]).collect()),
            partition: partition.map(|partition| PartitionMembers {
                base: partition.base().as_slice().to_vec(),
                shape: partition.inside().shape().lengths().to_vec(),
            }),
        }
    }
}

fn wraps(machine: &Machine) -> Vec<bool> {
    machine.extents().map(|extent| extent.wrap() == Wrap::Around).collect()
}

/// The members of a program in the description.
#[derive(Serialize)]
struct ProgramMembers<'run> {
    kind: &'static str,
    dimensions: Option<u8>,
    stages: Option<Vec<u8>>,
    compute_cycles: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'run str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_compute_cycles: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage_units: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_bytes: Option<u64>,
    #[serde(flatten)]
    collective: Option<CollectiveMembers<'run>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepMembers<'run>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guest: Option<GuestMembers<'run>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    communication: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<usize>,
}

#[derive(Serialize)]
struct GuestMembers<'run> {
    kind: &'static str,
    shape: &'run [u64],
    wrap: Vec<bool>,
}

impl<'run> ProgramMembers<'run> {
    fn new(program: &'run ScenarioProgram) -> Self {
        let collective = program.collective.as_deref();
        let single = collective.and_then(|own| own.specification());
        let mut steps = collective.map_or_else(Vec::new, |own| {
            let step = |(place, step)| StepMembers::new(step, program.bytes_of_step(place));
            own.steps().iter().enumerate().map(step).collect::<Vec<_>>()
        });
        let communication = program.communication;
        let members = Self {
            kind: program.kind.name,
            dimensions: program.exchange_cube.map(Hypercube::dimension_count),
            stages: program
                .exchanges
                .as_deref()
                .map(|stages| stages.iter().map(|stage| stage.number()).collect())
                .or_else(|| single.and_then(cube_dimensions)),
            compute_cycles: single
                .map_or_else(|| program.body.facts().compute.get(), |own| own.compute_cycles),
            file: program.file.as_deref(),
            processes: program.is_placed_by_number().then(|| program.rank_count()),
            stage_compute_cycles: None,
            stage_units: None,
            message_bytes: None,
            collective: if single.is_some() && steps.len() == 1 { steps.remove(0).collective } else { None },
            steps: (collective.is_some() && single.is_none()).then_some(steps),
            guest: program.described_guest().map(|guest| GuestMembers {
                kind: guest.kind().name(),
                shape: guest.shape().lengths(),
                wrap: wraps(guest),
            }),
            communication: communication.map(NeighbourCommunication::name),
            sets: communication.and_then(NeighbourCommunication::sets),
        };
        // The stages of a collective follow from the members above.
        if collective.is_some() { members } else { members.with_stages(program) }
    }

    /// The members with the times and sizes of each stage.
    fn with_stages(self, program: &ScenarioProgram) -> Self {
        let (body, facts) = (&program.body, program.body.facts());
        let stages = || 0..body.stage_count();
        let computations = || stages().map(|stage| body.computation(stage, ProcessId::new(0)).get());
        let units = || stages().map(|stage| body.max_units(stage));
        Self {
            stage_compute_cycles: (!facts.has_one_compute_time).then(|| computations().collect()),
            stage_units: (facts.uniform_units != Some(1)).then(|| units().collect()),
            message_bytes: program.bytes,
            ..self
        }
    }
}

/// The members of a collective in the description.
#[derive(Serialize)]
struct CollectiveMembers<'run> {
    operation: &'static str,
    algorithm: &'static str,
    exchange: Option<&'static str>,
    ports: Option<&'static str>,
    logical_shape: &'run [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<&'run [usize]>,
    root: Option<u32>,
    vector_units: Option<u64>,
    vector_bytes: Option<u64>,
    reduce_units_per_cycle: Option<u64>,
}

/// The members of a step of a sequence in the description.
#[derive(Serialize)]
struct StepMembers<'run> {
    #[serde(flatten)]
    collective: Option<CollectiveMembers<'run>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Vec<u8>>,
    compute_cycles: u64,
}

impl<'run> CollectiveMembers<'run> {
    fn new(groups: &'run Groups, vector_bytes: Option<u64>) -> Self {
        let own = groups.specification();
        let algorithm = own.algorithm.descriptor();
        let has_vector = own.operation != Operation::Barrier;
        Self {
            operation: own.operation.name(),
            algorithm: algorithm.name,
            exchange: own.chosen_exchange().map(Exchange::name),
            ports: algorithm.has_ports().then(|| own.ports.name()),
            logical_shape: groups.shape().lengths(),
            over: (groups.group_count() > 1).then(|| groups.over()),
            root: own.operation.descriptor().has_root.then_some(own.root),
            vector_units: has_vector.then_some(own.vector_units),
            vector_bytes: vector_bytes.filter(|_| has_vector),
            reduce_units_per_cycle: own.reduce_units_per_cycle.map(NonZeroU64::get),
        }
    }
}

impl<'run> StepMembers<'run> {
    fn new(step: &'run Step, vector_bytes: Option<u64>) -> Self {
        match step {
            Step::Groups(groups) => Self {
                collective: Some(CollectiveMembers::new(groups, vector_bytes)),
                stages: cube_dimensions(groups.specification()),
                compute_cycles: groups.specification().compute_cycles,
            },
            &Step::Computation(cycles) => Self { collective: None, stages: None, compute_cycles: cycles },
        }
    }
}

/// The order of cube dimensions of a collective, if one is given.
fn cube_dimensions(own: &CollectiveSpecification) -> Option<Vec<u8>> {
    // There are fewer than 2^32 ranks, and so fewer than 32 dimensions.
    let number = |&dimension: &u32| u8::try_from(dimension).ok();
    own.cube_dimensions.as_ref().and_then(|order| order.iter().map(number).collect())
}

/// The members of an execution in the description.
#[derive(Serialize)]
struct ExecutionMembers {
    mode: &'static str,
    tie: &'static str,
    dimension_choice: Option<&'static str>,
    phases: Option<Value>, // a word, or a number of links
    #[serde(skip_serializing_if = "Option::is_none")]
    eager_units: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<&'static str>,
}

impl ExecutionMembers {
    fn new(run: &Run) -> Self {
        let (mode, rules) = (run.execution.mode, run.communication);
        let (dimension_choice, phases) = match mode {
            ExecutionMode::Asynchronous => (None, None),
            ExecutionMode::Coordinated { dimension_choice, phases } => {
                (Some(dimension_choice.name()), Some(phases_value(phases)))
            }
        };
        Self {
            mode: mode.name(),
            tie: rules.tie().name(),
            dimension_choice,
            phases,
            eager_units: match rules.eager() {
                0 => None,
                EAGER_ALL => Some("all".to_owned()),
                units => Some(units.to_string()),
            },
            routing: run.execution.routing.map(RoutingRule::name),
        }
    }
}

fn phases_value(phases: Phases) -> Value {
    match phases {
        Phases::Embedding => "embedding".into(),
        Phases::Unlimited => "unlimited".into(),
        Phases::Length(length) => length.get().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::load_text;

    /// The description of the first run of a scenario on a 4 x 4 torus.
    fn described(more: &str) -> String {
        let scenario = format!("[machine]\nkind = \"torus\"\nshape = [4, 4]\n{more}");
        description(&load_text(Path::new("a test"), &scenario).unwrap().runs[0])
    }

    #[test]
    fn descriptions_stay_as_they_are() {
        let coordinated = "[execution]\nmode = \"coordinated\"\n";
        let cases = [
            (
                format!(
                    "partition = {{ base = [0, 1], shape = [4, 2] }}\n[program]\ncompute_cycles = 5\n\
                 stages = [2, 0, 1]\n{coordinated}dimension_choice = \"random\"\nphases = 3\n"
                ),
                r#"dimension choice; [{"kind":"torus","shape":[4,4],"wrap":[true,true],"links":"full-duplex","hop_cycles":1,"partition":{"base":[0,1],"shape":[4,2]}},{"kind":"cc-cube","dimensions":3,"stages":[2,0,1],"compute_cycles":5},{"mode":"coordinated","tie":"direct","dimension_choice":"random","phases":3}]; standard"#,
            ),
            (
                format!(
                    "hop_cycles = 2\nlinks = \"half-duplex\"\n[program]\nkind = \"neighbour-exchange\"\n\
                 guest = {{ kind = \"mesh\", shape = [4, 4] }}\ncommunication = \"permutation\"\nsets = 2\n\
                 {coordinated}routing = \"valiant\"\n"
                ),
                r#"dimension choice; [{"kind":"torus","shape":[4,4],"wrap":[true,true],"links":"half-duplex","hop_cycles":2},{"kind":"neighbour-exchange","dimensions":null,"stages":null,"compute_cycles":0,"guest":{"kind":"mesh","shape":[4,4],"wrap":[false,false]},"communication":"permutation","sets":2},{"mode":"coordinated","tie":"direct","dimension_choice":"lowest","phases":"embedding","routing":"valiant"}]; tao"#,
            ),
            (
                "link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\n[program]\nkind = \"all-reduce\"\n\
                 algorithm = \"swing\"\nbytes = \"4 KiB\"\ncompute_cycles = 2\n[execution]\neager_units = 8\n"
                    .to_owned(),
                r#"dimension choice; [{"kind":"torus","shape":[4,4],"wrap":[true,true],"links":"full-duplex","hop_cycles":1},{"kind":"all-reduce","dimensions":null,"stages":null,"compute_cycles":2,"processes":16,"operation":"all-reduce","algorithm":"swing","exchange":"halving","ports":"1","logical_shape":[4,4],"root":null,"vector_units":64,"vector_bytes":4096,"reduce_units_per_cycle":null},{"mode":"asynchronous","tie":"direct","dimension_choice":null,"phases":null,"eager_units":"8"}]; standard"#,
            ),
            (
                "[program]\ncompute_cycles = 1\n[[program.steps]]\nkind = \"all-gather\"\n\
                 algorithm = \"ring\"\nover = [0]\nunits = 96\n[[program.steps]]\ncompute_cycles = 9\n"
                    .to_owned(),
                r#"dimension choice; [{"kind":"torus","shape":[4,4],"wrap":[true,true],"links":"full-duplex","hop_cycles":1},{"kind":"sequence","dimensions":null,"stages":null,"compute_cycles":9,"processes":16,"steps":[{"operation":"all-gather","algorithm":"ring","exchange":null,"ports":null,"logical_shape":[4,4],"over":[0],"root":null,"vector_units":96,"vector_bytes":null,"reduce_units_per_cycle":null,"compute_cycles":1},{"compute_cycles":9}]},{"mode":"asynchronous","tie":"direct","dimension_choice":null,"phases":null}]; standard"#,
            ),
            (
                "[program]\nunits = [1, 2, 3, 4]\n".to_owned(),
                r#"dimension choice; [{"kind":"torus","shape":[4,4],"wrap":[true,true],"links":"full-duplex","hop_cycles":1},{"kind":"cc-cube","dimensions":4,"stages":[0,1,2,3],"compute_cycles":0,"stage_units":[1,2,3,4]},{"mode":"asynchronous","tie":"direct","dimension_choice":null,"phases":null}]; standard"#,
            ),
        ];
        for (more, expected) in cases {
            assert_eq!(described(&more), expected);
        }
    }

    #[test]
    fn seed_and_task_both_matter_and_nothing_else() {
        assert_eq!(generator_key(7, "a"), generator_key(7, "a"));
        assert_ne!(generator_key(7, "a"), generator_key(8, "a"));
        assert_ne!(generator_key(7, "a"), generator_key(7, "b"));
    }
}
