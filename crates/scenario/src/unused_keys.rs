//! Notes on keys that a scenario sets and that have no effect on a run.
//!
//! They are no errors: a sweep may set what they depend on, such as the mode, in some of its runs only.

use super::{
    Run,
    errors::all_of,
    execution::{ExecutionMode, RoutingRule},
    keys::Key,
};

/// Keys without effect for the same reason.
struct Unused {
    keys: &'static [Key],
    /// Whether the keys have no effect on a run.
    case: fn(&Run) -> bool,
    /// On what the keys have no effect.
    on: &'static str,
}

const UNUSED: [Unused; 5] = [
    Unused {
        keys: &[Key::ExecutionPhases, Key::ExecutionDimensionChoice],
        case: |run| run.execution.mode == ExecutionMode::Asynchronous,
        on: "asynchronous runs",
    },
    Unused {
        keys: &[Key::ExecutionPhases, Key::ExecutionDimensionChoice],
        case: |run| run.execution.routing == Some(RoutingRule::Sorting),
        on: "coordinated sorting",
    },
    Unused {
        keys: &[Key::ExecutionTie],
        case: |run| run.machine.graph().is_some() && run.machine.order_tie().is_none(),
        on: "networks, whose routes follow no rule for ties",
    },
    Unused {
        keys: &[Key::ProgramOrder],
        // Collectives have a note of their own.
        case: |run| run.communication.routers().is_some() && run.program.asked_collective().is_none(),
        on: "runs over routers, in which rank r sends to 0, 1, ..",
    },
    Unused {
        keys: &[
            Key::MachineProcessorsPerNode,
            Key::MachineLocal,
            Key::MachineLocalLatencyCycles,
            Key::MachineLocalUnitCycles,
        ],
        case: |run| run.program.open_loop.is_some(),
        on: "open loops, in which nothing computes and no packet stays in its node",
    },
];

/// The notes on keys without effect. Those of the machine file are left out: it describes a machine for all runs.
pub(super) fn notes(run: &Run) -> Vec<String> {
    let of_case = |unused: &Unused| {
        let keys = unused.keys.iter().filter(|&&key| run.resolved.is_in_scenario(key));
        let names: Vec<&str> = keys.map(|key| key.path()).collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        (!names.is_empty()).then(|| format!("{} {have} no effect on {}.", all_of(&names), unused.on))
    };
    UNUSED.iter().filter(|unused| (unused.case)(run)).filter_map(of_case).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::load_text;

    fn notes(machine: &str, program: &str, execution: &str) -> Vec<String> {
        let text =
            format!("machine = {{ {machine} }}\nprogram = {{ {program} }}\nexecution = {{ {execution} }}\n");
        load_text(Path::new("s.toml"), &text).unwrap().runs[0].notes()
    }

    #[test]
    fn keys_that_are_set_in_vain_are_told() {
        let (mesh, network) = ("kind = \"mesh\", shape = [4, 4]", "kind = \"full-mesh\", nodes = 4");
        let exchange = "kind = \"permutation\", pattern = \"complement\"";
        let phases = "phases = \"unlimited\", dimension_choice = \"lowest\"";
        assert_eq!(
            notes(mesh, exchange, phases),
            ["execution.phases and execution.dimension_choice have no effect on asynchronous runs."]
        );
        assert_eq!(notes(mesh, exchange, &format!("mode = \"coordinated\", {phases}")), [""; 0]);
        assert_eq!(notes(mesh, exchange, "tie = \"direct\""), [""; 0]);
        assert_eq!(
            notes(network, exchange, "tie = \"direct\""),
            ["execution.tie has no effect on networks, whose routes follow no rule for ties."]
        );
        // The links of a grid that are left keep its routes.
        let failed = format!("{mesh}, failed_links = [[[0, 0], [0, 1]]]");
        let told = notes(&failed, exchange, "tie = \"direct\"");
        assert!(told.iter().all(|note| !note.contains("no effect")), "{told:?}");
        let sorting = format!("mode = \"coordinated\", routing = \"sorting\", {phases}");
        assert_eq!(
            notes(mesh, exchange, &sorting),
            ["execution.phases and execution.dimension_choice have no effect on coordinated sorting."]
        );
        let twisted = "kind = \"torus\", shape = [4, 4], twist = [[0, 2], [0, 0]], switching = \"wormhole\"";
        let told = notes(twisted, exchange, "tie = \"positive\"");
        assert!(told.iter().any(|note| note.starts_with("execution.tie has no effect")), "{told:?}");
        let open_loop = "kind = \"open-loop\", pattern = \"transpose\", load = 0.1";
        let told =
            notes(&format!("{mesh}, switching = \"wormhole\", processors_per_node = 2"), open_loop, "");
        assert!(told[0].starts_with("machine.processors_per_node has no effect on open loops,"), "{told:?}");
    }
}
