//! Collectives: their keys and placements.

use cubefold_collectives::{Algorithm, Exchange, Operation, Ports};
use cubefold_mapping::ProcessId;

use super::*;

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n";

fn collective(keys: &str) -> String {
    format!("{TORUS}[program]\nkind = \"all-reduce\"\n{keys}")
}

#[test]
fn what_is_asked_for_is_what_is_written() {
    let text = collective(
        "algorithm = \"swing\"\nexchange = \"whole\"\nports = \"all\"\nunits = 100\ncompute_cycles = 3\n\
         reduce_units_per_cycle = 2\n",
    );
    let run = scenario(&text).runs.remove(0);
    let collective = run.program.collective.as_deref().unwrap();
    let asked = collective.specification().unwrap();
    assert_eq!((asked.operation, asked.algorithm), (Operation::AllReduce, Algorithm::Swing));
    assert_eq!((asked.exchange, asked.ports), (Some(Exchange::Whole), Ports::All));
    assert_eq!((asked.vector_units, asked.compute_cycles, asked.shape.lengths()), (100, 3, &[4, 4][..]));
    assert_eq!(
        (asked.reduce_units_per_cycle.map(std::num::NonZeroU64::get), collective.share_count()),
        (Some(2), 4)
    );
    assert_eq!((run.program.body.process_count(), run.program.rank_count()), (64, 16));
    // Every share sits on the node of its rank, and has a processor of its own.
    for process in ProcessId::first(64) {
        let rank = ProcessId::new(collective.rank(process));
        assert_eq!(run.placement.node(process), run.placement.node(rank));
    }
    assert_eq!(run.communication.processors().get(), 4);
    assert_eq!(run.embedding.to_string(), "standard");
}

#[test]
fn a_list_of_algorithms_is_the_innermost_choice_of_a_sweep() {
    let text = collective("algorithm = [\"ring\", \"swing\"]\n[sweep]\n\"program.units\" = [16, 64]\n");
    let found: Vec<(u64, &str)> = scenario(&text)
        .runs
        .iter()
        .map(|run| run.program.collective.as_deref().unwrap().specification().unwrap())
        .map(|asked| (asked.vector_units, asked.algorithm.name()))
        .collect();
    assert_eq!(found, [(16, "ring"), (16, "swing"), (64, "ring"), (64, "swing")]);
}

#[test]
fn what_no_algorithm_does_is_reported_at_its_key() {
    let only = |keys: &str| errors(&collective(keys)).remove(0);
    assert_eq!(
        only("units = 3\n"),
        "4:2: program.algorithm is missing, expected recursive-doubling, mirrored, swing, bine, trivance, ring, \
         bidirectional-ring, hamiltonian-rings, bucket, tree, double-tree or direct"
    );
    assert!(
        only("algorithm = \"binomial\"\n")
            .starts_with("6:13: program.algorithm is \"binomial\", expected recur")
    );
    assert_eq!(
        only("algorithm = \"ring\"\nports = \"all\"\n"),
        "7:9: all ports for ring, which has no choice of ports"
    );
    assert_eq!(only("algorithm = \"swing\"\nports = 3\n"), "7:9: program.ports is 3, expected 1 or \"all\"");
    assert_eq!(
        only("algorithm = \"ring\"\nexchange = \"best\"\n"),
        "7:12: program.exchange is \"best\" for all-reduce by ring, which has no choice of exchange"
    );
    assert_eq!(
        only("algorithm = \"ring\"\nexchange = \"halving\"\n"),
        "7:12: program.exchange is \"halving\" for all-reduce by ring, which has no choice of exchange"
    );
    assert_eq!(
        only("algorithm = \"swing\"\nexchange = \"whole\"\nshape = [3, 4]\n"),
        "7:12: shape 3x4, expected sides that are powers of two for swing with exchange whole"
    );
    assert_eq!(
        only("algorithm = \"recursive-doubling\"\nshape = [3, 4]\n"),
        "7:9: shape 3x4, expected one side, or sides that are powers of two for recursive-doubling"
    );
    assert_eq!(
        only("algorithm = \"ring\"\nshape = [2, 4]\nprocesses = 9\n"),
        "7:9: program.shape 2x4 has 8 processes, expected 9, as program.processes says"
    );
    assert!(only("algorithm = \"ring\"\nroot = 1\n").starts_with("7:8: program.root"));
    let broadcast = format!("{TORUS}[program]\nkind = \"broadcast\"\nalgorithm = \"binomial\"\nroot = 16\n");
    assert_eq!(errors(&broadcast), ["7:8: root 16, expected 0 to 15"]);
}
