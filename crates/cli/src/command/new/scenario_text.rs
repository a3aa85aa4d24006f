//! The text of a new scenario.

use std::path::Path;

use cubefold_scenario::{MAX_CHANNELS, scenario_keys};
use cubefold_topology::MachineKind;

use super::{
    algorithms::ComparedAlgorithm,
    new_scenario::{Channels, Collective, Grid, NewScenario, Program, Traffic},
};
use crate::arguments::{ExecutionModes, MACHINES};

/// A scenario with comments on other possible settings.
pub(super) fn scenario_text(new_scenario: &NewScenario, path: &Path) -> String {
    [
        head(new_scenario, path),
        machine(new_scenario),
        program(new_scenario),
        mapping(new_scenario),
        execution(new_scenario),
        sweep(new_scenario),
    ]
    .join("\n")
}

fn head(new_scenario: &NewScenario, path: &Path) -> String {
    let (kind, shape) = (new_scenario.machine.kind, new_scenario.machine.shape());
    let question = match &new_scenario.program {
        Program::Cube => {
            format!("What does the placement of a hypercube program cost on a {kind} of {shape}?")
        }
        Program::Neighbours(guest) => format!(
            "What does the placement of a program on a {} of {} cost on a {kind} of {shape}?",
            guest.kind,
            guest.shape()
        ),
        Program::Collective(collective) => {
            format!("Which algorithm of {} is the fastest on a {kind} of {shape}?", collective.operation)
        }
        Program::Job(_) => {
            format!("How much communication do computations hide on a {kind} of {shape}?")
        }
    };
    // A file's name may contain a line break, which would end the comment.
    let file: String = path.display().to_string().chars().filter(|letter| !letter.is_control()).collect();
    let name =
        new_scenario.name.as_deref().map_or_else(String::new, |name| format!("name = {}\n", quoted(name)));
    format!(
        "# {question}\n\
         # Check: cubefold check {file}\n\
         # Run: cubefold compare {file}\n\
         # docs/scenarios.md has every key; cubefold explain TERM says what the results mean.\n{name}"
    )
}

fn machine(new_scenario: &NewScenario) -> String {
    let wrap = match new_scenario.machine.kind {
        MachineKind::Mesh | MachineKind::Torus => {
            let wraps = (0..new_scenario.machine.lengths.len()).map(|place| place == 0);
            commented(&format!("# wrap = {}", list(wraps)), "the dimensions that wrap")
        }
        _ => String::new(), // there is nothing to choose
    };
    let machine = &new_scenario.machine;
    let lengths = if machine.has_switches() {
        machine.named_parameters().map(|(name, number)| format!("{name} = {number}\n")).collect()
    } else {
        commented(&format!("shape = {}", list(&machine.lengths)), "the length of each dimension")
    };
    [
        "[machine]\n".to_owned(),
        commented(&format!("kind = \"{}\"", machine.kind), &MACHINES.map(MachineKind::name).join(", ")),
        lengths,
        wrap,
        commented(&format!("links = \"{}\"", new_scenario.links), &choices("machine.links")),
        times(new_scenario),
    ]
    .concat()
}

/// The times of links, and of a network with switches also its further links.
fn times(new_scenario: &NewScenario) -> String {
    let Some(Traffic { bandwidth, latency, .. }) = new_scenario.program.traffic() else {
        return commented("hop_cycles = 1", "the time of a message over a link");
    };
    let link = format!("link = {{ bandwidth = {}, latency = {} }}", quoted(bandwidth), quoted(latency));
    let links = match new_scenario.machine.kind {
        MachineKind::Cluster => [
            commented(
                &format!("nics_per_node = {}", new_scenario.machine.lengths.last().copied().unwrap_or(1)),
                "also fewer or more than devices",
            ),
            "# The network of a node: switch, full-mesh, ring, hypercube or none.\n".to_owned(),
            "inside = { kind = \"switch\", link = { bandwidth = \"370 GB/s\", latency = \"500 ns\" } }\n".to_owned(),
            "# A leaf for each NIC of 8 nodes, and spines with as many links as there are nodes below a leaf.\n"
                .to_owned(),
            format!(
                "outside = {{ {link}, leaves = {{ nodes = 8 }}, rails = true, spines = 4, uplinks = \"full\" }}\n"
            ),
        ]
        .concat(),
        MachineKind::FatTree => {
            commented("uplinks = \"full\"", "the cables between two switches: a number, or full") + &link + "\n"
        }
        _ => link + "\n",
    };
    [
        links,
        commented("unit_bytes = 64", "the unit of sizes"),
        commented("switching = \"cut-through\"", &choices("machine.switching")),
    ]
    .concat()
}

fn collective(collective: &Collective, compute_cycles: u64) -> String {
    // Algorithms of one level share a line; each hierarchical one has its own.
    let (one_level, hierarchical): (Vec<ComparedAlgorithm>, Vec<ComparedAlgorithm>) =
        collective.algorithms.iter().copied().partition(|algorithm| algorithm.one_level().is_some());
    let one_level: Vec<String> = one_level.iter().map(|algorithm| algorithm.text()).collect();
    let lines = hierarchical
        .iter()
        .fold(one_level.join(", "), |lines, algorithm| format!("{lines},\n    {}", algorithm.text()));
    let algorithms = if hierarchical.is_empty() { lines } else { format!("\n    {lines},\n") };
    let channels = collective.channels.map(channels);
    let ports = collective.has_ports().then(|| commented("ports = \"all\"", "1, or all: two a dimension"));
    let exchange =
        collective.has_exchange().then(|| commented("exchange = \"best\"", &choices("program.exchange")));
    let compute = commented(&format!("compute_cycles = {compute_cycles}"), "the cost of starting a step");
    format!(
        "[program]\n{}# Those that are defined for this shape.\nalgorithm = [{algorithms}]\n{}{}{}{compute}",
        commented(
            &format!("kind = {}", quoted(collective.operation.name())),
            "also the other collectives of docs/scenarios.md"
        ),
        channels.unwrap_or_default(),
        ports.unwrap_or_default(),
        exchange.unwrap_or_default(),
    )
}

fn channels(channels: Channels) -> String {
    let value = match channels {
        Channels::Nics => "\"nics\"".to_owned(),
        Channels::Most => MAX_CHANNELS.to_string(),
    };
    commented(&format!("channels = {value}"), "rings or trees side by side: a number, or one for each NIC")
}

/// The steps of a job: two parts of a computation, with an all-reduce after each.
fn job(job: &Traffic, channels_of_rings: Option<Channels>, compute_cycles: u64) -> String {
    let compute = match compute_cycles {
        0 => commented("compute = \"1 ms\"", "the computation of every rank"),
        cycles => commented(&format!("compute_cycles = {cycles}"), "the computation of every rank"),
    };
    let size = job.sizes.first().map(|size| quoted(size)).unwrap_or_default();
    let step = |name: &str, rest: &str| format!("\n[[program.steps]]\nname = \"{name}\"\n{rest}");
    let gradients = commented("kind = \"all-reduce\"", "also send, neighbour-exchange, traffic and others")
        + "algorithm = \"ring\"\n"
        + &channels_of_rings.map(channels).unwrap_or_default();
    [
        "[program]\n".to_owned(),
        commented("iterations = 1", "how often the steps come"),
        commented(&format!("bytes = {size}"), "the vector of each all-reduce"),
        step("backward 2", &compute),
        step(
            "gradients 2",
            &format!("{gradients}{}", commented("after = [\"backward 2\"]", "the steps that it waits for")),
        ),
        step(
            "backward 1",
            &format!("{compute}{}", commented("after = [\"backward 2\"]", "beside gradients 2")),
        ),
        step("gradients 1", &format!("{gradients}after = [\"backward 1\", \"gradients 2\"]\n")),
    ]
    .concat()
}

fn program(new_scenario: &NewScenario) -> String {
    let kind = match &new_scenario.program {
        Program::Collective(chosen) => return collective(chosen, new_scenario.compute_cycles),
        Program::Job(chosen) => {
            return job(chosen, new_scenario.machine.channels(), new_scenario.compute_cycles);
        }
        Program::Cube => [
            commented("kind = \"cc-cube\"", "computes and exchanges along one dimension, stage by stage"),
            commented("stages = \"ascend\"", "ascend, descend, bitonic, or a list such as [0, 1, 0]"),
        ],
        Program::Neighbours(guest) => [
            commented("kind = \"neighbour-exchange\"", "processes send to their neighbours on the guest")
                + &commented(&format!("guest = {}", inline(guest)), "the processes"),
            commented("communication = \"shift\"", "shift, permutation (with sets = 10), scatter"),
        ],
    };
    let compute = commented(
        &format!("compute_cycles = {}", new_scenario.compute_cycles),
        "the computation before each exchange",
    );
    format!("[program]\n{}{compute}", kind.concat())
}

fn mapping(new_scenario: &NewScenario) -> String {
    format!(
        "[mapping]\n\
         # The placements to compare; the first is the reference. \"file:placement.csv\" is one of\n\
         # your own, as cubefold place --format csv writes it.\n\
         embeddings = {}\n",
        list(new_scenario.embeddings.iter().map(|name| quoted(name)))
    )
}

fn execution(new_scenario: &NewScenario) -> String {
    let mode = match new_scenario.modes {
        ExecutionModes::Asynchronous | ExecutionModes::Both => "asynchronous",
        ExecutionModes::Coordinated => "coordinated",
    };
    let mode = commented(&format!("mode = \"{mode}\""), &choices("execution.mode"));
    format!("[execution]\n{mode}")
}

/// The combinations that are run, and more as a proposal.
fn sweep(new_scenario: &NewScenario) -> String {
    let proposals = match &new_scenario.program {
        Program::Job(_) => "# \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n",
        Program::Cube | Program::Neighbours(_) | Program::Collective(_) => {
            "# \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n\
             # \"program.compute_cycles\" = [0, 10, 100]\n"
        }
    };
    let sizes = new_scenario.program.traffic().map_or(&[][..], |traffic| &traffic.sizes);
    if !sizes.is_empty() {
        let sizes = list(sizes.iter().map(|size| quoted(size)));
        return format!(
            "# Every combination of these values is run.\n[sweep]\n\"program.bytes\" = {sizes}\n{proposals}"
        );
    }
    match new_scenario.modes {
        ExecutionModes::Both => format!(
            "# Every combination of these values is run.\n[sweep]\n\
             \"execution.mode\" = [\"asynchronous\", \"coordinated\"]\n{proposals}"
        ),
        ExecutionModes::Asynchronous | ExecutionModes::Coordinated => {
            format!("# Remove the signs to run every combination of these values.\n# [sweep]\n{proposals}")
        }
    }
}

fn choices(path: &str) -> String {
    let key = scenario_keys().iter().find(|key| key.path == path);
    key.map(|key| key.values.words().join(", ")).unwrap_or_default()
}

/// A line, followed by a comment if there is room.
fn commented(line: &str, comment: &str) -> String {
    const COMMENTS_FROM: usize = 32;
    format!("{line:COMMENTS_FROM$} # {comment}\n")
}

/// A list in TOML.
fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    format!("[{}]", values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", "))
}

fn inline(grid: &Grid) -> String {
    format!("{{ kind = \"{}\", shape = {} }}", grid.kind, list(&grid.lengths))
}

/// A TOML string: JSON's escapes are valid in TOML except for one character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
