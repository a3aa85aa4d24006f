//! Files of jobs on clusters, whose hosts are nodes of several devices.

use cubefold_topology::{Cluster, ClusterInside, ClusterOutside, ClusterUplinks, NetworkParameters};

use super::*;

/// A cluster of `nodes` nodes of `each` devices.
fn cluster(nodes: u64, each: u64) -> Machine {
    let outside = ClusterOutside {
        nics_per_node: each,
        nodes_per_leaf: nodes,
        has_rails: false,
        spines: 0,
        uplinks: ClusterUplinks::Full,
    };
    let cluster = Cluster {
        nodes,
        devices_per_node: each,
        inside: ClusterInside::FullMesh,
        outside: Some(outside),
        hosts_forward: false,
    };
    Machine::of_parameters(&NetworkParameters::Cluster(cluster)).unwrap()
}

fn node(number: u64) -> NodeId {
    NodeId::new(u32::try_from(number).unwrap())
}

proptest! {
    /// Ranks on the devices of a node in ascending order, nodes in any; the job has all nodes or all but the first.
    #[test]
    fn hosts_of_a_cluster_are_read_back(
        (nodes, each, load) in (2_u64..6, 1_u64..5, 1_u64..3),
        is_part in any::<bool>(),
        turns in collection::vec(any::<proptest::sample::Index>(), 60),
    ) {
        let machine = cluster(nodes, each);
        let allocation = is_part.then(|| Allocation::new((each..nodes * each).map(node).collect(), None));
        let region = Region { machine: &machine, partition: None, allocation: allocation.as_ref() };
        prop_assert_eq!(region.devices_per_host(), each);
        // The first device of every node of the job, and the ranks on the node.
        let mut free: Vec<(u64, u64)> = (u64::from(is_part)..nodes).map(|host| (host * each, 0)).collect();
        let mut placed = vec![];
        for turn in turns.iter().cycle() {
            if free.is_empty() {
                break;
            }
            let place = turn.index(free.len());
            let (first, seated) = free[place];
            placed.push(node(first + seated / load));
            free[place].1 += 1;
            free.retain(|(_, seated)| *seated < each * load);
        }
        let placement = Placement::Table(PlacementTable::new(&machine, placed).unwrap());
        let names = hosts(nodes).of_job(region).unwrap();
        for format in LauncherFormat::ALL.into_iter().filter(|format| !format.needs_coordinates()) {
            let hosts = format.names_hosts().then_some(&names);
            let options = HostOptions { hosts, slots_per_node: None };
            let text = written(format, region, &placement, options).unwrap();
            let back = read(format, &text, placement.process_count(), region, options);
            prop_assert_eq!(back.as_ref().map(Placement::nodes), Ok(placement.nodes()), "{}: {}", format, text);
        }
    }
}
