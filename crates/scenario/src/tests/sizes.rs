//! Sizes of messages, the rules of the network, and bytes and seconds.

use cubefold_simulator::{EAGER_ALL, ServiceOrder, Switching};

use super::*;

const LINK: &str = "link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }\n";

/// The only run of a ring of 8 under `standard`, with these keys of the machine, followed by `rest`.
fn run(machine: &str, rest: &str) -> Run {
    scenario(&format!("{RING}{machine}{rest}\n[mapping]\nembeddings = [\"standard\"]\n")).runs.remove(0)
}

fn sizes(run: &Run) -> Vec<u64> {
    (0..run.program.body.stage_count()).map(|stage| run.program.body.max_units(stage)).collect()
}

#[test]
fn the_rules_of_the_network_are_those_written() {
    let plain = run("", "").communication;
    assert_eq!((plain.hop().get(), plain.latency().get(), plain.packet()), (1, 0, None));
    assert_eq!((plain.switching(), plain.service()), (Switching::StoreAndForward, ServiceOrder::FirstCome));
    assert_eq!((plain.eager(), plain.processors().get(), plain.local_cost().unit.get()), (0, 1, 0));
    let all = run(
        "hop_cycles = 2\nlatency_cycles = 7\nswitching = \"cut-through\"\npacket_units = 3\n\
         arbitration = \"round-robin\"\nprocessors_per_node = 4\nlocal_latency_cycles = 5\nlocal_unit_cycles = 6\n",
        "[execution]\neager_units = 9",
    )
    .communication;
    assert_eq!((all.hop().get(), all.latency().get()), (2, 7));
    assert_eq!((all.packet().unwrap().get(), all.processors().get(), all.eager()), (3, 4, 9));
    assert_eq!((all.switching(), all.service()), (Switching::CutThrough, ServiceOrder::RoundRobin));
    assert_eq!((all.local_cost().latency.get(), all.local_cost().unit.get()), (5, 6));
    assert_eq!(run("", "[execution]\neager_units = \"all\"").communication.eager(), EAGER_ALL);
}

#[test]
fn sizes_are_one_or_one_a_stage() {
    assert_eq!(sizes(&run("", "")), [1, 1, 1]);
    assert_eq!(sizes(&run("", "[program]\nunits = 5")), [5, 5, 5]);
    assert_eq!(sizes(&run("", "[program]\nunits = [4, 2, 1]")), [4, 2, 1]);
    let divide = "[program]\nkind = \"divide-and-conquer\"\nunits = 5\n";
    assert_eq!(sizes(&run("", divide)), [5; 7]);
    assert_eq!(sizes(&run("", &format!("{divide}halving = true"))), [5, 3, 2, 1, 2, 3, 5]);
    assert_eq!(sizes(&run("", "[program]\nkind = \"normal\"\nunits = 3")), [3, 3, 3]);
    let shuffled = "machine = { kind = \"shuffle-exchange\", dimensions = 3 }\n\
                    program = { kind = \"normal\", units = 3 }";
    assert_eq!(sizes(&scenario(shuffled).runs[0]), [3; 5]);
}

#[test]
fn bytes_and_seconds_become_units_and_cycles() {
    let converted = run(LINK, "[program]\nbytes = \"64 MiB\"\ncompute = \"513 ns\"");
    assert_eq!((converted.communication.hop().get(), converted.communication.latency().get()), (1, 312));
    assert_eq!((sizes(&converted), converted.program.bytes), (vec![1 << 20; 3], Some(64 << 20)));
    assert_eq!(converted.program.body.facts().compute.get(), 401);
    let scale = converted.scale.unwrap();
    assert_eq!((scale.cycle_nanoseconds().to_string().as_str(), scale.unit_bytes()), ("1.28", 64));
    let listed = run(LINK, "[program]\nbytes = [65, \"1 kB\", 1]\ncompute_cycles = 7");
    assert_eq!((sizes(&listed), listed.program.bytes), (vec![2, 16, 1], Some(1000)));
    assert_eq!((listed.program.body.facts().compute.get(), run("", "").scale), (7, None));
    let inside = run(
        &format!("{LINK}unit_bytes = 128\nlocal = {{ bandwidth = \"20 GB/s\", latency = \"1 us\" }}\n"),
        "[program]\nunits = 3",
    );
    assert_eq!((sizes(&inside), inside.program.bytes), (vec![3; 3], None));
    // A unit takes 2.56 ns on a link and 6.4 ns inside a node: a cycle is 1.28 ns, and the latency 781.25 of them.
    assert_eq!(inside.communication.hop().get(), 2);
    let local = inside.communication.local_cost();
    assert_eq!((local.latency.get(), local.unit.get()), (781, 5));
}

#[test]
fn a_value_nearer_to_the_run_replaces_the_other_way_to_say_it() {
    let swept = scenario(&format!(
        "{RING}{LINK}[program]\nbytes = 640\n[mapping]\nembeddings = [\"standard\"]\n\
         [sweep]\n\"program.units\" = [3]\n\"machine.hop_cycles\" = [2]\n"
    ));
    let run = &swept.runs[0];
    assert_eq!((run.communication.hop().get(), run.communication.latency().get()), (2, 0));
    assert_eq!((sizes(run), run.program.bytes, run.scale), (vec![3; 3], None, None));
}

#[test]
fn wrong_sizes_are_told_at_their_places() {
    check(&[
        ("[program]\nunits = 0", &["5:9: program.units is 0, expected an integer from 1 to 2^63 - 1"]),
        (
            "[program]\nunits = [1, -2, 1.5]",
            &[
                "5:13: program.units of stage 1 is -2, expected an integer from 1 to 2^63 - 1",
                "5:17: program.units of stage 2 is 1.5, expected an integer from 1 to 2^63 - 1",
            ],
        ),
        (
            "[program]\nunits = [1, 2]",
            &["5:9: program.units is a list of 2, expected 3 entries, one for each stage"],
        ),
        (
            "[program]\nkind = \"divide-and-conquer\"\nunits = [1]\nhalving = 1",
            &[
                "6:9: program.units is a list of 1, expected one value for all stages",
                "7:11: program.halving is 1, expected true or false",
            ],
        ),
        ("[program]\nhalving = true", &["5:11: program.halving with a cc-cube program, which has none"]),
        (
            "[program]\nbytes = \"64 MiB\"\ncompute = \"1 us\"",
            &[
                "5:9: program.bytes without machine.link, expected program.units",
                "6:11: program.compute without machine.link, expected program.compute_cycles",
            ],
        ),
    ]);
}

#[test]
fn wrong_bytes_and_seconds_are_told_at_their_places() {
    check(&[
        (
            "link = { bandwidth = \"50 GBs\", latency = 3 }\nlocal = { latency = \"1 ns\" }",
            &[
                "4:22: machine.link.bandwidth is \"50 GBs\", expected a bandwidth such as \"50 GB/s\"",
                "4:42: machine.link.latency is 3, expected a time such as \"400 ns\"",
                "5:9: machine.local.bandwidth is missing, expected a bandwidth such as \"50 GB/s\"",
            ],
        ),
        (
            "link = { bandwidth = \"0 GB/s\" }",
            &["4:22: machine.link.bandwidth is \"0 GB/s\", expected more than 0"],
        ),
        (
            "link = { bandwidth = \"1 GB/s\" }\nhop_cycles = 1\nlatency_cycles = 0",
            &[
                "5:14: both machine.hop_cycles and machine.link, expected one of them",
                "6:18: both machine.latency_cycles and machine.link, expected one of them",
            ],
        ),
        (
            "link = { bandwidth = \"1 GB/s\" }\n[program]\nbytes = 0\nunits = 1\n",
            &["6:9: both program.bytes and program.units, expected one of them"],
        ),
        (
            "link = { bandwidth = \"1 GB/s\" }\n[program]\nbytes = [0, \"3 MBs\", \"999999999 TB\"]\ncompute = \"3 m\"",
            &[
                "6:10: program.bytes of stage 0 is 0, expected at least 1 byte",
                "6:13: program.bytes of stage 1 is \"3 MBs\", expected a size such as \"64 MiB\"",
                "6:22: program.bytes of stage 2 is \"999999999 TB\", expected less than 2^63 units",
                "7:11: program.compute is \"3 m\", expected a time such as \"400 ns\"",
            ],
        ),
        (
            "unit_bytes = 8\nlocal = { bandwidth = \"1 GB/s\" }",
            &[
                "4:14: machine.unit_bytes without machine.link, expected nothing",
                "5:9: machine.local without machine.link, expected local_latency_cycles and local_unit_cycles",
            ],
        ),
    ]);
    let typo = format!("{RING}link = {{ bandwidth = \"50 GBs\" }}\n");
    assert_eq!(help(&typo), "did you mean \"50 GB/s\"?");
}

#[test]
fn rules_that_do_not_apply_are_refused_at_their_places() {
    check(&[
        (
            "switching = \"cut-through\"\npacket_units = 2\narbitration = \"round-robin\"\n\
             processors_per_node = 2\n[execution]\nmode = \"coordinated\"\neager_units = \"all\"",
            &[
                "4:13: cut-through switching in coordinated execution, expected store-and-forward",
                "5:16: packets in coordinated execution, expected whole messages",
                "6:15: round-robin arbitration in coordinated execution, expected first-come",
                "7:23: several processors a node in coordinated execution, expected 1",
                "10:15: eager messages in coordinated execution, expected 0",
            ],
        ),
        (
            "links = \"half-duplex\"\narbitration = \"round-robin\"",
            &["5:15: round-robin arbitration of half-duplex links, expected full-duplex"],
        ),
        (
            "packet_units = 0\nswitching = \"worm-hole\"\n[execution]\neager_units = \"some\"",
            &[
                "4:16: machine.packet_units is 0, expected an integer from 1 to 2^63 - 1",
                "5:13: machine.switching is \"worm-hole\", expected store-and-forward, cut-through, wormhole or virtual-cut-through",
                "7:15: execution.eager_units is \"some\", expected an integer from 0 to 2^63 - 1, or all",
            ],
        ),
        // Invalid values are not also reported for coordinated execution.
        (
            "switching = \"cut-thru\"\npacket_units = 0\narbitration = \"fair\"\nprocessors_per_node = 0\n\
             [execution]\nmode = \"coordinated\"\neager_units = \"some\"",
            &[
                "4:13: machine.switching is \"cut-thru\", expected store-and-forward, cut-through, wormhole or virtual-cut-through",
                "5:16: machine.packet_units is 0, expected an integer from 1 to 2^63 - 1",
                "6:15: machine.arbitration is \"fair\", expected first-come or round-robin",
                "7:23: machine.processors_per_node is 0, expected an integer from 1 to 2^63 - 1",
                "10:15: execution.eager_units is \"some\", expected an integer from 0 to 2^63 - 1, or all",
            ],
        ),
    ]);
    let defaults = "switching = \"store-and-forward\"\narbitration = \"first-come\"\nprocessors_per_node = 1\n\
                    [execution]\nmode = \"coordinated\"\neager_units = 0\n";
    assert_eq!(scenario(&format!("{RING}{defaults}")).runs.len(), 3);
}

#[test]
fn the_belt_engine_takes_sizes_that_differ_where_one_line_stands_for_all() {
    let belt = |units, embedding| {
        format!(
            "{RING}[program]\nunits = {units}\n[execution]\nengine = \"belt\"\n[mapping]\nembeddings = [\"{embedding}\"]"
        )
    };
    for units in ["5", "[1, 2, 3]"] {
        let refused = errors(&belt(units, "random"));
        assert_eq!(refused.len(), 1);
        assert!(refused[0].starts_with("7:10: engine belt does not apply to random: "), "{refused:?}");
        assert_eq!(scenario(&belt(units, "xor")).runs.len(), 1, "{units}");
    }
}

#[test]
fn bytes_on_links_that_a_higher_layer_has_in_cycles_are_reported() {
    let machine = "kind = \"torus\"\nshape = [4, 4]\nlink = { bandwidth = \"50 GB/s\" }\n";
    let text = "[machine]\nfile = \"m.toml\"\nhop_cycles = 2\n[program]\nbytes = \"64 KiB\"\n";
    let files = Files::new(&[("s.toml", text), ("m.toml", machine)]);
    let expected = "program.bytes without machine.link, expected program.units";
    assert_eq!(files.displayed(), [format!("s.toml:5:9: {expected}")]);
}

#[test]
fn cycle_counts_that_overflow_name_the_key_to_change() {
    let refused = |text: &str| {
        let text = format!("{RING}{text}");
        (errors(&text).remove(0).split(" would overflow").next().unwrap().to_owned(), help(&text))
    };
    let (place, advice) = refused("[program]\nunits = 9_000_000_000_000_000_000");
    assert_eq!(place, "5:9: cycle count");
    assert_eq!(advice, "program.units may be at most 96076792050570581 here");
    let (place, advice) = refused("latency_cycles = 9_000_000_000_000_000_000\n[program]\nunits = 2");
    assert_eq!(place, "4:18: cycle count");
    assert_eq!(advice, "machine.latency_cycles may be at most 96076792050570579 here");
    let of_bytes = |unit_bytes: u64| {
        format!(
            "link = {{ bandwidth = \"47 GB/s\" }}\nunit_bytes = {unit_bytes}\nlocal = {{ bandwidth = \"370 GB/s\" }}\n\
             [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"4000 TB\"\n"
        )
    };
    let (_, advice) = refused(&of_bytes(1));
    let units =
        advice.strip_prefix("machine.unit_bytes = ").and_then(|value| value.split(' ').next()?.parse().ok());
    assert!(!scenario(&format!("{RING}{}", of_bytes(units.expect(&advice)))).runs.is_empty());
}

const MESSAGES: &str = "stage,source,destination,units\n0,0,1,16\n2,3,0,4\n0,1,0,9\n";

/// A scenario with these messages on a 2 x 3 mesh and these keys of the program.
fn listed(messages: &str, program: &str) -> Files {
    let text = format!(
        "machine = {{ kind = \"mesh\", shape = [2, 3] }}\n[program]\nkind = \"stages\"\nfile = \"p.csv\"\n{program}\n"
    );
    Files::new(&[("s.toml", &text), ("p.csv", messages)])
}

#[test]
fn programs_come_from_files_of_messages() {
    let scenario = listed(MESSAGES, "").load().unwrap();
    let run = &scenario.runs[0];
    assert_eq!((run.program.body.process_count(), sizes(run)), (6, vec![16, 1, 4]));
    assert_eq!((scenario.runs.len(), run.embedding.to_string()), (1, "standard".to_owned()));
    assert!(scenario.inputs.iter().any(|path| path.ends_with("p.csv")));
    let nodes: Vec<u32> = run.placement.listed_nodes().iter().map(|node| node.index()).collect();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5]);
    let four = listed(MESSAGES, "processes = 4\ncompute_cycles = [3, 0, 5, 7]").load().unwrap();
    let program = &four.runs[0].program;
    assert_eq!((program.body.process_count(), program.body.stage_count()), (4, 4));
    assert_eq!((program.body.facts().compute.get(), program.body.facts().total_compute), (7, 4 * 15));
    let embeddings = "processes = 4\n[mapping]\nembeddings = [\"random\", \"standard\"]";
    assert_eq!(listed(MESSAGES, embeddings).load().unwrap().runs.len(), 2);
    let same = listed(MESSAGES, "compute_cycles = [3, 3, 3]").load().unwrap();
    assert!(same.runs[0].program.body.facts().has_one_compute_time);
}

#[test]
fn programs_of_2_to_the_d_processes_are_placed_as_cubes_are() {
    let text = "machine = { kind = \"torus\", shape = [4, 4] }\nprogram = { kind = \"stages\", file = \"p.csv\" }\n\
                mapping.embeddings = [\"standard\", \"xor\", \"gray\"]";
    let files = Files::new(&[("s.toml", text), ("p.csv", MESSAGES)]);
    let cube = scenario(&text.replace(", file = \"p.csv\"", "").replace("stages", "cc-cube"));
    for (from_file, of_cube) in files.load().unwrap().runs.iter().zip(&cube.runs) {
        assert_eq!(from_file.placement.listed_nodes(), of_cube.placement.listed_nodes());
    }
}

/// Errors in the rows, with the number of processes and in the keys are reported together, in the order of
/// the lines.
fn check_all_at_once() {
    let messages =
        "stage,source,destination,units\n0,0,9,1\n0,0,1,3\n1,8,1,0\n0,0,1,3\n2,7,7,1\n3,1,0\n0,9,1,1\n";
    let expected = [
        "s.toml:5:18: program.compute_cycles is a list of 1, expected at least 3 entries, one for each stage",
        "p.csv:2:5: destination is 9, expected a process from 0 to 5",
        "p.csv:4:3: source is 8, expected a process from 0 to 5",
        "p.csv:4:7: units is 0, expected an integer from 1 to 9223372036854775807",
        "p.csv:5:1: a second message from process 0 to process 1 in stage 0, expected one; the first is in line 3",
        "p.csv:6:3: source is 7, expected a process from 0 to 5",
        "p.csv:6:5: process 7 sends to itself, expected another process",
        "p.csv:7:1: 3 fields, expected 4",
        "p.csv:8:3: source is 9, expected a process from 0 to 5",
    ];
    // A row with another error does not count as a stage.
    let messages = format!("{messages}2,0,1,1\n");
    let files = listed(&messages, "compute_cycles = [1]");
    let displayed = files.displayed();
    assert_eq!(displayed, expected);
    let wrong_count = listed(&messages, "processes = 1").displayed();
    assert_eq!(wrong_count[0], "s.toml:5:13: program.processes is 1, expected an integer from 2 to 1048576");
    assert_eq!(wrong_count[1..], [expected[3], expected[4], expected[6], expected[7]]);
    let header = listed("source,stage,destination,units\n0,0,9,0\n", "").displayed();
    assert_eq!(header, ["p.csv:1:1: wrong header, expected \"stage,source,destination,units\""]);
}

#[test]
fn programs_from_files_that_do_not_fit_are_refused_at_their_places() {
    let displayed = |messages: &str, program: &str| listed(messages, program).displayed();
    assert_eq!(
        displayed(MESSAGES, "processes = 3\ncompute_cycles = [1, 2]"),
        [
            "s.toml:6:18: program.compute_cycles is a list of 2, expected at least 3 entries, one for each stage",
            "p.csv:3:3: source is 3, expected a process from 0 to 2",
        ]
    );
    let beyond = listed("stage,source,destination,units\n0,0,6,1\n", "");
    assert_eq!(beyond.displayed(), ["p.csv:2:5: destination is 6, expected a process from 0 to 5"]);
    assert_eq!(beyond.help(), "there is one process a node unless program.processes says how many");
    assert_eq!(
        displayed(MESSAGES, "processes = 7"),
        ["s.toml:5:13: 7 processes on 6 nodes, expected at most 6 for standard"]
    );
    assert_eq!(
        displayed(MESSAGES, "units = 3\n[mapping]\nembeddings = [\"xor\"]"),
        [
            "s.toml:5:9: program.units with a stages program, which has none",
            "s.toml:7:15: embedding xor of 6 processes, expected a d-cube",
        ]
    );
    assert_eq!(
        Files::new(&[("s.toml", &format!("{RING}[program]\nkind = \"stages\"\nprocesses = 1"))]).displayed(),
        [
            "s.toml:4:2: program.file is missing, expected the path of a file with a message a row",
            "s.toml:6:13: program.processes is 1, expected an integer from 2 to 1048576",
        ]
    );
    let missing = format!("{RING}[program]\nkind = \"stages\"\nfile = \"none.csv\"");
    assert!(errors(&missing)[0].starts_with("6:8: program file \"none.csv\" cannot be read: "));
    check_all_at_once();
    let many = (1..=65536).map(|other| format!("0,0,{other},1\n")).collect::<Vec<_>>().concat();
    let many = format!("stage,source,destination,units\n{many}");
    assert_eq!(
        displayed(&many, "processes = 65537"),
        ["s.toml:4:8: program.file \"p.csv\": node 0 has 65536 neighbours, expected at most 65535"]
    );
}

#[test]
#[ignore = "of speed: in release builds"]
fn a_million_rows_are_read_in_under_a_second() {
    let rows: Vec<String> = (0..1_000_000_u64)
        .map(|row| {
            format!("{},{},{},{}\n", row / 65536, row % 65536, (row + 1 + row / 65536) % 65536, row + 1)
        })
        .collect();
    let text = "machine = { kind = \"torus\", shape = [256, 256] }\nprogram = { kind = \"stages\", file = \"p.csv\" }";
    let files = Files::new(&[
        ("s.toml", text),
        ("p.csv", &format!("stage,source,destination,units\n{}", rows.concat())),
    ]);
    #[expect(clippy::disallowed_methods, reason = "it measures")]
    let begin = std::time::Instant::now();
    assert_eq!(files.load().unwrap().runs.len(), 1);
    assert!(begin.elapsed().as_millis() < 1000, "{:?}", begin.elapsed());
}
