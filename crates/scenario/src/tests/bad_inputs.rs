//! Single errors, with the exact place and message.

use super::*;

/// Names of machines, in the order of messages.
const KINDS: &str = "line, ring, mesh, torus, hypercube, cube-connected-cycles, wrapped-butterfly, butterfly, shuffle-exchange, de-bruijn, binary-tree, k-ary-tree, grammar, full-mesh, hyperx, dragonfly, fat-tree\
                     , cluster or network";

#[test]
fn what_has_to_be_there_is_missed_at_its_table() {
    let kind = format!("machine.kind is missing, expected {KINDS}");
    let shape = "machine.shape is missing, expected the length of each dimension: [8, 8]";
    check_whole(&[
        ("", &[format!("1:1: {kind}"), format!("1:1: {shape}")]),
        ("name = \"x\"\n[machine]", &[format!("2:2: {kind}"), format!("2:2: {shape}")]),
        ("[machine]\nkind = \"torus\"", &[format!("1:2: {shape}")]),
        (
            "[machine]\nkind = \"hypercube\"",
            &["1:2: machine.dimensions is missing, expected how many, or a shape of all 2".to_owned()],
        ),
    ]);
}

#[test]
fn shapes() {
    let errors =
        |kind: &str, shape: &str| errors(&format!("machine = {{ kind = \"{kind}\", shape = {shape} }}"));
    assert_eq!(
        errors("torus", "[1, 8, 0]"),
        [
            "1:38: length of dimension 1 is 1, expected at least 2",
            "1:44: length of dimension 3 is 0, expected at least 2",
        ]
    );
    assert_eq!(
        errors("torus", "[-4, 8.0]"),
        [
            "1:38: length of dimension 1 of machine.shape is -4, expected an integer from 2 to 2^32",
            "1:42: length of dimension 2 of machine.shape is 8.0, expected an integer from 2 to 2^32",
        ]
    );
    for (kind, shape, expected) in [
        ("torus", "[]", "1:37: machine.shape is an empty list, expected at least one entry"),
        ("torus", "\"8x8\"", "1:37: machine.shape is \"8x8\", expected a list of lengths"),
        ("mesh", "[65536, 65536, 2]", "1:36: 8589934592 nodes, expected at most 4294967296 (2^32)"),
        ("ring", "[4, 4]", "1:36: 2 lengths, expected 1: a ring has one dimension"),
    ] {
        assert_eq!(errors(kind, shape), [expected], "{shape}");
    }
}

#[test]
fn shapes_that_are_no_power_of_two_where_one_is_needed() {
    check_whole(&[
        (
            "machine = { kind = \"torus\", shape = [6, 8] }",
            &[
                "1:37: shape 6x8 has 48 nodes, expected a power of two: program.dimensions is its logarithm unless given",
            ],
        ),
        (
            "machine = { kind = \"torus\", shape = [6, 8, 10] }\nprogram.dimensions = 5\nmapping.embeddings = [\"gray\"]",
            &[
                "1:38: length of dimension 1 is 6, expected a power of two for each field of gray",
                "1:44: length of dimension 3 is 10, expected a power of two for each field of gray",
            ],
        ),
        (
            "machine = { kind = \"torus\", shape = [4, 8] }\nprogram.dimensions = 6",
            &[
                "1:37: shape 4x8 has 32 nodes for 64 processes, expected as many nodes as processes for standard, xor and byweight",
            ],
        ),
        (
            "machine = { kind = \"torus\", shape = [4, 8] }\nprogram.dimensions = 6\nmapping.embeddings = [\"file:p.csv\"]",
            &["3:23: embedding file:p.csv cannot be read: No such file or directory (os error 2)"],
        ),
    ]);
}

#[test]
fn hypercubes() {
    check_whole(&[
        (
            "machine = { kind = \"hypercube\", shape = [2, 4, 8] }",
            &[
                "1:45: length of dimension 2 is 4, expected 2: all lengths of a hypercube are 2",
                "1:48: length of dimension 3 is 8, expected 2: all lengths of a hypercube are 2",
            ],
        ),
        (
            "machine = { kind = \"hypercube\", dimensions = 33 }",
            &["1:46: machine.dimensions is 33, expected an integer from 1 to 32"],
        ),
        (
            "machine = { kind = \"torus\", dimensions = 6 }",
            &["1:42: machine.dimensions with a torus, expected machine.shape"],
        ),
        (
            "machine = { kind = \"hypercube\", dimensions = 2, shape = [2, 2] }",
            &["1:46: both machine.shape and machine.dimensions, expected one of them"],
        ),
    ]);
}

#[test]
fn wraps() {
    for (wrap, expected) in [
        ("[true]", "1:52: 1 wrap entries, expected 2, one for each dimension"),
        ("[true, false, true]", "1:52: 3 wrap entries, expected 2, one for each dimension"),
        ("[true, \"no\"]", "1:59: entry of machine.wrap is \"no\", expected true or false"),
        ("true", "1:52: machine.wrap is true, expected a list of true or false"),
    ] {
        let text = format!("machine = {{ kind = \"torus\", shape = [4, 4], wrap = {wrap} }}");
        assert_eq!(errors(&text), [expected]);
    }
}

#[test]
fn links_and_hops() {
    check(&[
        (
            "links = \"fullduplex\"",
            &["4:9: machine.links is \"fullduplex\", expected full-duplex, half-duplex or single-direction"],
        ),
        (
            "links = 0",
            &["4:9: machine.links is 0, expected full-duplex, half-duplex or single-direction, or 1, 2 or 3"],
        ),
        ("hop_cycles = 0", &["4:14: machine.hop_cycles is 0, expected an integer from 1 to 2^63 - 1"]),
        ("hop_cycles = -1", &["4:14: machine.hop_cycles is -1, expected an integer from 1 to 2^63 - 1"]),
        (
            "hop_cycles = 18446744073709551616",
            &["4:14: machine.hop_cycles is 18446744073709551616, expected an integer from 1 to 2^63 - 1"],
        ),
        (
            "packet_units = 9223372036854775808",
            &["4:16: machine.packet_units is 9223372036854775808, expected an integer from 1 to 2^63 - 1"],
        ),
        ("file = 3", &["4:8: machine.file is 3, expected a string"]),
    ]);
}

#[test]
fn programs() {
    check(&[
        (
            "[program]\nkind = \"cc\"",
            &[
                "5:8: program.kind is \"cc\", expected cc-cube, neighbour-exchange, divide-and-conquer, normal, stages, \
                 traffic, goal, chakra, trace, permutation, random-access, open-loop, all-reduce, reduce-scatter, all-gather, broadcast, reduce, gather, scatter, all-to-all, barrier, \
                 sequence or job",
            ],
        ),
        ("[program]\ndimensions = 0", &["5:14: program.dimensions is 0, expected an integer from 1 to 32"]),
        (
            "[program]\nstages = [0, 3, 1, 9]",
            &[
                "5:14: stage 1 uses dimension 3, expected 0 to 2",
                "5:20: stage 3 uses dimension 9, expected 0 to 2",
            ],
        ),
        ("[program]\nstages = []", &["5:10: program.stages is an empty list, expected at least one entry"]),
        (
            "[program]\nstages = \"ascending\"",
            &[
                "5:10: program.stages is \"ascending\", expected a list of dimensions, or ascend, descend, bitonic, br, permuted-br, degree-4 or minimum-alpha",
            ],
        ),
        (
            "[program]\nstages = [0, \"1\", -1]",
            &[
                "5:14: dimension of stage 1 is \"1\", expected an integer",
                "5:19: dimension of stage 2 is -1, expected an integer",
            ],
        ),
        (
            "[program]\ncompute_cycles = -1",
            &["5:18: program.compute_cycles is -1, expected an integer from 0 to 2^63 - 1"],
        ),
    ]);
}

#[test]
fn cycle_counts_that_would_overflow() {
    // S L T_a + T_c S M diameter: 3 T_a + T_c 3 * 8 * 4.
    check(&[(
        "hop_cycles = 1152921504606846976",
        &[
            "4:14: cycle count would overflow: up to 110680464442257309696 cycles, expected less than 9223372036854775808 (2^63)",
        ],
    )]);
    check(&[(
        "hop_cycles = 2\n[program]\ncompute_cycles = 9223372036854775807",
        &[
            "6:18: cycle count would overflow: up to 27670116110564327613 cycles, expected less than 9223372036854775808 (2^63)",
        ],
    )]);
    check_whole(&[(
        "machine = { kind = \"line\", shape = [4294967296], hop_cycles = 268435456 }",
        &[
            "1:63: cycle count would overflow: up to 36893488138829168640 cycles, expected less than 9223372036854775808 (2^63)",
        ],
    )]);
    let most = "program.compute_cycles may be at most 3074457345618258570 here";
    assert_eq!(help(&format!("{RING}[program]\ncompute_cycles = 3074457345618258571")), most);
    assert_eq!(scenario(&format!("{RING}[program]\ncompute_cycles = 3074457345618258570")).runs.len(), 3);
    // Two shifts, four processes per node: S L T_a + T_c S M diameter, 8 T_a + 2 * 8 * 1.
    let shared = |compute: u64| {
        format!(
            "machine = {{ kind = \"line\", shape = [2] }}\n[program]\nkind = \"neighbour-exchange\"\n\
             guest = {{ kind = \"line\", shape = [8] }}\ncompute_cycles = {compute}\n"
        )
    };
    let most = (u64::MAX / 2 - 16) / 8;
    assert_eq!(help(&shared(most + 1)), format!("program.compute_cycles may be at most {most} here"));
    assert_eq!(scenario(&shared(most)).runs.len(), 1);
}

#[test]
fn embeddings() {
    check(&[
        (
            "[mapping]\nembeddings = [\"xor\", \"byweihgt\", \"xor\", 3]",
            &[
                "5:22: embedding is \"byweihgt\", expected EMBEDDINGS",
                "5:34: embedding xor a second time, expected every embedding once",
                "5:41: embedding is 3, expected EMBEDDINGS",
            ],
        ),
        (
            "[mapping]\nembeddings = []",
            &["5:14: mapping.embeddings is an empty list, expected at least one entry"],
        ),
        (
            "[mapping]\nembeddings = \"xor\"",
            &["5:14: mapping.embeddings is \"xor\", expected a list of embeddings"],
        ),
        ("[mapping]\nembeddings = [\"file:\"]", &["5:15: embedding is \"file:\", expected EMBEDDINGS"]),
    ]);
}

#[test]
fn executions() {
    check(&[(
        "[execution]\nmode = \"async\"\ntie = \"first\"\ndimension_choice = 1\nphases = 0\nengine = \"fast\"",
        &[
            "5:8: execution.mode is \"async\", expected asynchronous or coordinated",
            "6:7: execution.tie is \"first\", expected direct, positive, negative, alternate or random",
            "7:20: execution.dimension_choice is 1, expected lowest or random",
            "8:10: execution.phases is 0, expected embedding, unlimited or a phase length of at least 1",
            "9:10: execution.engine is \"fast\", expected auto, hop or belt",
        ],
    )]);
}

#[test]
fn parts_of_what_is_known_are_refused() {
    check(&[
        (
            "[mapping]\nembeddings = [\"tao:simple\"]",
            &["5:15: embedding is \"tao:simple\", expected EMBEDDINGS"],
        ),
        (
            "[sweep]\n\"program.guest.shape\" = [1]",
            &["5:1: path \"program.guest.shape\" leads into program.guest"],
        ),
    ]);
}

#[test]
fn several_errors_at_once_come_in_the_order_of_the_file() {
    check_whole(&[(
        "nmae = \"x\"\nseed = -1\n[execution]\nmode = \"sync\"\n[machine]\nknid = \"ring\"\nshape = [1]\n\
         [program]\nstages = [\"0\"]\n[mapping]\nembeddings = [\"xr\"]\n[sweep]\n\"machine.linc\" = [1]\n",
        &[
            "1:1: unknown key \"nmae\", expected name, seed, machine, program, mapping, execution or sweep",
            "2:8: seed is -1, expected an integer from 0 to 2^63 - 1",
            "4:8: execution.mode is \"sync\", expected asynchronous or coordinated",
            // A misspelt `kind` is not also reported as missing.
            "6:1: unknown key \"knid\" in [machine], expected kind, shape, dimensions, edges, hosts, hosts_forward, directed, nodes, devices_per_node, nics_per_node, inside, nic, outside, hosts_per_switch, switches_per_group, global_links, groups, links_between_groups, global_latency_cycles, nics_per_host, nics_on, uplinks, lane, unit-of-linkspeed, paths, reduce, leaves, spines, arity, levels, grammar, size, twist, failed_links, failed_nodes, failure_seed, links, hop_cycles, latency_cycles, switching, router, packet_units, arbitration, processors_per_node, local_latency_cycles, local_unit_cycles, link, unit_bytes, local, wrap, partition, allocation, host_names or file",
            "7:10: length of dimension 1 is 1, expected at least 2",
            "9:11: dimension of stage 0 is \"0\", expected an integer",
            "11:15: embedding is \"xr\", expected EMBEDDINGS",
            "13:1: unknown path \"machine.linc\", expected a key of this file",
        ],
    )]);
}

#[test]
fn misspelt_names_are_corrected() {
    for (text, correction) in [
        ("[execution]\ntie = \"postive\"", "did you mean \"positive\"?"),
        ("[execution]\nphases = \"unlimted\"", "did you mean \"unlimited\"?"),
        ("[program]\nstages = \"bitonik\"", "did you mean \"bitonic\"?"),
        ("[mapping]\nembeddings = [\"grey\"]", "did you mean \"gray\"?"),
        ("[maping]", "did you mean \"mapping\"?"),
    ] {
        assert_eq!(help(&format!("{RING}{text}")), correction);
    }
    assert_eq!(help("machine = { kind = \"tours\", shape = [8] }"), "did you mean \"torus\"?");
    // The message lists all names.
    assert_eq!(help("machine = { kind = \"clique\", shape = [8] }"), "");
}

#[test]
fn patterns_name_failures_as_the_cause() {
    let text = |failures: &str, pattern: &str| {
        format!(
            "[machine]\nkind = \"torus\"\nshape = [4, 4]\nswitching = \"wormhole\"\nrouter.virtual_channels = 16\n\
             {failures}\n[program]\nkind = \"open-loop\"\nload = 0.1\npattern = {pattern}\n"
        )
    };
    assert_eq!(
        errors(&text("failed_links = [[0, 1]]", "\"tornado\"")),
        ["10:11: pattern tornado of 16 terminals of a torus with failures, expected a whole grid",]
    );
    assert_eq!(
        errors(&text("failed_nodes = [5]", "\"hotspot\"\nhotspots = [5]")),
        ["11:13: a hotspot without a terminal, expected a working host"]
    );
}
