//! Channels, folding and orders of messages: keys, notes and errors.

use rand::{SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;

use super::{collectives::record, *};

const CLUSTER: &str = "[machine]\nkind = \"cluster\"\nnodes = 3\ndevices_per_node = 2\n\
     inside = { kind = \"switch\", hop_cycles = 1, latency_cycles = 3 }\n\
     outside = { hop_cycles = 4, latency_cycles = 7, leaves = { nodes = 3 }, rails = true, spines = 1 }\n\
     switching = \"cut-through\"\n[program]\nkind = \"all-reduce\"\nunits = 96\n";

fn on_cluster(keys: &str) -> String {
    format!("{CLUSTER}{keys}\n")
}

#[test]
fn assumptions_are_told() {
    let notes = |keys: &str| scenario(&on_cluster(keys)).runs[0].program.notes.clone();
    assert_eq!(
        notes("algorithm = \"direct\""),
        ["direct: rank r sends to r + 1, r + 2, .. (order = \"listed\": to 0, 1, ..)."]
    );
    assert_eq!(notes("algorithm = \"direct\"\norder = \"listed\""), Vec::<String>::new());
    assert_eq!(
        notes("algorithm = \"ring\""),
        ["one ring: a node sends over one of its 2 NICs; channels = \"nics\" runs one for each."]
    );
    assert_eq!(
        notes("algorithm = \"ring\"\nchannels = \"nics\""),
        [
            "2 rings, one from each of devices 0, 1.",
            "between the last node and the first the channels change rails."
        ]
    );
    assert_eq!(notes("algorithm = \"double-tree\""), ["trees ignore nodes without channels."]);
    assert_eq!(
        notes("algorithm = \"double-tree\"\nchannels = 3"),
        ["3 trees, one from each of devices 0, 1, 0."]
    );
    assert_eq!(notes("algorithm = \"swing\""), Vec::<String>::new());
}

#[test]
fn no_channels_are_reported_at_their_place() {
    let first = |keys: &str| errors(&on_cluster(keys)).remove(0);
    assert_eq!(
        first("algorithm = \"ring\"\nchannels = 65"),
        "12:12: program.channels is 65, expected an integer from 1 to 64, or \"nics\""
    );
    assert_eq!(
        first("algorithm = \"ring\"\nrings = [[0, 1]]"),
        "12:9: program.rings without program.channels, expected both"
    );
    assert!(
        first("algorithm = \"ring\"\nchannels = 2\nrings = [[0, 0]]")
            .starts_with("13:10: ring of program.rings")
    );
    assert!(
        first("algorithm = \"swing\"\nchannels = 2")
            .contains("channels of all-reduce by swing, expected ring")
    );
    assert!(first("algorithm = \"ring\"\nfold = \"tail\"").contains("program.fold for an algorithm"));
    let hierarchical = "algorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\nchannels = 2";
    assert!(first(hierarchical).contains("channels of a hierarchical algorithm"));
    // Groups across the nodes have a device of each.
    let across = "algorithm = \"ring\"\nshape = [2, 3]\nover = [1]\nchannels = 2";
    assert!(first(across).contains("channels of groups of 3 ranks, 2 a node, expected whole nodes"));
    let inside = "algorithm = \"ring\"\nshape = [2, 3]\nover = [0]\nchannels = 2";
    assert_eq!(scenario(&on_cluster(inside)).runs[0].program.body.process_count(), 12);
}

#[test]
fn compared_algorithms_have_the_channels_that_they_can_have() {
    let runs = scenario(&on_cluster("algorithm = [\"ring\", \"swing\"]\nchannels = 2")).runs;
    let shares = |run: &Run| run.program.collective.as_deref().unwrap().share_count();
    assert_eq!(runs.iter().map(shares).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn a_step_of_a_job_has_the_message_costs_of_its_collective_alone() {
    for asked in ["ring", "direct", "recursive-doubling", "tree", "double-tree"] {
        for cost in [0, 1, 7] {
            let own = format!("kind = \"all-reduce\"\nalgorithm = \"{asked}\"\nunits = 90\n");
            let machine = "[machine]\nkind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 3\nspines = 2\n\
                           latency_cycles = 3\nswitching = \"cut-through\"\n";
            let program = format!("[program]\nmessage_cost_cycles = {cost}\n");
            let makespan = |program: &str| {
                let run = scenario(&format!("{machine}{program}")).runs.remove(0);
                record(&run).makespan_cycles.unwrap()
            };
            let alone = makespan(&format!("{program}{own}"));
            let step = makespan(&format!("{program}shape = [6]\n[[program.steps]]\nname = \"a\"\n{own}"));
            assert_eq!(step, alone, "{asked}, {cost}");
        }
    }
}

#[test]
fn switches_reduce_only_where_the_machine_says_so() {
    let asked = |machine: &str, program: &str| {
        let text = format!("[machine]\n{machine}\n[program]\nkind = \"all-reduce\"\nunits = 64\n{program}\n");
        let error = load_text(Path::new("s.toml"), &text).err();
        error.map(|errors| errors.to_string().lines().next().unwrap().to_owned())
    };
    let tree = "kind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 2\nspines = 1";
    let alone = "algorithm = \"in-switch\"";
    let error = asked(tree, alone).unwrap();
    assert!(error.contains("switches do not reduce, expected machine.reduce"), "{error}");
    assert_eq!(asked(&format!("{tree}\nreduce = true"), alone), None);
    let wrong = asked(&format!("{tree}\nreduce = \"yes\""), alone).unwrap();
    assert!(wrong.contains("machine.reduce is \"yes\", expected true, false, or the units"), "{wrong}");
    let several = asked(&format!("{tree}\nreduce = 4"), &format!("{alone}\nprocesses_per_node = 2")).unwrap();
    assert!(several.contains("in-switch with several processes a host"), "{several}");
    let cluster = |reduce: &str| {
        format!(
            "kind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\ninside = {{ kind = \"switch\" }}\n\
             outside = {{ leaves = {{ nodes = 2 }}, rails = true{reduce} }}"
        )
    };
    let inside = "algorithm = { hierarchical = { inner = \"in-switch\", outer = \"ring\" } }";
    let error = asked(&cluster(""), inside).unwrap();
    assert!(error.contains("expected machine.inside.reduce"), "{error}");
    // Rails without spines: device 0 of a node never meets device 1 of another.
    let error = asked(&cluster(", reduce = true"), alone).unwrap();
    assert!(error.contains("rank 0 meets no switch that is above all ranks of its group"), "{error}");
    let outer = "algorithm = { hierarchical = { inner = \"ring\", outer = \"in-switch\" } }";
    assert_eq!(asked(&cluster(", reduce = true"), outer), None);
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
        let makespan = |steps: &str| {
            let run = scenario(&format!("{program}{steps}")).runs.remove(0);
            record(&run).makespan_cycles.unwrap()
        };
        let alone = makespan(&collective);
        let step = makespan(&format!("[[program.steps]]\n{collective}"));
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
    // Keys of programs are none of steps.
    assert!(errors(&text)[0].contains("unknown key \"iterations\""));
    let run = scenario(&text.replace("iterations = 1\n", "")).runs.remove(0);
    let steps = run.program.job.as_deref().unwrap().steps().to_vec();
    let after = |name: &str| steps.iter().find(|step| step.name == name).unwrap().after.clone();
    assert_eq!(steps.len(), 6 + 1 + 6);
    assert_eq!(after("a chunk 0 step 0 reduce-scatter"), [] as [usize; 0]);
    assert_eq!(after("a chunk 1 step 1 all-reduce"), [3, 1]);
    assert_eq!(after("b"), [5]);
    assert_eq!(after("c chunk 0 step 0 reduce-scatter"), [6]);
    // Steps of iterations and of parts of the ranks, which may not divide the groups of switches.
    let repeated = format!("{machine}iterations = 2\n[[program.steps]]\n{hierarchical}");
    assert!(record(&scenario(&repeated).runs.remove(0)).makespan_cycles > Some(0));
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
    let makespan = |exchange: &str| {
        let run = scenario(&text(&format!("{}exchange = \"{exchange}\"", outer("swing")))).runs.remove(0);
        record(&run).makespan_cycles.unwrap()
    };
    // Short vectors take fewer stages whole.
    assert!(makespan("whole") < makespan("halving"));
    let first = |keys: &str| errors(&text(keys)).remove(0);
    assert!(first(&format!("{}exchange = \"whole\"", outer("ring"))).contains("no choice of exchange"));
    let both = first(&format!("{}exchange = \"best\"", outer("swing")));
    assert!(both.contains("best") && both.contains("whole"), "{both}");
}
