//! Formats survive a round trip, and invalid files are reported.

mod clusters;

use std::fmt::Write as _;

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_topology::{Machine, MachineKind, NodeId, Partition};
use proptest::{collection, prelude::*};

use super::{HostList, HostOptions, LauncherError, LauncherFile, LauncherFormat, hosts::OrderedHost, read};
use crate::input::region::{Allocation, Region};

fn hosts(count: u64) -> HostList {
    let names = (0..count).fold(String::new(), |mut names, number| {
        writeln!(names, "n{number}").unwrap();
        names
    });
    HostList::parse(&names).unwrap()
}

/// The devices of a coordinate map, `each` per node, listed in reverse order and numbered in a third order.
fn devices(nodes: u64, each: u64) -> HostList {
    let count = nodes * each;
    let device =
        |place: u64| OrderedHost { name: ((place + 5) % count).to_string(), line: 1, rank: count - place };
    HostList::in_order((0..count).map(device).collect(), each, None)
}

fn written(
    format: LauncherFormat,
    region: Region<'_>,
    placement: &Placement,
    options: HostOptions<'_>,
) -> Result<String, LauncherError> {
    let file = LauncherFile::new(region, placement, format, options)?;
    let mut text = vec![];
    file.write(&mut text).unwrap();
    Ok(String::from_utf8(text).unwrap())
}

/// A machine, an optional partition of it, and the node of each process.
#[derive(Debug, Clone)]
struct Case {
    machine: Machine,
    partition: Option<Partition>,
    placement: Placement,
}

impl Case {
    fn region(&self) -> Region<'_> {
        let machine = self.partition.as_ref().map_or(&self.machine, Partition::inside);
        Region { machine, partition: self.partition.as_ref(), allocation: None }
    }

    fn new(lengths: &[u64], partition: Option<(&[u64], &[u64])>, nodes: &[u32]) -> Self {
        let machine = Machine::new(MachineKind::Torus, lengths).unwrap();
        let partition = partition.map(|(base, lengths)| Partition::new(&machine, base, lengths).unwrap());
        let inside = partition.as_ref().map_or(&machine, Partition::inside);
        let nodes = nodes.iter().copied().map(NodeId::new).collect();
        let placement = Placement::Table(PlacementTable::new(inside, nodes).unwrap());
        Self { machine, partition, placement }
    }

    /// A ring of nodes, with the node of each process.
    fn ring(length: u64, nodes: &[u32]) -> Self {
        Self::new(&[length], None, nodes)
    }

    /// The nodes of the processes in a file, or its errors as `byte..byte: message`.
    fn read(
        &self,
        format: LauncherFormat,
        text: &str,
        options: HostOptions<'_>,
    ) -> Result<Vec<u32>, Vec<String>> {
        let placement = read(format, text, self.placement.process_count(), self.region(), options);
        let nodes = |placement: Placement| placement.nodes().iter().map(|node| node.index()).collect();
        placement.map(nodes).map_err(|errors| errors.written())
    }

    /// The errors of a file.
    fn errors(&self, format: LauncherFormat, text: &str, options: HostOptions<'_>) -> Vec<String> {
        self.read(format, text, options).unwrap_err()
    }
}

/// The base and lengths of a box.
type Inner = (Vec<u64>, Vec<u64>);

/// Lengths, and a box inside.
fn boxes() -> impl Strategy<Value = (Vec<u64>, Option<Inner>)> {
    let side = (2_u64..=5, 0_u64..=3, 0_u64..=3).prop_map(|(length, base, cut)| {
        let base = base.min(length - 2);
        (length, base, (length - base - cut.min(length - base - 2)))
    });
    (collection::vec(side, 1..=3), any::<bool>()).prop_map(|(sides, whole)| {
        let lengths = sides.iter().map(|side| side.0).collect();
        let inner = (sides.iter().map(|side| side.1).collect(), sides.iter().map(|side| side.2).collect());
        (lengths, (!whole).then_some(inner))
    })
}

/// Processes one per node, the same number on every node, or anywhere.
fn cases() -> impl Strategy<Value = Case> {
    boxes().prop_flat_map(|(lengths, inner)| {
        let inside: u64 = inner.as_ref().map_or(&lengths, |(_, lengths)| lengths).iter().product();
        let every: Vec<u32> = (0..inside).map(|node| u32::try_from(node).unwrap()).collect();
        let full = (1_usize..=3).prop_flat_map({
            let every = every.clone();
            move |load| Just(every.repeat(load)).prop_shuffle()
        });
        let some = (Just(every.clone()).prop_shuffle(), 1..=every.len())
            .prop_map(|(nodes, count)| nodes[..count].to_vec());
        let anywhere = collection::vec(proptest::sample::select(every), 1..40);
        prop_oneof![full, some, anywhere].prop_map(move |nodes| {
            let inner = inner.as_ref().map(|(base, lengths)| (base.as_slice(), lengths.as_slice()));
            Case::new(&lengths, inner, &nodes)
        })
    })
}

proptest! {
    #[test]
    fn every_format_reads_back_what_it_writes(case in cases()) {
        let (region, placement) = (case.region(), &case.placement);
        let hosts = hosts(case.machine.node_count());
        let devices = devices(case.machine.node_count(), placement.max_load());
        for format in LauncherFormat::ALL {
            let devices = format.needs_coordinates().then_some(&devices);
            let hosts = format.names_hosts().then_some(&hosts).or(devices);
            let options = HostOptions { hosts, slots_per_node: None };
            let text = match written(format, region, placement, options) {
                Ok(text) => text,
                Err(LauncherError::EmptySlot { .. }) => {
                    let (nodes, load) = (region.machine.node_count(), placement.max_load());
                    let count = placement.process_count();
                    // A rank order needs a rank for every slot, a device order equally many devices on
                    // every node.
                    let expected = match format.name() {
                        "cray-rank-order" => count < nodes * load,
                        "jax-device-order" => count.div_ceil(nodes) < load,
                        _ => false,
                    };
                    prop_assert!(expected, "{}", format);
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            let back = read(format, &text, placement.process_count(), region, options);
            prop_assert_eq!(back.as_ref().map(Placement::nodes), Ok(placement.nodes()), "{}: {}", format, text);
        }
    }

    #[test]
    fn several_hosts_at_a_node_are_read_back(case in cases(), count in 1_u64..4) {
        let (region, placement) = (case.region(), &case.placement);
        let devices = devices(case.machine.node_count(), count);
        for format in LauncherFormat::ALL.into_iter().filter(|format| format.takes_coordinates()) {
            let options = HostOptions { hosts: Some(&devices), slots_per_node: None };
            let text = match written(format, region, placement, options) {
                Ok(text) => text,
                Err(LauncherError::SharedDevice { .. }) => {
                    prop_assert!(format.name().starts_with("jax") && placement.max_load() > count);
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            let back = read(format, &text, placement.process_count(), region, options);
            prop_assert_eq!(back.as_ref().map(Placement::nodes), Ok(placement.nodes()), "{}: {}", format, text);
        }
    }

    #[test]
    fn a_rankfile_of_hosts_with_several_nodes_is_read_back(case in cases(), pick in any::<proptest::sample::Index>()) {
        let nodes = case.machine.node_count();
        let divisors: Vec<u64> = (1..=nodes).filter(|each| nodes.is_multiple_of(*each)).collect();
        let each = divisors[pick.index(divisors.len())];
        let hosts = hosts(nodes / each);
        let slots_per_node = Some(each * case.placement.max_load());
        let options = HostOptions { hosts: Some(&hosts), slots_per_node };
        let format = LauncherFormat::OPEN_MPI_RANKFILE;
        let text = written(format, case.region(), &case.placement, options).unwrap();
        let back = read(format, &text, case.placement.process_count(), case.region(), options);
        prop_assert_eq!(back.as_ref().map(Placement::nodes), Ok(case.placement.nodes()), "{}", text);
    }

    #[test]
    fn no_text_is_too_strange(text in "[-0-9,()\\[\\]{}a-z \"=#\n]{0,60}", case in cases()) {
        let hosts = hosts(case.machine.node_count());
        for format in LauncherFormat::ALL {
            let options = HostOptions { hosts: format.names_hosts().then_some(&hosts), slots_per_node: None };
            if let Err(diagnostics) = read(format, &text, case.placement.process_count(), case.region(), options) {
                prop_assert!(!diagnostics.kept().is_empty());
                for diagnostic in diagnostics.kept() {
                    prop_assert!(diagnostic.span.start <= diagnostic.span.end && diagnostic.span.end <= text.len());
                }
            }
        }
    }
}

/// On 8 nodes the Gray embedding is not its own inverse: process `n` on node 0 1 3 2 7 6 4 5, and node `m` with process
/// 0 1 3 2 6 7 5 4.
#[test]
fn the_rank_order_is_the_inverse_and_the_rest_are_direct() {
    let ring = Machine::new(MachineKind::Ring, &[8]).unwrap();
    let gray = Placement::embed(EmbeddingKind::Gray, Hypercube::new(3).unwrap(), &ring).unwrap();
    let region = Region { machine: &ring, partition: None, allocation: None };
    let text = |format| written(format, region, &gray, HostOptions::default()).unwrap();
    assert_eq!(text(LauncherFormat::CRAY_RANK_ORDER), "0,1,3,2,6,7,5,4\n");
    assert_eq!(text(LauncherFormat::FUJITSU_RANK_MAP), "(0)\n(1)\n(3)\n(2)\n(7)\n(6)\n(4)\n(5)\n");
}

#[test]
fn a_partition_counts_its_own_nodes_where_a_job_does() {
    let case = Case::new(&[4, 3], Some((&[1, 1], &[2, 2])), &[0, 1, 3, 2]);
    let text = |format, options| written(format, case.region(), &case.placement, options).unwrap();
    let job = HostOptions::default();
    assert_eq!(text(LauncherFormat::CRAY_RANK_ORDER, job), "0,1,3,2\n");
    assert_eq!(text(LauncherFormat::FLUX_TASKMAP, job), "[[0,2,1,1],[3,1,1,1],[2,1,1,1]]\n");
    assert_eq!(text(LauncherFormat::BLUEGENE_MAPFILE, job), "1 1 0\n2 1 0\n2 2 0\n1 2 0\n");
    let hosts = hosts(12);
    let named = HostOptions { hosts: Some(&hosts), slots_per_node: None };
    assert_eq!(text(LauncherFormat::SLURM_HOSTFILE, named), "n5\nn6\nn10\nn9\n");
    let reported = case.errors(LauncherFormat::SLURM_HOSTFILE, "n5\nn6\nn10\nn4\n", named);
    assert_eq!(reported, ["10..12: host \"n4\" is node 4 of the machine, expected one in the partition"]);
}

#[test]
fn orders_of_slots_are_those_of_the_nodes_that_a_job_has() {
    let machine = Machine::new(MachineKind::Torus, &[8]).unwrap();
    let nodes: Vec<NodeId> = [6, 1, 3].map(NodeId::new).into();
    let allocation = Allocation::new(nodes.clone(), None);
    let region = Region { machine: &machine, partition: None, allocation: Some(&allocation) };
    let on = |places: &[usize]| {
        let nodes = places.iter().map(|&place| nodes[place]).collect();
        Placement::Table(PlacementTable::new(&machine, nodes).unwrap())
    };
    let placement = on(&[0, 0, 2, 1, 2, 1]);
    let none = HostOptions::default();
    for (format, expected) in [
        (LauncherFormat::CRAY_RANK_ORDER, "0,1,3,5,2,4\n"),
        (LauncherFormat::JAX_DEVICE_ORDER, "[0, 1, 4, 2, 5, 3]\n"),
    ] {
        let text = written(format, region, &placement, none).unwrap();
        assert_eq!(text, expected);
        let back = read(format, &text, 6, region, none).unwrap();
        assert_eq!(back.nodes(), placement.nodes());
    }
    let uneven = written(LauncherFormat::CRAY_RANK_ORDER, region, &on(&[0, 0, 1, 2]), none);
    assert_eq!(uneven.unwrap_err().to_string(), "1 process on node (1), expected 2 as on the fullest node");
}

#[test]
fn only_what_the_launcher_decides_is_noted() {
    let case = Case::ring(4, &[1, 0, 2, 3]);
    let hosts = hosts(2);
    let note = |format, hosts| {
        let options = HostOptions { hosts, slots_per_node: Some(2) };
        LauncherFile::new(case.region(), &case.placement, format, options).unwrap().note()
    };
    assert_eq!(note(LauncherFormat::OPEN_MPI_RANKFILE, Some(&hosts)), None);
    let noted = "slurm-hostfile gives the host of a rank but not its slot: hosts have 2 nodes of the machine each, \
                 and the launcher decides which of them a rank uses";
    assert_eq!(note(LauncherFormat::SLURM_HOSTFILE, Some(&hosts)).as_deref(), Some(noted));
    assert!(note(LauncherFormat::FLUX_TASKMAP, None).unwrap().starts_with("flux-taskmap gives"));
    let in_turn = Case::ring(4, &[0, 1, 2, 3]);
    let options = HostOptions { hosts: None, slots_per_node: Some(2) };
    let file = LauncherFile::new(in_turn.region(), &in_turn.placement, LauncherFormat::FLUX_TASKMAP, options);
    assert_eq!(file.unwrap().note(), None);
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let case = Case::new(&[2, 2, 2, 2], None, &[0, 1, 1, 3]);
    let list = hosts(15);
    let refused = |format, options| written(format, case.region(), &case.placement, options).unwrap_err();
    let message = |format, options| refused(format, options).to_string();
    let none = HostOptions::default();
    let named = HostOptions { hosts: Some(&list), ..none };
    let grouped = HostOptions { slots_per_node: Some(4), ..none };
    let wanted = "open-mpi-rankfile without the names of the hosts, expected a list of them";
    assert_eq!(message(LauncherFormat::OPEN_MPI_RANKFILE, none), wanted);
    let unneeded = "host names for flux-taskmap, expected none: it names no hosts";
    assert_eq!(message(LauncherFormat::FLUX_TASKMAP, named), unneeded);
    let slots = "slots per host for cray-rank-order, expected none: it names every node of the machine";
    assert_eq!(message(LauncherFormat::CRAY_RANK_ORDER, grouped), slots);
    let empty = "1 process on node (0, 0, 0, 0), expected 2 as on the fullest node";
    assert_eq!(message(LauncherFormat::CRAY_RANK_ORDER, none), empty);
    let dimensions = "a machine of 4 dimensions, expected at most 3 for fujitsu-rank-map";
    assert_eq!(message(LauncherFormat::FUJITSU_RANK_MAP, none), dimensions);
    let count = "15 hosts, expected 16 for a machine of 16 nodes with 1 on a host";
    assert_eq!(message(LauncherFormat::SLURM_HOSTFILE, named), count);
    assert!(refused(LauncherFormat::SLURM_HOSTFILE, named).help().contains("--slots-per-node"));
}

#[test]
fn everything_wrong_with_a_rankfile_is_reported() {
    let case = Case::ring(4, &[0, 1, 2, 3]);
    let list = hosts(4);
    let options = HostOptions { hosts: Some(&list), slots_per_node: Some(1) };
    let text =
        "rank 0=n0 slot=0\nrank 1=m1 slot=0\nrank 9=n2 slot=1\nrank 2=n0 slot=0\nrank 0=n3 slot=0\nrank n3\n";
    assert_eq!(
        case.errors(LauncherFormat::OPEN_MPI_RANKFILE, text, options),
        [
            "24..26: host \"m1\" is none of the hosts, expected one of them",
            "39..40: rank is 9, expected an integer from 0 to 3",
            "49..50: slot is 1, expected an integer from 0 to 0",
            "66..67: rank 2 in the slot of rank 0, expected a slot of its own",
            "73..74: rank 0 a second time, expected every rank once",
            "85..92: line is \"rank n3\", expected \"rank N=HOST slot=S\"",
        ]
    );
    let left_out = case.errors(LauncherFormat::OPEN_MPI_RANKFILE, "rank 2=n2 slot=0", options);
    assert_eq!(left_out, ["0..0: no place for rank 0 to 1, 3, expected one for each of 0 to 3"]);
    let few = hosts(3);
    let options = HostOptions { hosts: Some(&few), slots_per_node: None };
    let uneven = case.errors(LauncherFormat::OPEN_MPI_RANKFILE, text, options);
    assert_eq!(uneven, ["0..0: 3 hosts, expected 4, one a node, or a divisor of that"]);
}

#[test]
fn rankfiles_may_be_written_with_more_space_and_remarks() {
    let case = Case::ring(2, &[1, 0]);
    let list = hosts(2);
    let options = HostOptions { hosts: Some(&list), slots_per_node: None };
    let text = "# mine\nrank  1 = n0   slot = 0\n\nrank 0=n1 slot=7 # any slot of the node\n";
    assert_eq!(case.read(LauncherFormat::OPEN_MPI_RANKFILE, text, options), Ok(vec![1, 0]));
}

#[test]
fn in_a_rankfile_the_host_counts_and_cores_do_not() {
    let case = Case::ring(2, &[1, 0]);
    let list = HostList::parse("alpha\nbravo\n").unwrap();
    let options = HostOptions { hosts: Some(&list), slots_per_node: None };
    let nodes = |text: &str| case.read(LauncherFormat::OPEN_MPI_RANKFILE, text, options);
    assert_eq!(nodes("rank 0=bravo slot=0-15\nrank 1=alpha slot=1:0,2\n"), Ok(vec![1, 0]));
    assert_eq!(nodes("rank 0=+n1 slot=0\nrank 1=+n0 slots=0:*\n"), Ok(vec![1, 0]));
    assert_eq!(nodes("rank 0=alpha slot=0-3\nrank 1=alpha slot=2-5\n"), Ok(vec![0, 0]));
    assert_eq!(
        nodes("rank 0=+n2 slot=0\nrank 1=alpha slot=3-1\n").unwrap_err(),
        [
            "7..10: host \"+n2\" is none of the hosts, expected +n0 to +n1",
            "36..39: slot is \"3-1\", expected an integer from 0 to 4294967295, or cores such as 0-15 or 1:0-3",
        ]
    );
    // Two nodes of the machine on each host.
    let case = Case::ring(4, &[1, 2]);
    let options = HostOptions { hosts: Some(&list), slots_per_node: Some(8) };
    let nodes = |text: &str| case.read(LauncherFormat::OPEN_MPI_RANKFILE, text, options);
    assert_eq!(nodes("rank 0=alpha slot=4-7\nrank 1=bravo slot=0-3\n"), Ok(vec![1, 2]));
    assert_eq!(
        nodes("rank 0=alpha slot=2-5\nrank 1=bravo slot=0:1\n").unwrap_err(),
        [
            "18..21: slots \"2-5\" are on two nodes of the machine, expected those of one",
            "40..43: slot is \"0:1\", expected the number of a slot: a host has 2 nodes of the machine",
        ]
    );
}

#[test]
fn everything_wrong_with_a_rank_order_is_reported() {
    let nodes = |places: &[u32], text: &str| {
        Case::ring(4, places).read(LauncherFormat::CRAY_RANK_ORDER, text, HostOptions::default())
    };
    let reported = |text| nodes(&[0, 1, 2, 3], text).unwrap_err();
    assert_eq!(
        reported("0,1,x,\n1,3-2"),
        [
            "4..5: rank is \"x\", expected an integer from 0 to 3",
            "7..8: rank 1 a second time, expected every rank once",
            "9..12: ranks 3-2, expected the lower rank first",
        ]
    );
    assert_eq!(reported("0-1"), ["0..0: no place for rank 2 to 3, expected one for each of 0 to 3"]);
    let six = nodes(&[0, 1, 2, 3, 0, 1], "0").unwrap_err();
    assert_eq!(six, ["0..0: 6 processes, expected a multiple of 4: a rank order fills every node"]);
    assert_eq!(nodes(&[0, 1, 2, 3], "# by hand\n3,0-2"), Ok(vec![1, 2, 3, 0]));
}

#[test]
fn everything_wrong_with_lists_of_coordinates_is_reported() {
    let case = Case::new(&[2, 2], None, &[0, 1, 2, 3]);
    let reported = |format, text| case.errors(format, text, HostOptions::default());
    assert_eq!(
        reported(LauncherFormat::BLUEGENE_MAPFILE, "0 0 0\n0 2 0\n1 0\n0 0 0\n1 1 0\n"),
        [
            "8..9: p_2 is 2, expected an integer from 0 to 1",
            "12..15: 2 numbers, expected 3: the coordinates and T, the place in the node",
            "20..21: rank 3 in the slot of rank 0, expected a slot of its own",
            "22..27: a line for rank 4, expected 4 lines, one a rank",
        ]
    );
    assert_eq!(
        reported(LauncherFormat::FUJITSU_RANK_MAP, "(0,0)\n0,1\n(1,)\n"),
        [
            "6..9: line is \"0,1\", expected \"(p_1,p_2)\"",
            "13..13: p_2 is \"\", expected an integer from 0 to 1",
            "0..0: no place for rank 3, expected one for each of 0 to 3",
        ]
    );
}

#[test]
fn everything_wrong_with_a_task_map_is_reported() {
    let case = Case::ring(4, &[0, 1, 2, 3]);
    let nodes = |text: &str| case.read(LauncherFormat::FLUX_TASKMAP, text, HostOptions::default());
    let reported = |text| nodes(text).unwrap_err();
    assert_eq!(
        reported("[[0,2,1,1],[3,2,1,1],[1,0,1,1],[1,1,1]]"),
        [
            "11..20: block of 2 nodes from 3 on, expected nodes 0 to 3",
            "21..30: block is empty, expected at least one node, task and repeat",
            "31..38: block is not [NODE,NODES,TASKS,REPEAT], expected four integers",
        ]
    );
    assert_eq!(
        reported("[[0,4,1,18446744073709551615]]"),
        ["1..29: a place for rank 4, expected 4 ranks in all"]
    );
    assert_eq!(reported("[[0,3,1,1]]"), ["0..0: no place for rank 3, expected one for each of 0 to 3"]);
    let unread = "3..3: no task map, expected an array of [NODE,NODES,TASKS,REPEAT], ranks by node such as 0-3;4-7, or (vector,..)";
    assert_eq!(reported("[[0,"), [unread]);
    let map = "0..0: no task map, expected an array of [NODE,NODES,TASKS,REPEAT], or an object of version 1 with it as map";
    assert_eq!(reported("{\"version\":2,\"map\":[[0,4,1,1]]}"), [map]);
    assert_eq!(nodes("{\"version\":1, \"map\":[[0,2,2,1]]}"), Ok(vec![0, 0, 1, 1]));
    for text in ["0,2-3;1", "[0,2-3];[1]\n"] {
        assert_eq!(nodes(text), Ok(vec![0, 1, 0, 0]), "{text}");
    }
    assert_eq!(nodes("(vector,(0,2,1))"), Ok(vec![0, 1, 0, 1]));
    assert_eq!(nodes("(vector,(2,1,3),(0,1,1))"), Ok(vec![2, 2, 2, 0]));
    assert_eq!(reported("0;1;2;3;0"), ["8..9: 5 nodes, expected at most 4, those of the machine"]);
    assert_eq!(reported("0-1;7"), ["4..5: rank is 7, expected an integer from 0 to 3"; 2]);
    assert_eq!(reported("0-1;2"), ["0..0: no place for rank 3, expected one for each of 0 to 3"]);
    assert_eq!(reported("(vector,(0,9,1))"), ["0..16: block of 9 nodes from 0 on, expected nodes 0 to 3"]);
}

#[test]
fn programs_beyond_all_machines_are_not_read() {
    let case = Case::ring(4, &[0, 1, 2, 3]);
    let format = LauncherFormat::FLUX_TASKMAP;
    let read = read(format, "[[0,4,1,1]]", 1 << 32, case.region(), HostOptions::default());
    let message = "0..0: a program of 4294967296 processes, expected at most 16777216 for flux-taskmap";
    assert_eq!(read.unwrap_err().written(), [message]);
}
