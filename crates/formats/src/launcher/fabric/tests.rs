//! Files of every format, as written by sites and tools, and invalid files.

use super::*;

/// The network, or all errors with the wrong parts of the text.
fn read(text: &str) -> Result<Fabric, Vec<String>> {
    Fabric::parse(text).map_err(|diagnostics| {
        let written = |one: &crate::input::diagnostic::Diagnostic| {
            format!("{}: {}", &text[one.span.clone()], one.message)
        };
        diagnostics.kept().iter().map(written).collect()
    })
}

/// The hosts, the switches, and the links by name with their counts.
fn figures(text: &str) -> (Vec<String>, Vec<String>, Vec<(String, String, u64)>) {
    let fabric = read(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let hosts = fabric.hosts.unwrap_or(fabric.nodes);
    let names = |range: std::ops::Range<u32>| range.map(|node| fabric.name(node)).collect();
    let links = fabric.links.iter().map(|link| {
        let (one, other) = link.ends;
        (fabric.name(one), fabric.name(other), link.count)
    });
    (names(0..hosts), names(hosts..fabric.nodes), links.collect())
}

fn named(links: &[(String, String, u64)]) -> Vec<String> {
    links.iter().map(|(one, other, count)| format!("{one}-{other}x{count}")).collect()
}

#[test]
fn trees_of_slurm_are_read_in_any_case_with_continuations_and_several_roots() {
    let text = "# two spines\nswitchname=l1 nodes=n[1-2],\\\nn5\nSWITCHNAME=l2 Nodes=n[3-4] LinkSpeed=100\n\
        SwitchName=sp1 Switches=l[1-2] # all\nSwitchName = sp2 Switches = \"l[1-2]\"\n";
    let (hosts, switches, links) = figures(text);
    assert_eq!(hosts, ["n1", "n2", "n5", "n3", "n4"]);
    assert_eq!(switches, ["l1", "l2", "sp1", "sp2"]);
    assert_eq!(links.len(), 5 + 4);
    let printed = "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n\
        SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[2-3] Switches=(null)\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n0,n1\n";
    let (hosts, switches, links) = figures(printed);
    assert_eq!(hosts, ["n2", "n3", "n0", "n1"]);
    assert_eq!(switches, ["top", "s0", "s1"]);
    assert_eq!(named(&links), ["n2-s0x1", "n3-s0x1", "n0-s1x1", "n1-s1x1", "top-s0x1", "top-s1x1"]);
}

#[test]
fn misspelt_keys_of_slurm_that_would_lose_hosts_are_told() {
    let text = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Node=n[2-3]\nSwitchName=r Switches=a,b\n";
    assert_eq!(read(text).unwrap_err(), ["Node: unknown key \"Node\" of a line without Nodes and Switches"]);
}

#[test]
fn blocks_of_slurm_are_switches_under_switches() {
    let text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n";
    let (hosts, switches, links) = figures(text);
    assert_eq!((hosts.len(), links.len()), (4, 6));
    assert_eq!(switches, ["b1", "b2", "b1..b2"]);
    let eight: String =
        (1..=8).map(|block| format!("blockname=b{block} nodes=n{block}\n")).collect::<String>()
            + "BlockSizes=1,2,4\n";
    let (_, switches, _) = figures(&eight);
    assert_eq!(switches[8..], ["b1..b2", "b3..b4", "b5..b6", "b7..b8", "b1..b4", "b5..b8", "b1..b8"]);
    let printed = "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n\
        AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n";
    assert_eq!(figures(printed).1, ["b1", "b2", "b1..b2"]);
    let wrong = read("BlockName=b1 Nodes=n[1-2]\nBlockSizes=2,3\n").unwrap_err();
    assert_eq!(wrong, ["3: block size 3, expected numbers each of which is a multiple of the one before"]);
}

#[test]
fn yaml_topologies_of_slurm_are_read() {
    let text = "- topology: other\n  flat: true\n- topology: t\n  cluster_default: true\n  tree:\n    switches:\n      \
        - switch: root\n        children: s[1-2]\n      - switch: s1\n        nodes: n[1-2]\n      - switch: s2\n        nodes: n[3-4]\n";
    let fabric = read(text).unwrap();
    assert_eq!((fabric.hosts, fabric.nodes, fabric.links.len()), (Some(4), 7, 6));
    assert_eq!(fabric.notes, ["of 2 topologies t is read"]);
    let block = "- topology: b\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: b1\n        nodes: n[1-2]\n      \
        - block: b2\n        nodes: n[3-4]\n";
    assert_eq!(figures(block).1, ["b1", "b2", "b1..b2"]);
    let wrong =
        read("- topology: t\n  tree:\n    switches:\n      - switch: s1\n        nodes: n[1-\n").unwrap_err();
    assert!(wrong[0].starts_with("n[1-: nodes are \"n[1-\""), "{wrong:?}");
}

#[test]
fn fabrics_that_are_not_connected_are_named_in_one_error() {
    let text = "SwitchName=fabA Switches=l[1-2]\nSwitchName=fabB Switches=l[3-4]\nSwitchName=l1 Nodes=n[1-2]\n\
        SwitchName=l2 Nodes=n[3-4]\nSwitchName=l3 Nodes=n[5-6]\nSwitchName=l4 Nodes=n[7-8]\n";
    assert_eq!(
        read(text).unwrap_err(),
        [
            "fabB: 2 fabrics without a link between them, expected a connected network: fabA (4 hosts from n1) and fabB (4 hosts from n5)"
        ]
    );
    assert_eq!(
        read("0 1\n2 3\n").unwrap_err(),
        [
            ": 2 fabrics without a link between them, expected a connected network: the one of 0 (2 hosts) and the one of 2 (2 hosts)"
        ]
    );
}

#[test]
fn lists_count_parallel_links_in_one_direction_or_both() {
    let links = |text: &str| named(&figures(text).2);
    assert_eq!(links("0 1\n1 2\n1 2\n"), ["0-1x1", "1-2x2"]);
    assert_eq!(links("0 1\n1 0\n1 2\n2 1\n1 2\n2 1\n"), ["0-1x1", "1-2x2"]);
    let mixed = read("0 1\n1 0\n1 2\n").unwrap_err();
    assert!(mixed[0].contains("some links in both directions and others in one"), "{mixed:?}");
    let uneven = read("0 1\n1 0\n1 0\n").unwrap_err();
    assert!(uneven[0].contains("1 links one way and 2 the other way"), "{uneven:?}");
    assert_eq!(links("from,to,links\nb,a,3\na,c,\n"), ["b-ax3", "a-cx1"]);
    let from_1 = read("1 2\n2 3\n3 1\n").unwrap();
    assert_eq!((from_1.nodes, from_1.notes.len()), (3, 1));
}

#[test]
fn tables_have_columns_in_any_order_and_names_or_numbers() {
    let text = "latency,from,to,bandwidth\n1 us,n1,leaf,50 GB/s\n1 us,n2,leaf,50 GB/s\n500 ns,leaf,n3,\n";
    let fabric = read(text).unwrap();
    assert_eq!(fabric.names, ["n1", "leaf", "n2", "n3"]);
    assert_eq!(fabric.hosts, None);
    assert_eq!(fabric.links[2].speed.bandwidth, None);
    assert_eq!(
        fabric.links[0].speed.bandwidth.map(|bandwidth| bandwidth.to_string()),
        Some("50000000000".to_owned())
    );
    let numbered = read("from to hop_cycles latency_cycles\n0 1 2 5\n1 2 1 0\n").unwrap();
    assert!(numbered.names.is_empty());
    assert_eq!(numbered.links[0].speed.hop_cycles, Some(2));
    for (text, message) in [
        ("from,to,speed\n0,1,3\n", "speed: column \"speed\", expected from, to and any of links, bandwidth"),
        ("from,to,links\n0,1,0\n", "0: links 0, expected an integer from 1"),
        ("from,to,bandwidth\n0,1,5 parsecs\n", "5 parsecs: bandwidth \"5 parsecs\", expected a bandwidth"),
        ("from,to\n0\n", "0: 1 cell, expected 2 with both ends of a link"),
        (
            "from,to,bandwidth,hop_cycles\n0,1,5 GB/s,1\n",
            "from,to,bandwidth,hop_cycles: links in seconds and in cycles",
        ),
        (
            "from,to,bandwidth\n0,1,5 GB/s\n0,1,6 GB/s\n",
            "0,1,6 GB/s: links of different speed between 0 and 1",
        ),
        ("0 1\n2 x\n", "x: node \"x\", expected an integer from 0 to 1048575"),
        ("a b\nb b\n", "b b: a link of node b to itself, expected two nodes"),
        ("a b c\n", "a b c: 3 words, expected 2: the nodes at the ends of a link"),
    ] {
        let wrong = read(text).unwrap_err();
        assert!(wrong[0].starts_with(message), "{text}: {wrong:?}");
    }
}

#[test]
fn cables_of_ibnetdiscover_are_links_with_their_speed() {
    let text = "#\n# Topology file: generated on Mon\n#\nvendid=0x2c9\nswitchguid=0x1(1)\n\
Switch\t36 \"S-1\"\t\t# \"MF0;leaf1:MQM8700/U1\" enhanced port 0 lid 3 lmc 0\n\
[1]\t\"H-1\"[1](11)\t\t# \"node01 mlx5_0\" lid 5 4xHDR\n\
[2]\t\"H-2\"[1](12)\t\t# \"node02 mlx5_0\" lid 6 4xHDR\n\
[3]\t\"H-3\"[1](13)\t\t# \"node01 mlx5_1\" lid 7 4xHDR\n\
[37]\t\"H-9\"[1](19)\t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xHDR\n\n\
caguid=0x11\nCa\t1 \"H-1\"\t\t# \"node01 mlx5_0\"\n[1](11) \t\"S-1\"[1]\t\t# lid 5 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 3 4xHDR\n\n\
Ca\t1 \"H-2\"\t\t# \"node02 mlx5_0\"\n[1](12) \t\"S-1\"[2]\t\t# lid 6 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 3 4xHDR\n\n\
Ca\t1 \"H-3\"\t\t# \"node01 mlx5_1\"\n[1](13) \t\"S-1\"[3]\t\t# lid 7 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 3 4xHDR\n\n\
Ca\t1 \"H-9\"\t\t# \"Mellanox Technologies Aggregation Node\"\n[1](19) \t\"S-1\"[37]\t\t# lid 9 lmc 0 \"MF0\" lid 3 4xHDR\n";
    let (hosts, switches, links) = figures(text);
    assert_eq!((hosts, switches), (vec!["node01".to_owned(), "node02".to_owned()], vec!["S-1".to_owned()]));
    assert_eq!(links.iter().map(|link| link.2).collect::<Vec<_>>(), [2, 1]);
    let fabric = read(text).unwrap();
    assert_eq!(fabric.links[0].speed.bandwidth, Some(Ratio::from(25_000_000_000)));
    assert_eq!(fabric.notes, ["left out: 1 aggregation node inside switches"]);
    let unknown = text.replace("\"S-1\"[2]", "\"S-7\"[2]");
    assert!(read(&unknown).unwrap_err()[0].contains("a cable to \"S-7\", which is no node of the file"));
}

#[test]
fn link_lists_of_simulators_are_read() {
    let text = "5 2 5\n3 4\n0 3 400Gbps 0.0005ms 0\n1 3 400Gbps 500ns 0\n2 4 400Gbps 0.0005ms 0\n3 4 1600Gbps 0.001ms 0\n3 4 1600Gbps 1us 0.1\n";
    let (hosts, switches, links) = figures(text);
    assert_eq!((hosts.len(), switches), (3, vec!["3".to_owned(), "4".to_owned()]));
    assert_eq!(named(&links), ["0-3x1", "1-3x1", "2-4x1", "3-4x2"]);
    let fabric = read(text).unwrap();
    assert_eq!(fabric.links[0].speed.bandwidth, Some(Ratio::from(50_000_000_000)));
    assert_eq!(fabric.links[0].speed.latency, fabric.links[1].speed.latency);
    assert_eq!(fabric.notes, ["left out: the error rates of 1 link; no message is lost"]);
    let few = text.replacen("5 2 5", "5 2 6", 1);
    assert_eq!(read(&few).unwrap_err(), ["5 2 6: 5 links, expected 6"]);
    let slow = text.replacen("400Gbps", "400Gfoobps", 1);
    assert!(read(&slow).unwrap_err()[0].starts_with("0 3 400Gfoobps 0.0005ms 0: link is"));
}

#[test]
fn networks_of_astra_sim_are_products_of_rings_switches_and_meshes() {
    let text = "topology: [ Ring, Switch ] # two\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25.0 ] # GB/s\nlatency: [ 500.0, 1000.0 ]\n";
    let fabric = read(text).unwrap();
    assert_eq!((fabric.hosts, fabric.nodes, fabric.links.len()), (Some(8), 12, 8 + 8));
    assert_eq!(fabric.links[0].speed.bandwidth, Some(Ratio::from(50 << 30)));
    let mesh = "topology: [ FullyConnected ]\nnpus_count: [ 5 ]\nbandwidth: [ 50 ]\nlatency: [ 0 ]\n";
    assert_eq!(read(mesh).unwrap().links.len(), 10);
    let two = "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 0 ]\n";
    assert_eq!(named(&figures(two).2), ["0-1x1"]);
    let wrong =
        read("topology: [ Rng ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 0 ]\n").unwrap_err();
    assert_eq!(wrong, ["Rng: entry \"Rng\", expected Ring, FullyConnected or Switch"]);
}

#[test]
fn anynet_files_of_booksim_have_nodes_in_the_order_of_their_numbers() {
    let text = "router 0 node 1 node 0 router 1 15 router 2\nrouter 1 node 2 router 0 15\n";
    let fabric = read(text).unwrap();
    assert_eq!(fabric.names, ["node 0", "node 1", "node 2", "router 0", "router 1", "router 2"]);
    assert_eq!(
        named(&figures(text).2),
        [
            "node 0-router 0x1",
            "node 1-router 0x1",
            "node 2-router 1x1",
            "router 0-router 1x1",
            "router 0-router 2x1"
        ]
    );
    assert_eq!(fabric.links[3].speed.latency_cycles, Some(14));
    let uneven = "router 0 node 0 router 1 15\nrouter 1 node 1 router 0 5\n";
    assert!(read(uneven).unwrap_err()[0].contains("a link of 15 cycles and 5 back"));
}

#[test]
fn what_is_wrong_in_a_tree_is_told_at_its_place() {
    let text = "SwitchName=a Nodes=n[0-1]\nSwitchName=a Nodes=n1,n[\nNodes=n7\nSwitchName=b Switches=a,c\n";
    let wrong = read(text).unwrap_err();
    for expected in [
        "a: switch \"a\" a second time, expected every switch once",
        "n1: host \"n1\" a second time, expected every host once",
        "n[: nodes are \"n[\", expected names such as n[0-3]",
        "Nodes=n7: line is \"Nodes=n7\", expected SwitchName=.. or BlockName=..",
        "c: switch \"c\" has no line, expected one for every switch",
    ] {
        assert!(wrong.iter().any(|message| message == expected), "{expected}: {wrong:?}");
    }
    assert_eq!(
        read("SwitchName=s0 Nodes=n0\nSwitchName=top Switches=s0\n").unwrap_err(),
        [": 1 host, expected at least 2"]
    );
    assert!(read("").unwrap_err()[0].starts_with(": no links in what looks like a list of links"));
}

#[test]
fn a_column_of_a_table_says_which_nodes_are_hosts() {
    let table = "from,to,host\ns0,a,a\nb,s0,from\nc,s1,yes\ns0,s1,\nd,e,both\ns1,d,\n";
    let (hosts, switches, links) = figures(table);
    assert_eq!((hosts.join(" "), switches.join(" "), links.len()), ("a b c d e".into(), "s0 s1".into(), 6));
    let wrong = read(&table.replace("s0,a,a", "s0,a,x")).unwrap_err();
    assert_eq!(wrong, ["x: host \"x\", expected the name of an end, from, to, both or nothing"]);
}

/// A few characters stand for many names, repeatedly.
#[test]
fn lists_of_names_are_expanded_to_a_bound() {
    let mut reading = FabricReading::new("", "a Slurm topology");
    let mut count = || reading.names_at("n[0-1048575]", "nodes", |_| 0..0).len();
    assert_eq!(
        [count(), count(), count(), count(), count(), count()],
        [1 << 20, 1 << 20, 1 << 20, 1 << 20, 0, 0]
    );
    assert!(!reading.is_right());
}

/// The channels of a network whose links lead in one direction.
fn channels(text: &str) -> Vec<String> {
    let fabric = Fabric::parse_directed(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let of_link = |link: &FabricLink| {
        let (one, other) = link.ends;
        let both = [(one, other), (other, one)].into_iter().zip(link.directions);
        both.filter(|(_, is_listed)| *is_listed).map(|(ends, _)| ends).collect::<Vec<_>>()
    };
    let channels = fabric.links.iter().flat_map(of_link);
    channels.map(|(from, to)| format!("{}>{}", fabric.name(from), fabric.name(to))).collect()
}

#[test]
fn directed_links_keep_their_direction_in_every_format_that_gives_it() {
    let ring = ["1>0", "0>3", "2>1", "3>2"];
    for text in [
        "0 3\n3 2\n2 1\n1 0\n",
        "from,to\n0,3\n3,2\n2,1\n1,0\n",
        "digraph g { 0 -> 3; 3 -> 2 -> 1 -> 0 }\n",
        "strict digraph g { 3 -> 2 -> 1 -> 0 -> 3; 3 -> 2 }\n",
        "0 3 {'weight': 2}\n3 2 {}\n2 1 {}\n1 0 {}\n",
    ] {
        assert_eq!(channels(text), ring, "{text}");
    }
    assert_eq!(channels("digraph g { b -> a -> b; c -> b; a -> c }"), ["b>a", "a>b", "c>b", "a>c"]);
    for text in [
        "graph g { 0 -- 3 -- 2 -- 1 -- 0 }\n",
        "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=s2 Switches=s[0-1]\n",
        "router 0 node 0 router 1 5\nrouter 1 node 1\n",
    ] {
        let errors = Fabric::parse_directed(text).unwrap_err();
        let message = &errors.kept()[0].message;
        assert!(message.contains("does not say in which direction links lead"), "{text}: {message}");
    }
}
