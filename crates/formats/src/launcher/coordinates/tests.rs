//! Coordinate maps in every form, their orders, and their errors.

use cubefold_topology::MachineKind;
use proptest::prelude::*;

use super::*;

fn torus(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Torus, lengths).unwrap()
}

fn order(text: &str, lengths: &[u64], listed: Option<&str>) -> Result<Vec<String>, String> {
    let map = CoordinateMap::parse(text).unwrap();
    let listed = listed.map(|list| HostList::parse(list).unwrap());
    let hosts = map.order(&torus(lengths), listed.as_ref()).map_err(|error| error.to_string())?;
    Ok(hosts.names().map(str::to_owned).collect())
}

const TABLE: &str = "host,x,y\nd,1,1\nb,1,0\nc,0,1\na,0,0\ne,2,0\nf,2,1\n";

#[test]
fn hosts_come_in_the_order_of_the_nodes() {
    assert_eq!(order(TABLE, &[3, 2], None).unwrap(), ["a", "b", "e", "c", "d", "f"]);
    // A job may be any box: its coordinates count from its corner.
    assert_eq!(order(TABLE, &[2, 2], Some("f\ne\nb\nd\n")).unwrap(), ["b", "e", "d", "f"]);
}

#[test]
fn other_tools_print_maps_as_well() {
    let cray = "NID NODENAME     TYPE    x_coord y_coord z_coord\n 4  c0-0c0s1n0   compute 0 0 1\n 0  c0-0c0s0n0   compute 0 0 0\n";
    let map = CoordinateMap::parse(cray).unwrap();
    assert_eq!((map.hosts["c0-0c0s1n0"].address.as_slice(), map.hosts.len()), (&[0, 0, 1][..], 2));
    let jax = "[TpuDevice(id=0, process_index=0, coords=(0,1,0), core_on_chip=0), TpuDevice(id=1, process_index=0, coords=(0,1,0), core_on_chip=1),\n TpuDevice(id=2, process_index=1, coords=(0,0,0), core_on_chip=0)]";
    let map = CoordinateMap::parse(jax).unwrap();
    assert_eq!((map.hosts.len(), map.hosts["1"].core), (3, 1));
    assert_eq!(map.hosts["2"].address, [0, 0, 0]);
    let slurm = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=node[2-3]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=node[0-1]\nSwitchName=s2 Level=1 LinkSpeed=1 Nodes=node[0-3] Switches=s[0-1]\n";
    assert_eq!(order(slurm, &[4], None).unwrap(), ["node2", "node3", "node0", "node1"]);
    assert_eq!(order(slurm, &[2], Some("node1,node3")).unwrap(), ["node3", "node1"]);
}

#[test]
fn coordinates_that_all_hosts_share_are_left_out_where_the_machine_has_fewer() {
    let flat = "[TpuDevice(id=0, coords=(1,0,0), core_on_chip=0), TpuDevice(id=1, coords=(0,0,0), core_on_chip=0),\n\
                TpuDevice(id=2, coords=(0,1,0), core_on_chip=0), TpuDevice(id=3, coords=(1,1,0), core_on_chip=0)]";
    assert_eq!(order(flat, &[2, 2], None).unwrap(), ["1", "0", "2", "3"]);
    let table = "host,x,y,z\na,3,0,1\nb,3,0,0\n";
    assert_eq!(order(table, &[2], Some("a\nb\n")).unwrap(), ["b", "a"]);
    assert_eq!(
        order("host,x,y,z\na,0,0,1\nb,0,1,0\n", &[2], None).unwrap_err(),
        "3 coordinates a host in the map, expected 1, the dimensions of the machine"
    );
}

#[test]
fn several_hosts_at_a_place_share_a_node_or_have_a_dimension_of_their_own() {
    let gemini = "NID NODENAME TYPE CORES X Y Z\n10 c0n0 compute 68 6 0 0\n11 c0n1 compute 68 6 0 0\n\
                  12 c0n2 compute 68 6 0 1\n13 c0n3 compute 68 6 0 1\n14 c0n4 service 4 7 0 1\n";
    let all = ["c0n0", "c0n1", "c0n2", "c0n3"];
    let list = "nid00013\nnid00012\nnid00011\nnid00010\n";
    let ordered = CoordinateMap::parse(gemini).unwrap();
    let listed = HostList::parse(list).unwrap();
    let ordered = ordered.order(&torus(&[2]), Some(&listed)).unwrap();
    assert_eq!(ordered.names().collect::<Vec<_>>(), ["nid00011", "nid00010", "nid00013", "nid00012"]);
    assert_eq!(
        (ordered.hosts_per_node(), ordered.place_of_listed(0), ordered.place_of_listed(3)),
        (2, Some(2), Some(1))
    );
    assert_eq!(
        order(gemini, &[2, 2], Some("c0n0,c0n1,c0n2,c0n3")).unwrap(),
        ["c0n0", "c0n2", "c0n1", "c0n3"]
    );
    assert_eq!(order(gemini, &[2], Some("c0n0,c0n1,c0n2,c0n3")).unwrap(), all);
    assert_eq!(
        order(gemini, &[2], Some("c0n0,c0n1,c0n2")).unwrap_err(),
        "2 at (0), 1 at (1), expected the same number of hosts at every place"
    );
}

#[test]
fn fields_of_the_system_database_are_read() {
    let text = "# field=value\ncpu=0,slot=1,x_coord=0,y_coord=0,z_coord=0,processor_type='compute',processor_id=4\n\
                cpu=1,slot=1,x_coord=1,y_coord=0,z_coord=0,processor_type='compute',processor_id=5\n\
                cpu=1,slot=0,x_coord=1,y_coord=0,z_coord=0,processor_type='service',processor_id=1\n";
    assert_eq!(order(text, &[2], None).unwrap(), ["nid00004", "nid00005"]);
    let wrong = CoordinateMap::parse("x_coord=0,cpu=1\n").unwrap_err();
    assert_eq!(wrong.kept()[0].message, "line is \"x_coord=0,cpu=1\", expected processor_id= and x_coord=");
}

#[test]
fn devices_of_several_slices_have_their_slice_as_last_coordinate() {
    let device = |id: u32, x: u32, slice: u32| {
        format!(
            "MegaScalePjRtDevice(wrapped=TpuDevice(id={id}, process_index=0, coords=({x},0,0), core_on_chip=0), slice_id={slice})"
        )
    };
    let apart: Vec<String> =
        [(0, 0, 1), (1, 1, 1), (2, 0, 0), (3, 1, 0)].map(|(id, x, slice)| device(id, x, slice)).into();
    assert_eq!(order(&apart.join(", "), &[2, 2], None).unwrap(), ["2", "3", "0", "1"]);
    let shared: Vec<String> =
        [(0, 0, 0), (1, 1, 0), (0, 0, 1), (1, 1, 1)].map(|(id, x, slice)| device(id, x, slice)).into();
    assert_eq!(order(&shared.join(", "), &[2, 2], None).unwrap(), ["0/0", "0/1", "1/0", "1/1"]);
    assert_eq!(
        order(&shared.join(", "), &[4], None).unwrap_err(),
        "4 coordinates a host in the map (the last is slice_index), expected 1, the dimensions of the machine"
    );
    let plain = "[TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0, slice_index=0), TpuDevice(id=1, process_index=0, coords=(1,0,0), core_on_chip=0, slice_index=0)]";
    assert_eq!(order(plain, &[2], None).unwrap(), ["0", "1"]);
}

#[test]
fn hosts_keep_their_slots_in_another_order() {
    let list = HostList::parse("b slots=2\na slots=1\n").unwrap();
    let ordered =
        CoordinateMap::parse("host,x\na,0\nb,1\n").unwrap().order(&torus(&[2]), Some(&list)).unwrap();
    let lacking = ordered.lacking(|_| 2).unwrap();
    assert_eq!((lacking.name, lacking.slots, lacking.line), ("a", 1, 2));
}

#[test]
fn a_map_that_is_not_the_machine_is_refused() {
    let refused = |lengths: &[u64], listed, expected: &str| {
        assert_eq!(order(TABLE, lengths, listed).unwrap_err(), expected);
    };
    refused(&[3, 2, 2], None, "2 coordinates a host in the map, expected 3, the dimensions of the machine");
    let outside = "host e (line 6) is at (2, 0), expected coordinates below the lengths of the machine";
    refused(&[2, 2], None, outside);
    refused(&[3, 3], None, "no host at (0, 2), expected one for each of 9 nodes");
    refused(&[2, 2], Some("a\nx\n"), "host x (line 2 of the list) is not in the coordinate map");
    let twice = order("host,x\na,0\nb,0\n", &[2], None).unwrap_err();
    assert_eq!(twice, "hosts a (line 2) and b (line 3) are both at (0), expected one host a node");
}

#[test]
fn everything_wrong_with_a_map_is_reported() {
    let reported = |text: &str| CoordinateMap::parse(text).unwrap_err().written();
    assert_eq!(
        reported("host,x\na,1\na,2\nb,z\nc\n"),
        [
            "11..14: host \"a\" a second time, expected every host once",
            "17..18: x is \"z\", expected an integer from 0 to 4294967295",
            "19..20: 1 columns, expected 2 as in the header",
        ]
    );
    assert_eq!(reported("")[0], "0..0: no host with coordinates, expected a table with a line for each");
    assert!(reported("rack,slot\n")[0].starts_with("0..9: header is \"rack,slot\", expected a column host"));
    assert!(reported("TpuDevice(id=x, coords=(0,0))")[0].starts_with("13..14: id is \"x\""));
    assert!(reported("SwitchName=s Nodes=a[1\n")[0].starts_with("0..22: nodes are"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Maps with some bytes replaced, cut or doubled give an order, or errors with positions.
    #[test]
    fn no_map_and_no_list_is_too_strange(
        base in 0_usize..5,
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), "[-0-9a-z,=()\\[\\] :\n#]{0,3}"), 1..6),
    ) {
        let mut text = [
            TABLE,
            "NID NODENAME x_coord y_coord\n 4 c0 0 1\n 0 c1 0 0\n",
            "[TpuDevice(id=0, process_index=0, coords=(0,1), core_on_chip=0)]",
            "SwitchName=s0 Level=0 Nodes=node[2-3]\nSwitchName=s2 Level=1 Switches=s[0-0]\n",
            "node[000-255,300]:4\nalpha slots=4 max_slots=8\nalpha,b\n",
        ][base].to_owned();
        for (place, inserted) in edits {
            let place = place.index(text.len() + 1);
            let end = (place + inserted.len() / 2).min(text.len());
            text.replace_range(place..end, &inserted);
        }
        let diagnostics = CoordinateMap::parse(&text)
            .map(|map| { let _ = map.order(&torus(&[3, 2]), None); })
            .err()
            .into_iter()
            .chain(HostList::parse(&text).err());
        for diagnostics in diagnostics {
            prop_assert!(!diagnostics.kept().is_empty());
            for one in diagnostics.kept() {
                prop_assert!(one.span.start <= one.span.end && one.span.end <= text.len());
            }
        }
    }
}
