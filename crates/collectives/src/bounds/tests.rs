use cubefold_simulator::CutSet;
use cubefold_topology::{HostDimension, MachineKind, Network, Shape};

use super::*;
use crate::{Algorithm, Collective, CollectiveSpecification, Ports};

/// Full-duplex links with `u = 2` and `l = 5`.
const COSTS: LinkCosts = LinkCosts {
    link_mode: LinkMode::FullDuplex,
    hop_cycles: 2,
    latency_cycles: 5,
    message_cost: 0,
    switches_reduce: false,
};

/// An operation by the first algorithm that performs it on the shape.
fn specification(operation: Operation, lengths: &[u64], vector_units: u64) -> CollectiveSpecification {
    let shape = Shape::new(lengths).unwrap();
    let plain = |algorithm| CollectiveSpecification {
        compute_cycles: 100,
        ..CollectiveSpecification::new(operation, algorithm, shape.clone(), vector_units)
    };
    Algorithm::ALL.into_iter().map(plain).find(|plain| plain.check().is_ok()).unwrap()
}

fn collective(operation: Operation, lengths: &[u64], vector_units: u64) -> Collective {
    Collective::new(specification(operation, lengths, vector_units)).unwrap()
}

fn bounds(operation: Operation, vector_units: u64, machine: &Machine, costs: LinkCosts) -> CollectiveBounds {
    let nodes: Vec<NodeId> = machine.nodes().collect();
    collective(operation, machine.shape().lengths(), vector_units).bounds(machine, &nodes, costs)
}

fn bandwidth(bounds: CollectiveBounds) -> (u64, Option<BandwidthSource>) {
    (bounds.bandwidth_cycles, bounds.bandwidth_source)
}

#[test]
fn a_line_of_four_is_bound_by_its_ends_and_its_arrivals() {
    let line = Machine::new(MachineKind::Line, &[4]).unwrap();
    let of = |operation| bounds(operation, 8, &line, COSTS);
    let node = |index| Some(BandwidthSource::Node(NodeId::new(index)));
    // All-reduce: 6 channels take 2 * 8 * 3 arrivals, 8 each; an end takes 8 over its only
    // channel: 2 * 8 + 5.
    assert_eq!(bandwidth(of(Operation::AllReduce)), (21, node(0)));
    // All-gather: 6 units enter an end.
    assert_eq!(bandwidth(of(Operation::AllGather)), (17, node(0)));
    // Scatter from node 0, which sends 6 over one channel; distance 3.
    let scatter = of(Operation::Scatter);
    assert_eq!(bandwidth(scatter), (17, node(0)));
    assert_eq!((scatter.latency_cycles, scatter.distance), (3 * 7 + 100, 3));
    assert_eq!(scatter.steps_cycles, 200);
    // All-to-all: M u k / 4 + l at the cut in the middle.
    let middle = CutSet::Interval { dimension: HostDimension::new(1).unwrap(), first: 0, last: 1 };
    let exchange = of(Operation::AllToAll);
    assert_eq!(exchange.cut.map(|cut| (cut.cycles, cut.set)), Some((21, middle)));
    // Sizes times distances are 2 * 20 over 6 channels.
    assert_eq!(bandwidth(exchange), (2 * 7 + 5, Some(BandwidthSource::Distances)));
    assert_eq!(exchange.lower_bound_source(), Some(CollectiveBoundSource::Latency));
    // A unit of a barrier reaches every node.
    let barrier = of(Operation::Barrier);
    assert_eq!(bandwidth(barrier), (7, node(0)));
    assert_eq!(barrier.lower_bound_cycles(), 121);
    // The larger one is the source.
    assert_eq!(scatter.lower_bound_source(), Some(CollectiveBoundSource::Latency));
    assert_eq!(barrier.lower_bound_source(), Some(CollectiveBoundSource::Latency));
    let large = bounds(Operation::AllReduce, 500, &line, COSTS);
    assert_eq!((large.bandwidth_cycles, large.latency_cycles), (1005, 121));
    assert_eq!(large.lower_bound_source(), Some(CollectiveBoundSource::Bandwidth));
    assert_eq!(CollectiveBounds::default().lower_bound_source(), None);
}

#[test]
fn half_duplex_counts_links() {
    let ring = Machine::new(MachineKind::Ring, &[6]).unwrap();
    let half = LinkCosts { link_mode: LinkMode::HalfDuplex, ..COSTS };
    // A node has 2 channels that end, or 2 links: M = 12 in, or 24 both ways. Arrivals: 2 * 12
    //  * 5 on 12 channels or 6 links.
    assert_eq!(bounds(Operation::AllReduce, 12, &ring, COSTS).bandwidth_cycles, 2 * 10 + 5);
    let both = bounds(Operation::AllReduce, 12, &ring, half);
    assert_eq!(bandwidth(both), (2 * 20 + 5, Some(BandwidthSource::Arrivals)));
    // M u k / 8, and twice as much over links.
    assert_eq!(bounds(Operation::AllToAll, 12, &ring, COSTS).cut_cycles(), 18 + 5);
    assert_eq!(bounds(Operation::AllToAll, 12, &ring, half).cut_cycles(), 36 + 5);
}

#[test]
fn all_to_all_on_toruses_and_meshes_meets_the_formula_of_the_longest_side() {
    for (lengths, side) in [(vec![8, 4], 8), (vec![4, 6, 2], 6), (vec![10], 10)] {
        let torus = Machine::new(MachineKind::Torus, &lengths).unwrap();
        let mesh = Machine::new(MachineKind::Mesh, &lengths).unwrap();
        let vector = torus.node_count() * 4;
        let cut = |machine| bounds(Operation::AllToAll, vector, machine, COSTS).cut_cycles() - 5;
        assert_eq!((cut(&torus), cut(&mesh)), (vector * 2 * side / 8, vector * 2 * side / 4));
    }
}

#[test]
fn graphs_have_degrees_and_distances() {
    // A star of 4: the hub 0 and three leaves.
    let star = Network::from_edges(4, &[(0, 1), (0, 2), (0, 3)]).unwrap();
    let star = Machine::network(MachineKind::Network, star).unwrap();
    let reduce = bounds(Operation::Reduce, 9, &star, COSTS);
    assert_eq!(reduce.bandwidth_source, Some(BandwidthSource::Node(NodeId::new(1))));
    assert_eq!((reduce.bandwidth_cycles, reduce.distance), (23, 1));
    // Blocks of 2: sizes times distances are 2 * (3 + 3 * 5) over 6 channels.
    let exchange = bounds(Operation::AllToAll, 8, &star, COSTS);
    assert_eq!(bandwidth(exchange), (17, Some(BandwidthSource::Distances)));
    assert_eq!(exchange.distance, 2);
}

#[test]
fn data_that_goes_nowhere_bounds_nothing() {
    let ring = Machine::new(MachineKind::Ring, &[4]).unwrap();
    assert_eq!(bounds(Operation::AllReduce, 0, &ring, COSTS).lower_bound_cycles(), 0);
    // Operations without a root ignore the one given.
    let rootless = CollectiveSpecification { root: 9, ..specification(Operation::AllReduce, &[4], 8) };
    let nodes: Vec<NodeId> = ring.nodes().collect();
    assert_eq!(Collective::new(rootless).unwrap().bounds(&ring, &nodes, COSTS).distance, 2);
    // The only block of one unit belongs to rank 3, the root.
    let gather = CollectiveSpecification { root: 3, ..specification(Operation::Gather, &[4], 1) };
    let none = Collective::new(gather).unwrap().bounds(&ring, &nodes, COSTS);
    assert_eq!((none.lower_bound_cycles(), none.steps_cycles), (0, 0));
    // All ranks on one node: nothing crosses a link, but a step starts.
    let together = collective(Operation::AllReduce, &[4], 8).bounds(&ring, &[NodeId::new(2); 4], COSTS);
    assert_eq!((together.bandwidth_cycles, together.latency_cycles), (0, 100));
}

#[test]
fn steps_count_the_messages_of_a_process_at_a_time() {
    let machine = Machine::new(MachineKind::Torus, &[3, 3]).unwrap();
    let nodes: Vec<NodeId> = machine.nodes().collect();
    let steps = |algorithm, ports| {
        let plain =
            CollectiveSpecification { algorithm, ports, ..specification(Operation::AllReduce, &[3, 3], 90) };
        Collective::new(plain).unwrap().bounds(&machine, &nodes, COSTS).steps_cycles
    };
    assert_eq!(steps(Algorithm::Trivance, Ports::All), 200);
    assert_eq!(steps(Algorithm::Bucket, Ports::All), 400);
}
