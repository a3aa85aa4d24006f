//! Files of jobs on clusters, whose hosts are nodes of several devices.

use cubefold_topology::{Cluster, ClusterInside, ClusterOutside, ClusterUplinks, NetworkParameters};

use super::*;

proptest! {
    /// Ranks on the devices of a node in ascending order, nodes in any; the job has all nodes or the last ones.
    #[test]
    fn hosts_of_a_cluster_are_read_back(
        (nodes, each, load) in (2_u64..6, 1_u64..5, 1_u64..3),
        is_part in any::<bool>(),
        turns in collection::vec(any::<proptest::sample::Index>(), 60),
    ) {
        let inside = ClusterInside::FullMesh;
        let outside = ClusterOutside { nics_per_node: each, nodes_per_leaf: nodes, has_rails: false, spines: 0, uplinks: ClusterUplinks::Full };
        let cluster = Cluster { nodes, devices_per_node: each, inside, outside: Some(outside), hosts_forward: false };
        let machine = Machine::of_parameters(&NetworkParameters::Cluster(cluster)).unwrap();
        let numbers: Vec<NodeId> = (0..nodes * each).map(|node| NodeId::new(u32::try_from(node).unwrap())).collect();
        let all = hosts(nodes);
        let part = numbers[usize::try_from(each).unwrap()..].to_vec();
        let allocation = is_part.then(|| Allocation::new(part, None));
        let region = Region { machine: &machine, partition: None, allocation: allocation.as_ref() };
        prop_assert_eq!(region.devices_per_host(), each);
        let names = all.of_job(region).unwrap();
        let mut left: Vec<(u64, u64)> = region.nodes_of_job().map(|node| u64::from(node.index())).filter(|node| node.is_multiple_of(each)).map(|node| (node, 0)).collect();
        let mut placed = vec![];
        for turn in turns.iter().cycle() {
            if left.is_empty() {
                break;
            }
            let place = turn.index(left.len());
            let (first, seated) = left[place];
            placed.push(NodeId::new(u32::try_from(first + seated / load).unwrap()));
            left[place].1 += 1;
            left.retain(|(_, seated)| *seated < each * load);
        }
        let placement = Placement::Table(PlacementTable::new(&machine, placed).unwrap());
        for format in LauncherFormat::ALL.into_iter().filter(|format| !format.needs_coordinates()) {
            let hosts = format.names_hosts().then_some(&names);
            let options = HostOptions { hosts, slots_per_node: None };
            let text = written(format, region, &placement, options).unwrap();
            let back = read(format, &text, placement.process_count(), region, options);
            prop_assert_eq!(back.as_ref().map(Placement::nodes), Ok(placement.nodes()), "{}: {}", format, text);
        }
    }
}
