use cubefold_topology::{Machine, MachineKind, Partition};

use super::*;

fn mesh(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Mesh, lengths).unwrap()
}

/// The placement of a file with this text, or its errors as `line:column: message`.
fn read_text(text: &[u8], dimensions: u64, machine: &Machine) -> Result<Placement, Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.csv");
    std::fs::write(&path, text).unwrap();
    let region = Region { machine, partition: None, allocation: None };
    read(&path, 1 << dimensions, region, &Budget::default()).map_err(|failure| {
        let texts = failure.texts(directory.path());
        texts.iter().map(|text| text.replace("p.csv:", "")).collect()
    })
}

fn errors(text: &str) -> Vec<String> {
    read_text(text.as_bytes(), 2, &mesh(&[3, 2])).unwrap_err()
}

#[test]
fn rows_may_stand_in_any_order_and_nodes_may_stay_empty() {
    let text = b"process,p_1,p_2\n3,2,1\n0,0,0\n\n2,1,1\r\n1,2,0\n";
    let placement = read_text(text, 2, &mesh(&[3, 2])).unwrap();
    let nodes: Vec<u32> = placement.nodes().iter().map(|node| node.index()).collect();
    assert_eq!(nodes, [0, 2, 4, 5]);
}

#[test]
fn every_wrong_field_is_marked() {
    assert_eq!(
        errors("process,p_1,p_2\r\n0,0,0\r\n\r\n9,x,0\r\n1,3,2\r\n2,-1,\r\n3,1\r\n"),
        [
            "4:1: process is 9, expected an integer from 0 to 3",
            "4:3: p_1 is \"x\", expected an integer from 0 to 2",
            "5:3: p_1 is 3, expected an integer from 0 to 2",
            "5:5: p_2 is 2, expected an integer from 0 to 1",
            "6:3: p_1 is \"-1\", expected an integer from 0 to 2",
            "6:6: p_2 is \"\", expected an integer from 0 to 1",
            "7:1: 2 fields, expected 3",
        ]
    );
}

#[test]
fn headers_are_as_place_writes_them() {
    assert_eq!(errors(""), ["1:1: an empty file, expected \"process,p_1,p_2\""]);
    assert_eq!(errors("process,p_1\n0,0\n"), ["1:1: wrong header, expected \"process,p_1,p_2\""]);
    assert_eq!(
        errors("process,x,y\n0,0,0\n1,1,0\n2,2,0\n3,0,7\n"),
        ["1:1: wrong header, expected \"process,p_1,p_2\"", "5:5: p_2 is 7, expected an integer from 0 to 1"]
    );
}

#[test]
fn processes_have_one_row_each() {
    assert_eq!(
        errors("process,p_1,p_2\n2,0,0\n0,1,0\n2,2,0\n"),
        [
            "4:1: process 2 a second time, expected every process once",
            "1:1: no row for process 1, 3, expected a row for each of 0 to 3"
        ]
    );
    let none = read_text(b"process,p_1,p_2\n40,0,0\n", 6, &mesh(&[8, 8])).unwrap_err();
    assert_eq!(none, ["1:1: no row for process 0 to 39, 41 to 63, expected a row for each of 0 to 63"]);
}

#[test]
fn processes_may_share_a_node() {
    let text = b"process,p_1,p_2\n3,1,1\n2,0,0\n1,1,1\n0,2,0\n";
    let Placement::Table(table) = read_text(text, 2, &mesh(&[3, 2])).unwrap() else {
        panic!("a file gives a table");
    };
    let on_node: Vec<u32> = table.processes(NodeId::new(4)).map(ProcessId::label).collect();
    assert_eq!((on_node, table.max_load()), (vec![1, 3], 2));
}

#[test]
fn coordinates_are_those_of_the_whole_machine_in_a_partition() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.csv");
    let partition = Partition::new(&mesh(&[6, 5]), &[2, 1], &[2, 2]).unwrap();
    let region = Region { machine: partition.inside(), partition: Some(&partition), allocation: None };
    std::fs::write(&path, "process,p_1,p_2\n0,3,2\n1,2,1\n").unwrap();
    let placement = read(&path, 2, region, &Budget::default()).unwrap();
    assert_eq!(placement.nodes(), [NodeId::new(3), NodeId::new(0)]);
    std::fs::write(&path, "process,p_1,p_2\n0,1,2\n1,2,3\n").unwrap();
    let Err(Failure::Wrong(errors)) = read(&path, 2, region, &Budget::default()) else {
        panic!("both are outside");
    };
    assert!(errors[0].to_string().ends_with("p_1 is 1, expected an integer from 2 to 3"));
    assert!(errors[1].to_string().ends_with("p_2 is 3, expected an integer from 1 to 2"));
}

#[test]
fn a_file_of_nonsense_shows_twenty_errors_and_counts_the_rest() {
    let rows = "x,0,0\n".repeat(100);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.csv");
    std::fs::write(&path, format!("process,p_1,p_2\n{rows}")).unwrap();
    let machine = mesh(&[3, 2]);
    let region = Region { machine: &machine, partition: None, allocation: None };
    let Err(Failure::Wrong(errors)) = read(&path, 4, region, &Budget::default()) else {
        panic!("no process has a row");
    };
    assert_eq!(errors.len(), 20);
    let help = miette::Diagnostic::help(&errors[19].report()).unwrap().to_string();
    assert_eq!(help, "and 80 more errors in this file");
}

#[test]
fn quotes_and_bytes_that_are_no_text_are_no_trouble() {
    let quoted = b"process,p_1,p_2\n\"0\",\"9\",0\n1,\xff,0\n2,0,1\n3,1,1\n";
    assert_eq!(
        read_text(quoted, 2, &mesh(&[3, 2])).unwrap_err(),
        [
            "2:1: p_1 is 9, expected an integer from 0 to 2",
            "3:3: p_1 is \"\u{fffd}\", expected an integer from 0 to 2"
        ]
    );
}

#[test]
fn a_tiny_file_for_a_huge_cube_costs_no_memory() {
    let machine = mesh(&[1 << 16, 1 << 16]);
    let told = read_text(b"process,p_1,p_2\n4294967295,0,0\n", 32, &machine).unwrap_err();
    assert_eq!(
        told,
        [format!("1:1: no row for process 0 to 4294967294, expected a row for each of 0 to {}", u32::MAX)]
    );
}
