use super::*;
use crate::{NetworkRoutes, RouteChoice};

fn nodes(network: &Network, node: u32) -> Vec<u32> {
    network.neighbours(NodeId::new(node)).iter().map(|node| node.index()).collect()
}

#[test]
fn nodes_without_a_route_have_no_distance() {
    let network = Network::from_edges(5, &[(0, 1), (1, 2), (3, 4)]).unwrap();
    for choice in [RouteChoice::Lowest, RouteChoice::Spread(3)] {
        let distances = [(0, 2), (2, 0), (3, 3), (0, 3), (4, 1)]
            .map(|(at, to)| NetworkRoutes::new(&network, choice).distance(NodeId::new(at), NodeId::new(to)));
        assert_eq!(distances, [Some(2), Some(2), Some(0), None, None]);
    }
}

#[test]
fn links_are_known_from_both_ends_once() {
    let network = Network::from_edges(4, &[(2, 0), (0, 2), (1, 1), (3, 0)]).unwrap();
    assert_eq!(nodes(&network, 0), [2, 3]);
    assert_eq!(nodes(&network, 1), [0; 0]);
    assert_eq!(network.link_count(), 2);
    assert!(!network.is_connected());
    assert_eq!(network.distance_bound(), 2);
    assert_eq!(network.links().count(), 2);
}

#[test]
fn no_distance_is_above_the_bound_where_a_network_falls_apart() {
    let network = Network::from_edges(8, &[(0, 1), (2, 3), (3, 4), (4, 5), (5, 6)]).unwrap();
    assert_eq!(network.distances_to(NodeId::new(6))[2], Some(4));
    assert!(network.distance_bound() >= 4);
}

#[test]
fn both_channels_of_a_link_name_it_alike() {
    let network = Network::from_edges(4, &[(0, 1), (0, 3), (1, 3), (2, 3)]).unwrap();
    for (near, far) in network.links() {
        let channels = [(near, far), (far, near)].map(|(from, to)| {
            let port = network.neighbours(from).iter().position(|&node| node == to).unwrap();
            Channel { node: from, direction: network.direction(from, u16::try_from(port).unwrap()) }
        });
        let [one, other] = channels.map(|channel| network.link(channel).unwrap());
        assert_eq!((one, one.near), (other, near));
        assert_eq!(
            channels.map(|channel| network.neighbour(channel.node, channel.direction)),
            [Some(far), Some(near)]
        );
    }
}

#[test]
fn parallel_links_have_ports_of_their_own_in_the_same_order_at_both_ends() {
    let network = Network::from_parallel_edges(4, &[(2, 0), (0, 2), (3, 0), (1, 2), (2, 0)]).unwrap();
    assert_eq!(nodes(&network, 0), [2, 2, 2, 3]);
    assert_eq!(nodes(&network, 2), [0, 0, 0, 1]);
    assert_eq!((network.link_count(), network.has_parallel_links()), (5, true));
    for port in 0..3 {
        let back = network.opposite_channel(NodeId::new(0), port);
        assert_eq!(back, network.first_channel(2) as usize + port);
        let direction = network.direction(NodeId::new(2), u16::try_from(port).unwrap());
        let link = network.link(Channel { node: NodeId::new(2), direction }).unwrap();
        assert_eq!((link.near.index(), link.dimension.index()), (0, port));
        assert_eq!(network.link_number(NodeId::new(2), direction), port);
    }
    assert_eq!(network.links_at(0, 0), 3);
}

#[test]
fn no_route_leads_through_hosts_that_do_not_forward() {
    // Two hosts on two switches each; host 1 is on both.
    let links = [(0, 3), (1, 3), (1, 4), (2, 4)];
    let network = Network::from_edges(5, &links).unwrap().with_hosts(3);
    assert_eq!(network.distances_to(NodeId::new(2))[0], Some(4));
    let network = network.with_hosts_forwarding(false);
    assert_eq!(network.distances_to(NodeId::new(2)), [None, Some(2), Some(0), None, Some(1)]);
    // Host 1 may relay.
    assert_eq!(network.fewest_links_to(NodeId::new(2)), [Some(4), Some(2), Some(0), Some(3), Some(1)]);
    let slow = [LinkTime { unit: 2, latency: 5 }];
    let sums = network.least_sums_to(NodeId::new(2), &slow);
    assert_eq!(sums, [Some(28), Some(14), Some(0), Some(21), Some(7)]);
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    assert_eq!(network.hosts_apart(&[a, b]), None);
    assert_eq!(network.hosts_apart(&[b, a, c]), Some((a, c)));
    assert_eq!(network.distance_bound(), 5);
}

#[test]
fn what_is_no_network_is_refused() {
    let outside = Network::from_edges(2, &[(0, 2)]).unwrap_err();
    assert_eq!(outside.to_string(), "a link to node 2, expected a node in 0 to 1");
    let star: Vec<_> = (1..=65536).map(|leaf| (0, leaf)).collect();
    let wide = Network::from_edges(65537, &star).unwrap_err();
    assert_eq!(wide.to_string(), "node 0 has 65536 neighbours, expected at most 65535");
    let wide = Network::from_edges(65536, &star[..65535]).unwrap();
    let [first, last] = [1, 65535].map(NodeId::new);
    for choice in [RouteChoice::Lowest, RouteChoice::Spread(3)] {
        assert_eq!(NetworkRoutes::new(&wide, choice).distance(first, last), Some(2));
    }
}
