//! The cycles of channels, exchanges and costs of messages.

use rand::{SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;

use super::*;

const CLUSTER: &str = "[machine]\nkind = \"cluster\"\nnodes = 3\ndevices_per_node = 2\n\
     inside = { kind = \"switch\", hop_cycles = 1, latency_cycles = 3 }\n\
     outside = { hop_cycles = 4, latency_cycles = 7, leaves = { nodes = 3 }, rails = true, spines = 1 }\n\
     switching = \"cut-through\"\n[program]\nkind = \"all-reduce\"\nunits = 96\n";

#[test]
fn a_step_of_a_job_has_the_message_costs_of_its_collective_alone() {
    for asked in ["ring", "direct", "recursive-doubling", "tree", "double-tree"] {
        for cost in [0, 1, 7] {
            let collective = format!("kind = \"all-reduce\"\nalgorithm = \"{asked}\"\nunits = 90\n");
            let machine = "[machine]\nkind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 3\nspines = 2\n\
                           latency_cycles = 3\nswitching = \"cut-through\"\n";
            let program = format!("[program]\nmessage_cost_cycles = {cost}\n");
            let alone = makespan(&format!("{machine}{program}{collective}"));
            let step = format!("shape = [6]\n[[program.steps]]\nname = \"a\"\n{collective}");
            let step = makespan(&format!("{machine}{program}{step}"));
            assert_eq!(step, alone, "{asked}, {cost}");
        }
    }
}

/// A collective in chunks or by switches, on a cluster whose switches reduce.
fn chunked_case(number: u64) -> [String; 2] {
    let generator = &mut ChaCha12Rng::seed_from_u64(number);
    let mut one_of = |words: &[&str]| (*words.choose(generator).unwrap()).to_owned();
    let rates = ["true", "1", "3", "50"];
    let machine = format!(
        "[machine]\nkind = \"cluster\"\nnodes = {}\ndevices_per_node = {}\n\
         inside = {{ kind = \"switch\", hop_cycles = {}, latency_cycles = 3, reduce = {} }}\n\
         outside = {{ hop_cycles = 4, latency_cycles = 7, leaves = {{ nodes = 2 }}, rails = {}, spines = {}, reduce = {} }}\n\
         switching = \"cut-through\"\n",
        one_of(&["2", "3", "4"]),
        one_of(&["2", "3"]),
        one_of(&["1", "2"]),
        one_of(&rates),
        one_of(&["true", "false"]),
        one_of(&["1", "2"]),
        one_of(&rates),
    );
    let algorithms = ["\"ring\"", "\"direct\"", "\"in-switch\""];
    let hierarchical = format!(
        "{{ hierarchical = {{ inner = {}, outer = {}, chunks = {} }} }}",
        one_of(&algorithms),
        one_of(&algorithms),
        one_of(&["1", "2", "5"]),
    );
    let algorithm = one_of(&[&hierarchical, &hierarchical, &hierarchical, "\"in-switch\""]);
    let collective = format!(
        "kind = \"{}\"\nalgorithm = {algorithm}\nunits = {}\ncompute_cycles = {}\n",
        one_of(&["all-reduce", "reduce-scatter", "all-gather"]),
        one_of(&["1", "17", "96", "200"]),
        one_of(&["0", "0", "9"]),
    );
    // Chunks of switches.
    let chunks = if algorithm.contains("in-switch") { one_of(&["", "chunks = 3\n"]) } else { String::new() };
    let cost = one_of(&["0", "0", "2"]);
    [format!("{machine}[program]\nmessage_cost_cycles = {cost}\n"), format!("{collective}{chunks}")]
}

#[test]
fn a_collective_in_chunks_or_by_switches_takes_the_same_cycles_in_a_step() {
    for number in 0..200 {
        let [program, collective] = chunked_case(number);
        let alone = makespan(&format!("{program}{collective}"));
        let step = makespan(&format!("{program}[[program.steps]]\n{collective}"));
        assert_eq!(step, alone, "{number}: {program}{collective}");
    }
}

#[test]
fn collectives_in_chunks_are_written_out_as_steps() {
    let machine = "[machine]\nkind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\n\
                   inside = { kind = \"switch\", reduce = true }\n\
                   outside = { leaves = { nodes = 2 }, rails = true, spines = 1 }\n[program]\nshape = [2, 2]\n";
    let hierarchical = "kind = \"all-reduce\"\nunits = 8\n\
                        algorithm = { hierarchical = { inner = \"in-switch\", outer = \"ring\", chunks = 2 } }\n";
    let text = format!(
        "{machine}[[program.steps]]\nname = \"a\"\n{hierarchical}\
         [[program.steps]]\nname = \"b\"\ncompute_cycles = 5\nafter = [\"a\"]\n\
         [[program.steps]]\nname = \"c\"\n{hierarchical}iterations = 1\n"
    );
    // Steps do not take the keys of programs.
    assert!(errors(&text)[0].contains("unknown key \"iterations\""));
    let run = only_run(&text.replace("iterations = 1\n", ""));
    let steps = run.program.job.as_deref().unwrap().steps().to_vec();
    let after = |name: &str| steps.iter().find(|step| step.name == name).unwrap().after.clone();
    assert_eq!(steps.len(), 6 + 1 + 6);
    assert_eq!(after("a chunk 0 step 0 reduce-scatter"), [] as [usize; 0]);
    assert_eq!(after("a chunk 1 step 1 all-reduce"), [3, 1]);
    assert_eq!(after("b"), [5]);
    assert_eq!(after("c chunk 0 step 0 reduce-scatter"), [6]);
    // Repeated steps, and steps of a part of the ranks, which may not divide the groups of switches.
    let repeated = format!("{machine}iterations = 2\n[[program.steps]]\n{hierarchical}");
    assert!(makespan(&repeated) > 0);
    let divided = format!("{machine}[[program.steps]]\n{hierarchical}only = [[0, 0, 0]]\n");
    assert!(errors(&divided)[0].contains("only divides a group: rank 0 takes part and rank 1"));
    let pipeline = format!(
        "{}[[program.steps]]\nkind = \"pipeline\"\nover = [1]\nmicrobatches = 2\nschedule = \"gpipe\"\nunits = 4\n\
         forward = [{{ compute_cycles = 3 }}, {{ kind = \"all-gather\", units = 4, algorithm = {{ hierarchical = \
         {{ inner = \"ring\", outer = \"ring\", chunks = 2 }} }} }}]\nbackward = [{{ compute_cycles = 4 }}]\n",
        machine.replace("nodes = 2\n", "nodes = 4\n").replace("shape = [2, 2]", "shape = [4, 2]")
    );
    assert!(errors(&pipeline)[0].contains("a stage of the pipeline divides a group"));
}

#[test]
fn the_exchange_holds_for_the_steps_of_a_hierarchical_collective_that_have_it() {
    let text = |keys: &str| {
        let machine = CLUSTER.replace("nodes = 3", "nodes = 4").replace("units = 96", "units = 8");
        format!("{machine}{keys}\n")
    };
    let outer = |name: &str| {
        format!("algorithm = {{ hierarchical = {{ inner = \"ring\", outer = \"{name}\", chunks = 2 }} }}\n")
    };
    let time = |exchange: &str| makespan(&text(&format!("{}exchange = \"{exchange}\"", outer("swing"))));
    // Short vectors take fewer stages whole.
    assert!(time("whole") < time("halving"));
    let first = |keys: &str| errors(&text(keys)).remove(0);
    assert!(first(&format!("{}exchange = \"whole\"", outer("ring"))).contains("no choice of exchange"));
    let both = first(&format!("{}exchange = \"best\"", outer("swing")));
    assert!(both.contains("best") && both.contains("whole"), "{both}");
}
