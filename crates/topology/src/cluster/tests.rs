//! Routes of clusters of all insides and outsides against those of a search.

use super::*;
use crate::{NetworkRoutes, RouteChoice, routes::LinkWeight};

fn outside(nics_per_node: u64, nodes_per_leaf: u64, has_rails: bool, spines: u64) -> ClusterOutside {
    let uplinks = ClusterUplinks::Each(1 + spines % 3);
    ClusterOutside { nics_per_node, nodes_per_leaf, has_rails, spines, uplinks }
}

/// Clusters of all insides and outsides, with hosts that forward or do not.
fn clusters() -> Vec<Cluster> {
    let insides = [
        ClusterInside::Switch { planes: 1 },
        ClusterInside::Switch { planes: 2 },
        ClusterInside::FullMesh,
        ClusterInside::Ring,
        ClusterInside::Hypercube,
        ClusterInside::None,
    ];
    let outsides = [
        (4, 2, true, 2),
        (2, 3, true, 1),
        (4, 3, false, 3),
        (1, 1, false, 2),
        (4, 5, true, 0),
        (2, 5, true, 0),
    ];
    let mut clusters = vec![];
    for inside in insides {
        // NICs that do not divide the devices, more NICs than devices, and a last leaf with fewer cables.
        for (q, m, has_rails, spines) in [(3, 2, true, 1), (8, 2, true, 2), (6, 3, false, 2)] {
            let outside =
                ClusterOutside { uplinks: ClusterUplinks::Full, ..outside(q, m, has_rails, spines) };
            clusters.push(Cluster {
                nodes: 5,
                devices_per_node: 4,
                inside,
                outside: Some(outside),
                hosts_forward: false,
            });
        }
        for (q, m, rails, spines) in outsides {
            for hosts_forward in [false, true] {
                let outside = Some(outside(q, m, rails, spines));
                clusters.push(Cluster { nodes: 5, devices_per_node: 4, inside, outside, hosts_forward });
            }
        }
    }
    clusters
}

#[test]
fn distances_and_routes_are_those_of_a_search() {
    for cluster in clusters() {
        let network = cluster.network().unwrap();
        assert_eq!(network.link_count(), cluster.link_count(), "{cluster:?}");
        assert_eq!(network.node_count(), cluster.vertex_count());
        let class = |one, other| cluster.part(one, other) as u16;
        let searched = || cluster.searched_network().unwrap().with_classes(class);
        let weights = [3, 5, 40, 20].map(|first_unit| LinkWeight { first_unit, unit: first_unit / 2 });
        let weighted = cluster.network().unwrap().with_classes(class);
        let formula = weighted.formula().unwrap().with_weights(&weights).unwrap();
        let weighted = weighted.with_weights(&weights).with_shared_formula(formula);
        let pairs = [(network, searched()), (weighted, searched().with_weights(&weights))];
        for ((network, searched), choice) in
            pairs.iter().flat_map(|pair| [(pair, RouteChoice::Lowest), (pair, RouteChoice::Spread(7))])
        {
            let routes = [network, searched].map(|network| NetworkRoutes::new(network, choice));
            let nodes = || (0..u32::try_from(cluster.vertex_count()).unwrap()).map(NodeId::new);
            for (at, to) in nodes().flat_map(|at| nodes().map(move |to| (at, to))) {
                let [found, expected] = [&routes[0], &routes[1]].map(|routes| routes.distance(at, to));
                assert_eq!(found, expected, "{cluster:?} {at} {to}");
                if found.is_some() {
                    let [found, expected] = [&routes[0], &routes[1]].map(|routes| routes.next(at, at, to));
                    assert_eq!(found, expected, "{cluster:?} {choice:?} {at} {to}");
                }
            }
        }
    }
}

#[test]
fn every_vertex_has_a_position_of_its_own() {
    for cluster in clusters() {
        for vertex in 0..cluster.vertex_count() {
            assert_eq!(cluster.vertex(cluster.position(vertex)), vertex, "{cluster:?}");
        }
    }
}
