//! The names of machines in titles, from the values of the scenario.

use cubefold_records::counted;
use cubefold_scenario::Run;
use cubefold_topology::{Extent, GraphSource, Machine, MachineKind, NetworkParameters, Wrap};

/// The machine of a run, and the whole machine if it is a partition.
pub(crate) fn machine_name(run: &Run) -> String {
    let machine = name(&run.machine);
    run.partition
        .as_ref()
        .map_or_else(|| machine.clone(), |partition| format!("{machine} in {}", name(partition.whole())))
}

fn name(machine: &Machine) -> String {
    let down = machine.failures().map_or_else(String::new, |failures| {
        let counts = [(failures.links.len(), "link"), (failures.nodes.len(), "node")];
        let words = counts.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = words.map(|(count, thing)| counted(count as u64, thing)).collect();
        words.iter().fold(String::new(), |down, words| down + ", " + words + " down")
    });
    format!("{}{down}", intact(machine))
}

fn intact(machine: &Machine) -> String {
    let kind = machine.kind();
    let grid = machine.coordinate_grid().unwrap_or(machine);
    match machine.source() {
        Some(GraphSource::Parameters(parameters)) => with_parameters(parameters),
        Some(GraphSource::Tree(parameters)) => parameters.to_string(),
        Some(GraphSource::Grammar(words)) => {
            format!("{kind} {}, words of {}", words.grammar(), counted(words.size().into(), "symbol"))
        }
        Some(GraphSource::Dimensions(dimensions)) => format!("{kind}, {}", counted(*dimensions, "dimension")),
        Some(GraphSource::Links) => match machine.graph().map_or(0, |network| network.host_count()) {
            hosts if hosts < machine.node_count() => {
                let switches = machine.node_count() - hosts;
                let es = if switches == 1 { "" } else { "es" };
                format!("{kind}, {hosts} hosts and {switches} switch{es}")
            }
            nodes => format!("{kind}, {nodes} nodes"),
        },
        Some(GraphSource::Twists(_)) => format!("{kind} {}, twisted", lengths(grid.shape().lengths())),
        Some(GraphSource::Grid) | None => of_grid(grid),
    }
}

fn of_grid(machine: &Machine) -> String {
    let kind = machine.kind();
    if kind == MachineKind::Hypercube {
        return format!("{kind}, {}", counted(machine.shape().dimension_count() as u64, "dimension"));
    }
    let wraps: Vec<Wrap> = machine.extents().map(Extent::wrap).collect();
    let word = |wrap: &Wrap| if *wrap == Wrap::Around { "around" } else { "open" };
    let mixed = if wraps.iter().all(|wrap| *wrap == kind.wrap()) {
        String::new()
    } else {
        format!(" ({})", wraps.iter().map(word).collect::<Vec<_>>().join(", "))
    };
    format!("{kind} {}{mixed}", lengths(machine.shape().lengths()))
}

fn with_parameters(parameters: &NetworkParameters) -> String {
    let kind = parameters.kind();
    match parameters {
        NetworkParameters::FullMesh { nodes } => format!("{kind}, {nodes} nodes"),
        NetworkParameters::HyperX { shape, hosts_per_switch } => {
            format!("{kind} {}, {} a switch", lengths(shape), counted(*hosts_per_switch, "host"))
        }
        NetworkParameters::Dragonfly {
            hosts_per_switch,
            switches_per_group,
            global_links,
            groups,
            nics,
            ..
        } => {
            let groups =
                if parameters.is_whole_dragonfly() { String::new() } else { format!("{groups} groups, ") };
            format!(
                "{kind}, {groups}{} a switch, {switches_per_group} switches a group, {} a switch{nics}",
                counted(*hosts_per_switch, "host"),
                counted(*global_links, "global link")
            )
        }
        NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines, uplinks, nics } => {
            let each = if *uplinks > 1 { format!(" by {uplinks} links each") } else { String::new() };
            format!(
                "{kind}, {leaves} leaves, {} a switch, {}{each}{nics}",
                counted(*hosts_per_switch, "host"),
                counted(*spines, "spine")
            )
        }
        NetworkParameters::KAryTree { arity, levels, uplinks, .. } => {
            let most = uplinks.iter().max().filter(|&&most| most > 1);
            let each = most.map(|most| format!(", up to {most} parallel links")).unwrap_or_default();
            format!("{kind}, {} of arity {arity}{each}", counted(*levels, "level"))
        }
        NetworkParameters::Cluster(cluster) => format!("{kind}, {cluster}"),
    }
}

fn lengths(lengths: &[u64]) -> String {
    lengths.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::permutation_on;

    #[test]
    fn machines_are_named_by_what_the_scenario_says() {
        let cases = [
            ("kind = \"fat-tree\"\narity = 4\nlevels = 2", "fat-tree, 2 levels of arity 4"),
            (
                "kind = \"fat-tree\"\nleaves = 4\nhosts_per_switch = 4\nspines = 2",
                "fat-tree, 4 leaves, 4 hosts a switch, 2 spines",
            ),
            ("kind = \"hyperx\"\nshape = [4, 3]\nhosts_per_switch = 2", "hyperx 4x3, 2 hosts a switch"),
            (
                "kind = \"dragonfly\"\nhosts_per_switch = 2\nswitches_per_group = 4\nglobal_links = 1",
                "dragonfly, 2 hosts a switch, 4 switches a group, 1 global link a switch",
            ),
            ("kind = \"cube-connected-cycles\"\ndimensions = 3", "cube-connected-cycles, 3 dimensions"),
            ("kind = \"hypercube\"\ndimensions = 4", "hypercube, 4 dimensions"),
            ("kind = \"torus\"\nshape = [8, 4]\nwrap = [true, false]", "torus 8x4 (around, open)"),
            ("kind = \"torus\"\nshape = [8, 4]\nfailed_links = 2", "torus 8x4, 2 links down"),
            ("kind = \"torus\"\nshape = [4, 4]\ntwist = [[0, 2], [0, 0]]", "torus 4x4, twisted"),
        ];
        for (machine, name) in cases {
            assert_eq!(machine_name(&permutation_on(machine)), name);
        }
    }
}
