//! Networks in files: their links, the order of their nodes, and their errors.

use super::*;

fn read_text(text: &str) -> Result<Machine, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("links.txt");
    std::fs::write(&path, text).unwrap();
    let fabric = read_fabric(&path, false, &Budget::default());
    let machine = fabric.map(|fabric| {
        let hosts = fabric.hosts.unwrap_or(fabric.nodes);
        let uplinks = FabricUplinks { cables: None, are_assumed: false };
        let hosts_forward = hosts == fabric.nodes;
        machine_of(&fabric, FabricNodes { hosts, hosts_forward, is_directed: false }, &uplinks)
    });
    machine.unwrap_or_else(|failure| Err(failure.texts(directory.path()).join("\n")))
}

#[test]
fn links_stand_a_line_each_with_remarks() {
    let machine = read_text("# a star\n0 1\n0,2 # the second\n\n0\t3\n").unwrap();
    assert_eq!((machine.node_count(), machine.link_count()), (4, 3));
}

#[test]
fn switches_of_a_tree_follow_its_hosts() {
    let text = "SwitchName=s0 Nodes=n[0-2]\nSwitchName=s1 Nodes=n3\nSwitchName=top Switches=s[0-1]\n";
    let machine = read_text(text).unwrap();
    assert_eq!((machine.host_count(), machine.node_count(), machine.link_count()), (4, 7, 6));
    let node = |number| machine.node(number).unwrap();
    assert_eq!((machine.distance(node(0), node(1)), machine.distance(node(0), node(3))), (2, 4));
    assert!(!machine.is_host(node(4)));
    assert_eq!(
        read_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n").unwrap_err(),
        "links.txt:2:12: 2 fabrics without a link between them, expected a connected network: \
         s0 (2 hosts from n0) and s1 (2 hosts from n2)"
    );
    assert_eq!(
        read_text("SwitchName=s0 Nodes=n0\nSwitchName=top Switches=s0\n").unwrap_err(),
        "links.txt:1:1: 1 host, expected at least 2"
    );
    assert_eq!(
        read_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=top Switches=s[0-1]\n").unwrap_err(),
        "links.txt:2:25: switch \"s1\" has no line, expected one for every switch"
    );
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    let wrong = read_text("0 1\n2 2\n1 x\n1\n0 1048576\n").unwrap_err();
    assert_eq!(
        wrong,
        "links.txt:2:1: a link of node 2 to itself, expected two nodes\n\
         links.txt:3:3: node \"x\", expected an integer from 0 to 1048575\n\
         links.txt:4:1: 1 word, expected 2: the nodes at the ends of a link\n\
         links.txt:5:3: node 1048576, expected an integer from 0 to 1048575"
    );
    assert_eq!(
        read_text("").unwrap_err(),
        "links.txt:1:1: no links in what looks like a list of links, expected at least one: \"0 1\" a line"
    );
    let parts = read_text("0 1\n2 3\n").unwrap_err();
    assert_eq!(
        parts,
        "links.txt:1:1: 2 fabrics without a link between them, expected a connected network: \
         the one of 0 (2 hosts) and the one of 2 (2 hosts)"
    );
}
