//! Channels, folding and orders of messages: keys, notes and errors.

use super::*;

const CLUSTER: &str = "[machine]\nkind = \"cluster\"\nnodes = 3\ndevices_per_node = 2\n\
     inside = { kind = \"switch\", hop_cycles = 1, latency_cycles = 3 }\n\
     outside = { hop_cycles = 4, latency_cycles = 7, leaves = { nodes = 3 }, rails = true, spines = 1 }\n\
     switching = \"cut-through\"\n[program]\nkind = \"all-reduce\"\nunits = 96\n";

fn on_cluster(keys: &str) -> String {
    format!("{CLUSTER}{keys}\n")
}

#[test]
fn over_routers_the_order_of_messages_is_that_of_ranks() {
    let notes = |keys: &str| {
        let text = format!(
            "[machine]\nkind = \"torus\"\nshape = [4, 4]\nswitching = \"wormhole\"\n\
             [program]\nkind = \"all-to-all\"\nalgorithm = \"direct\"\nunits = 64\n{keys}"
        );
        scenario(&text).runs[0].program.notes.clone()
    };
    assert_eq!(notes(""), Vec::<String>::new());
    assert_eq!(
        notes("order = \"rotated\""),
        ["direct: over routers rank r sends to 0, 1, ..; program.order has no effect."]
    );
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
fn a_placement_that_splits_the_ranks_of_a_node_is_told() {
    let notes = |keys: &str| scenario(&on_cluster(keys)).runs.iter().flat_map(Run::notes).collect::<Vec<_>>();
    let split = "takes each 2 consecutive ranks for those of a node, but this placement spreads";
    let rings = |embeddings: &str| {
        let keys = format!("algorithm = \"ring\"\nchannels = 2\n[mapping]\nembeddings = [{embeddings}]");
        notes(&keys).into_iter().filter(|note| note.contains(split)).collect::<Vec<_>>()
    };
    assert_eq!(rings("\"standard\""), Vec::<String>::new());
    // The placement is the same on every machine, as the seed is.
    assert_eq!(rings("\"random\""), [format!("ring {split} 2 of 3 such groups over several nodes.")]);
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
    assert_eq!(
        first("algorithm = \"ring\"\nchannels = 2\nrings = [[0, 1], [1, 0], [0, 1]]"),
        "13:9: 3 rings on 2 channels, expected at most as many rings as channels"
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
    assert!(first(hierarchical).contains("program.channels of a collective in two levels"));
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
    let zero = asked(&format!("{tree}\nreduce = 0"), "algorithm = \"ring\"").unwrap();
    assert!(zero.contains("machine.reduce is 0, expected an integer from 1"), "{zero}");
    let over_routers = asked(&format!("{tree}\nreduce = true\nswitching = \"wormhole\""), alone).unwrap();
    assert!(over_routers.contains("reduction in switches over routers"), "{over_routers}");
    let outer = "algorithm = { hierarchical = { inner = \"ring\", outer = \"in-switch\" } }";
    assert_eq!(asked(&cluster(", reduce = true"), outer), None);
}

#[test]
fn spine_links_are_in_cycles_or_in_seconds() {
    let asked = |outside: &str| {
        let machine = format!(
            "kind = \"cluster\", nodes = 4, devices_per_node = 1, inside = {{ kind = \"none\" }}, \
             outside = {{ leaves = {{ nodes = 2 }}, hop_cycles = 2, latency_cycles = 3{outside} }}"
        );
        load_text(Path::new("s.toml"), &format!("machine = {{ {machine} }}\nprogram.kind = \"cc-cube\"\n"))
    };
    let refused = |outside: &str| asked(outside).unwrap_err().to_string();
    let cycles = |outside: &str| {
        let run = asked(outside).unwrap().runs.remove(0);
        let spine = run.machine.link_times().and_then(|times| times.last()).copied();
        spine.map(|time| (time.unit, time.latency))
    };
    let in_cycles = cycles(", spines = 1, spine_link = { hop_cycles = 5, latency_cycles = 7 }");
    assert_eq!(in_cycles, Some((5, 7)));
    let both = refused(", spines = 1, spine_link = { hop_cycles = 5, bandwidth = \"1 GB/s\" }");
    assert!(both.contains("machine.outside.spine_link.bandwidth beside cycles"), "{both}");
    let nowhere = refused(", spine_link = { hop_cycles = 5 }");
    assert!(nowhere.contains("without spines, expected the number of spines"), "{nowhere}");
}
