use cubefold_topology::LinkMode;

use super::*;

/// A scenario on the machine in `m.toml`.
const ON_FILE: &str = "machine = { file = \"m.toml\" }\n";

#[test]
fn keys_beside_the_file_override_it() {
    let text = "[machine]\nfile = \"m.toml\"\nhop_cycles = 5\n";
    let files = Files::new(&[
        ("s.toml", text),
        ("m.toml", "kind = \"ring\"\nshape = [8]\nlinks = 2\nhop_cycles = 3"),
    ]);
    let run = &files.load().unwrap().runs[0];
    assert_eq!((run.communication.hop().get(), run.communication.links()), (5, LinkMode::HalfDuplex));
}

#[test]
fn a_sweep_may_set_the_machine_file() {
    let text = "[sweep]\n\"machine.file\" = [\"a.toml\", \"b.toml\"]\n";
    let files = [
        ("s.toml", text),
        ("a.toml", "kind = \"ring\"\nshape = [8]"),
        ("b.toml", "kind = \"line\"\nshape = [4]"),
    ];
    let lengths: Vec<_> =
        Files::new(&files).load().unwrap().runs.iter().map(|run| run.machine.node_count()).collect();
    assert_eq!(lengths, [8, 8, 8, 4, 4, 4]);
}

#[test]
fn errors_in_a_machine_file_point_into_it() {
    let machine = "kind = \"rign\"\nshape = [8, 1]\nhopcycles = 3\nlinks = 4\n";
    assert_eq!(
        Files::new(&[("s.toml", ON_FILE), ("m.toml", machine)]).displayed(),
        [
            "m.toml:1:8: machine.kind is \"rign\", expected line, ring, mesh, torus, hypercube, cube-connected-cycles, wrapped-butterfly, butterfly, shuffle-exchange, de-bruijn, binary-tree, k-ary-tree, grammar, full-mesh, hyperx, dragonfly, fat-tree, cluster or network",
            "m.toml:2:13: length of dimension 2 is 1, expected at least 2",
            "m.toml:3:1: unknown key \"hopcycles\" in [machine], expected kind, shape, dimensions, edges, hosts, hosts_forward, directed, nodes, devices_per_node, nics_per_node, inside, nic, outside, hosts_per_switch, switches_per_group, global_links, groups, links_between_groups, global_latency_cycles, nics_per_host, nics_on, uplinks, lane, unit-of-linkspeed, paths, reduce, leaves, spines, arity, levels, grammar, size, twist, failed_links, failed_nodes, failure_seed, links, \
             hop_cycles, latency_cycles, switching, router, packet_units, arbitration, processors_per_node, local_latency_cycles, local_unit_cycles, link, unit_bytes, local, wrap, partition, allocation, host_names or file",
            "m.toml:4:9: machine.links is 4, expected full-duplex, half-duplex or single-direction, or 1, 2 or 3",
        ]
    );
    let broken = Files::new(&[("s.toml", ON_FILE), ("m.toml", "kind = ")]).displayed();
    assert_eq!(broken, ["m.toml:1:8: not TOML: a key without a value"]);
}

#[test]
fn the_shape_that_a_named_embedding_needs_may_be_in_the_machine_file() {
    let text = format!("{ON_FILE}[program]\ndimensions = 4\n");
    let files = Files::new(&[("s.toml", &text), ("m.toml", "kind = \"torus\"\nshape = [4, 6]\n")]);
    assert_eq!(
        files.displayed(),
        [
            "m.toml:2:13: length of dimension 2 is 6, expected a power of two for each field of xor and byweight"
        ]
    );
}

#[test]
fn files_that_are_not_there_are_errors_where_they_are_named() {
    let text = "[machine]\nfile = \"no.toml\"\n";
    assert_eq!(
        Files::new(&[("s.toml", text)]).displayed(),
        ["s.toml:2:8: machine file \"no.toml\" cannot be read: No such file or directory (os error 2)"]
    );
    let text = format!("{RING}[mapping]\nembeddings = [\"xor\", \"file:no.csv\"]");
    assert_eq!(
        errors(&text),
        ["5:22: embedding file:no.csv cannot be read: No such file or directory (os error 2)"]
    );
}

#[test]
fn a_file_that_is_not_there_is_an_error_wherever_it_is_named() {
    let text = format!("{RING}[mapping]\nembeddings = [\"file:no.csv\"]");
    let files = Files::new(&[("a.toml", &text), ("b.toml", &text)]);
    let paths = ["a.toml", "b.toml"].map(|name| files.directory.path().join(name));
    let errors = load(&paths).unwrap_err();
    let paths: Vec<_> = errors.iter().map(|error| files.without_directory(&error.path().display())).collect();
    assert_eq!(paths, ["a.toml", "b.toml"]);
}

#[test]
fn scenario_files_that_cannot_be_read_are_errors_without_a_place() {
    let errors: Vec<_> = load(&[PathBuf::from("no/such.toml"), PathBuf::from("nor/this.toml")])
        .unwrap_err()
        .iter()
        .map(|error| (error.to_string(), error.position()))
        .collect();
    let message = "no/such.toml: scenario file cannot be read: No such file or directory (os error 2)";
    assert_eq!((errors.len(), &errors[0]), (2, &(message.to_owned(), None)));
}

#[test]
fn scenario_files_that_are_no_text_are_errors() {
    let files = Files::new(&[("s.toml", "")]);
    fs::write(&files.scenario, b"name = \"\xff\"").unwrap();
    assert_eq!(
        files.displayed(),
        ["s.toml: scenario file is not UTF-8 text: byte 8 is the first that is not, expected a text file"]
    );
}

#[test]
fn the_errors_of_all_files_are_told() {
    let files = Files::new(&[("a.toml", "sed = 1"), ("b.toml", "[machine]\nkind = 3")]);
    let paths = ["a.toml", "b.toml"].map(|name| files.directory.path().join(name));
    let told = files.without_directory(&load(&paths).unwrap_err());
    let lines: Vec<&str> = told.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(lines, ["a.toml:1:1", "b.toml:1:2", "b.toml:2:8"]);
}

#[test]
fn a_machine_file_that_two_scenarios_share_is_complained_of_once() {
    let files = Files::new(&[("a.toml", ON_FILE), ("b.toml", ON_FILE), ("m.toml", "knd = 1")]);
    let paths = ["a.toml", "b.toml"].map(|name| files.directory.path().join(name));
    assert_eq!(load(&paths).unwrap_err().iter().len(), 1);
}

#[test]
fn a_placement_file_may_leave_nodes_empty_on_machines_of_any_lengths() {
    let text = "machine = { kind = \"mesh\", shape = [3, 5] }\nprogram.dimensions = 1\n\
                mapping.embeddings = [\"file:p.csv\"]\n";
    let files = Files::new(&[("s.toml", text), ("p.csv", "process,p_1,p_2\n1,2,4\n0,0,0\n")]);
    let run = &files.load().unwrap().runs[0];
    assert_eq!(run.embedding.to_string(), "file:p.csv");
    assert_eq!(nodes(run), [0, 14]);
}

#[test]
fn errors_in_a_placement_file_point_into_it_and_say_in_which_combinations() {
    let text = "machine.kind = \"mesh\"\nprogram.dimensions = 1\nmapping.embeddings = [\"file:p.csv\"]\n\
                [sweep]\n\"machine.shape\" = [[4, 4], [2, 2], [8, 8]]\n";
    let files = Files::new(&[("s.toml", text), ("p.csv", "process,p_1,p_2\n0,0,0\n1,3,0\n")]);
    assert_eq!(files.displayed(), ["p.csv:3:3: p_1 is 3, expected an integer from 0 to 1"]);
    assert_eq!(files.help(), "in 1 of 3 combinations: machine.shape = [2, 2]");
}

#[test]
fn a_placement_file_is_read_even_beside_a_rule_that_does_not_fit() {
    let text = "machine = { kind = \"mesh\", shape = [3, 5] }\nprogram.dimensions = 1\n\
                mapping.embeddings = [\"xor\", \"file:p.csv\"]\n";
    let files = Files::new(&[("s.toml", text), ("p.csv", "process,p_1,p_2\n1,3,4\n0,0,0\n")]);
    assert_eq!(
        files.displayed(),
        [
            "s.toml:1:37: length of dimension 1 is 3, expected a power of two for each field of xor",
            "s.toml:1:40: length of dimension 2 is 5, expected a power of two for each field of xor",
            "p.csv:2:3: p_1 is 3, expected an integer from 0 to 2",
        ]
    );
}
