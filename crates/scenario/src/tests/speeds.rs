//! Links of different speed, and grids routed as networks.

use cubefold_topology::{GraphSource, LinkTime, TieRule};

use super::*;

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n";
const XOR: &str = "[mapping]\nembeddings = [\"xor\"]\n";

/// The only run of a torus of 4x4 under `xor`, with these keys of the machine, followed by `rest`.
fn run(machine: &str, rest: &str) -> Run {
    scenario(&format!("{TORUS}{machine}\n{XOR}{rest}")).runs.remove(0)
}

fn times(run: &Run) -> Option<Vec<(u64, u64)>> {
    let pair = |time: &LinkTime| (time.unit, time.latency);
    run.machine.link_times().map(|times| times.iter().map(pair).collect())
}

#[test]
fn keys_of_links_have_a_value_for_each_class() {
    let by_class = run("hop_cycles = [1, 3]\nlatency_cycles = 7", "");
    assert_eq!(times(&by_class), Some(vec![(1, 7), (3, 7)]));
    // Bounds take the longest.
    assert_eq!((by_class.communication.hop().get(), by_class.communication.latency().get()), (3, 7));
    let links = "link = [{ bandwidth = \"900 GB/s\" }, { bandwidth = \"50 GB/s\", latency = \"1 us\" }]";
    assert_eq!(times(&run(links, "")), Some(vec![(1, 0), (18, 14045)]));
    let swept = scenario(&format!("{TORUS}{XOR}[sweep]\n\"machine.hop_cycles\" = [[1, 2], [2, 1], 2]\n"));
    let found: Vec<_> = swept.runs.iter().map(times).collect();
    assert_eq!(found, [Some(vec![(1, 0), (2, 0)]), Some(vec![(2, 0), (1, 0)]), None]);
    // Placements of one shape are kept, each with the times of its machine.
    let placed = swept.runs.iter().map(|run| run.placement.machine().link_times().map(<[_]>::len));
    assert_eq!(placed.collect::<Vec<_>>(), [Some(2), Some(2), None]);
    let tree = "[machine]\nkind = \"fat-tree\"\narity = 2\nlevels = 3\nhop_cycles = [1, 2, 4]\n\
                [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 8\n";
    assert_eq!(times(&scenario(tree).runs[0]), Some(vec![(1, 0), (2, 0), (4, 0)]));
    let partition = run("hop_cycles = [1, 3]\npartition = { base = [0, 0], shape = [2, 4] }", "");
    assert_eq!(times(&partition), Some(vec![(1, 0), (3, 0)]));
}

#[test]
fn equal_values_are_one_value() {
    let link = "{ bandwidth = \"50 GB/s\", latency = \"400 ns\" }";
    for (listed, one) in [
        (
            "hop_cycles = [2, 2]\nlatency_cycles = [3, 3]".to_owned(),
            "hop_cycles = 2\nlatency_cycles = 3".to_owned(),
        ),
        (format!("link = [{link}, {link}]"), format!("link = {link}")),
    ] {
        let [listed, one] = [listed, one].map(|keys| run(&keys, ""));
        assert_eq!((times(&listed), &listed.machine), (None, &one.machine));
        assert_eq!((listed.communication, listed.scale), (one.communication, one.scale));
    }
}

#[test]
fn what_is_wrong_with_a_list_is_told_at_its_place() {
    let wrong = |keys: &str| errors(&format!("{TORUS}{keys}\n{XOR}"));
    let three =
        "3 entries in machine.hop_cycles, expected 2, one for each class of links: dimension 1, dimension 2";
    assert_eq!(wrong("hop_cycles = [1, 2, 3]"), [format!("4:14: {three}")]);
    assert_eq!(
        wrong("hop_cycles = [1, 0]\nlatency_cycles = [\"x\", 1]"),
        [
            "4:18: entry of machine.hop_cycles is 0, expected an integer from 1 to 2^63 - 1",
            "5:19: entry of machine.latency_cycles is \"x\", expected an integer from 0 to 2^63 - 1",
        ]
    );
    assert_eq!(
        wrong("link = [{ bandwidth = \"1 GB/s\" }, { latency = \"1 us\" }]"),
        ["4:35: entry of machine.link.bandwidth is missing, expected a bandwidth such as \"50 GB/s\""]
    );
    let mesh = "machine = { kind = \"full-mesh\", nodes = 4, hop_cycles = [1, 2] }\nmapping.embeddings = [\"standard\"]\n";
    assert_eq!(
        errors(mesh),
        ["1:57: 2 entries in machine.hop_cycles, expected 1: all links of this machine are of one class"]
    );
}

#[test]
fn the_bandwidth_inside_nodes_counts() {
    let run = run(
        "link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }\nlocal = { bandwidth = \"400 GB/s\", latency = \"1 us\" }",
        "",
    );
    let local = run.communication.local_cost();
    assert_eq!((run.communication.hop().get(), local.unit.get(), local.latency.get()), (8, 1, 6250));
    let described = run.physical_links.unwrap().describe();
    assert_eq!(
        described,
        [
            "A cycle is 0.16 ns; a unit has 64 bytes.",
            "links: 50 GB/s, hop_cycles = 8 (exactly); 1000 ns, latency_cycles = 6242 (exactly).",
            "inside a node: 400 GB/s, local_unit_cycles = 1 (exactly); 1000 ns, local_latency_cycles = 6250 (exactly).",
        ]
    );
}

#[test]
fn grids_are_routed_as_networks_where_asked() {
    let routed =
        |machine: &str, routing: &str| run(machine, &format!("[execution]\nrouting = \"{routing}\"\n"));
    let plain = routed("", "lowest");
    assert_eq!(plain.machine.source(), Some(&GraphSource::Grid));
    assert!(plain.machine.failures().is_none() && plain.machine.order_tie().is_none());
    let failed = "failed_links = [[0, 1]]";
    assert_eq!(routed(failed, "spread").machine.order_tie(), None);
    let in_order = run(failed, "[execution]\ntie = \"negative\"\n");
    assert_eq!(in_order.machine.order_tie(), Some(TieRule::Negative));
    assert_eq!(routed(failed, "dimension-order").machine, run(failed, "").machine);
    let inside = routed("partition = { base = [0, 0], shape = [2, 4] }", "lowest");
    assert_eq!((inside.machine.node_count(), inside.machine.graph().is_some()), (8, true));
    let large =
        format!("[machine]\nkind = \"torus\"\nshape = [512, 512]\n{XOR}[execution]\nrouting = \"lowest\"\n");
    assert_eq!(errors(&large), ["7:11: routing lowest of 262144 nodes, expected at most 65536 (2^16)"]);
    let single = format!("{TORUS}links = \"single-direction\"\n{XOR}[execution]\nrouting = \"lowest\"\n");
    assert_eq!(
        errors(&single),
        ["4:9: single-direction links of a torus, expected full-duplex or half-duplex"]
    );
    let coordinated = format!("{TORUS}{XOR}[execution]\nmode = \"coordinated\"\nrouting = \"spread\"\n");
    assert_eq!(errors(&coordinated), ["7:8: coordinated execution on a torus, expected asynchronous"]);
}
