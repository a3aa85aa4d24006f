//! Orders of axes against slow and obvious counts.

use std::collections::BTreeSet;

use super::*;

fn shape(lengths: &[u64]) -> Shape {
    Shape::new(lengths).unwrap()
}

fn torus(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Torus, lengths).unwrap()
}

fn nodes(order: &str, guest: &[u64], machine: &Machine) -> Vec<u32> {
    let order: AxisOrder = order.parse().unwrap();
    let table = order.place(&shape(guest), machine).unwrap();
    table.nodes().iter().map(|node| node.index()).collect()
}

/// The largest distance of two neighbours on the rings along an axis of the guest.
fn ring_dilation(order: &AxisOrder, guest: &Shape, machine: &Machine, axis: usize) -> u64 {
    let table = order.place(guest, machine).unwrap();
    let stride: u64 = guest.lengths()[..axis].iter().product();
    let length = guest.lengths()[axis];
    let next = |rank: u64| {
        let coordinate = rank / stride % length;
        rank - coordinate * stride + (coordinate + 1) % length * stride
    };
    let node = |rank: u64| table.nodes()[usize::try_from(rank).unwrap()];
    (0..guest.node_count()).map(|rank| machine.distance(node(rank), node(next(rank)))).max().unwrap()
}

#[test]
fn axes_of_equal_lengths_are_permuted() {
    // Six orders on three axes: each permutation of the machine's axes once.
    let machine = torus(&[2, 3, 4]);
    let all = AxisOrder::all(&shape(&[4, 2, 3]), &machine).unwrap();
    let whole: Vec<String> = all.iter().map(ToString::to_string).filter(|name| !name.contains('x')).collect();
    assert_eq!(whole, ["0=3/1=1/2=2"]);
    assert_eq!(AxisOrder::all(&shape(&[4, 4, 4]), &torus(&[4, 4, 4])).unwrap().len(), 6);
    // Rank (x, y, z) of 4 x 2 x 3 is on node (y, z, x).
    let placed = nodes("0=3/1=1/2=2", &[4, 2, 3], &machine);
    assert_eq!(placed[..5], [0, 6, 12, 18, 1]);
}

#[test]
fn a_rank_is_counted_along_the_axes_in_their_orders() {
    // Slow and obvious: the rank's coordinates count through the machine's coordinates.
    let (guest, machine) = (shape(&[8, 4, 4]), torus(&[4, 4, 8]));
    for order in AxisOrder::all(&guest, &machine).unwrap().iter().filter(|order| !order.is_folded()) {
        let table = order.place(&guest, &machine).unwrap();
        let mut hosts: Vec<usize> = order.axes().flat_map(|(_, hosts)| hosts).collect();
        hosts.dedup();
        for (rank, node) in (0_u64..).zip(table.nodes()) {
            let coordinates = [rank % 8, rank / 8 % 4, rank / 32];
            let (mut number, mut weight) = (0, 1);
            for (axis, _) in order.axes() {
                number += weight * coordinates[axis];
                weight *= guest.lengths()[axis];
            }
            let found = machine.shape().coordinates(*node);
            for &host in &hosts {
                let length = machine.shape().lengths()[host];
                assert_eq!(u64::from(found.as_slice()[host]), number % length, "{order}");
                number /= length;
            }
        }
    }
}

#[test]
fn every_order_is_a_bijection_of_its_own_and_is_read_back() {
    let pairs: [(&[u64], Machine); 5] = [
        (&[8, 4, 4], torus(&[4, 4, 8])),
        (&[12, 6], torus(&[6, 12])),
        (&[2, 36], torus(&[6, 12])),
        (&[16], Machine::new(MachineKind::Mesh, &[4, 4]).unwrap()),
        (&[4, 4, 4], torus(&[8, 8])),
    ];
    for (guest, machine) in pairs {
        let guest = shape(guest);
        let all = AxisOrder::all(&guest, &machine).unwrap();
        let mut seen = BTreeSet::new();
        for order in &all {
            let table = order.place(&guest, &machine).unwrap();
            assert_eq!(table.max_load(), 1);
            assert!(seen.insert(table.nodes().to_vec()), "{order} a second time");
            assert_eq!(order.to_string().parse::<AxisOrder>().as_ref(), Ok(order));
        }
    }
}

#[test]
fn boxes_are_all_ways_to_divide_the_axes() {
    let (guest, machine) = (shape(&[8, 16]), torus(&[8, 16]));
    let names: Vec<String> = AxisOrder::boxes(&guest, &machine, 100)
        .iter()
        .filter(|order| !order.is_folded())
        .map(ToString::to_string)
        .collect();
    let first = ["0=1:2x2:4/1=1:4x2:4", "0=1:4x2:2/1=1:2x2:8", "0=1:8/1=2:16", "0=2:8/1=1:8x2:2"];
    assert_eq!(names[..4], first);
    assert_eq!(names.len(), 7);
    for order in AxisOrder::boxes(&guest, &machine, 100) {
        assert_eq!(order.to_string().parse(), Ok(order.clone()));
        assert_eq!(order.place(&guest, &machine).unwrap().max_load(), 1, "{order}");
    }
    // Rings of 8 on boxes of 2 x 4 have dilation 1 without any wraparound.
    let machine = Machine::new(MachineKind::Mesh, &[8, 16]).unwrap();
    let order: AxisOrder = "0=1:2x2:4/1=1:4x2:4/folded".parse().unwrap();
    assert_eq!(ring_dilation(&order, &guest, &machine, 0), 1);
    assert_eq!(AxisOrder::boxes(&guest, &machine, 3).len(), 3);
    for wrong in
        ["0=1:2x2:4/1=1:4x2:2", "0=1:3x2:4/1=1:4x2:4", "0=1:2x2:4/1=1:4", "0=1:0/1=2:16", "0=1:2x2/1=2"]
    {
        let order: AxisOrder = wrong.parse().unwrap();
        assert!(order.place(&guest, &machine).is_err(), "{wrong}");
    }
}

#[test]
fn folded_rings_have_dilation_one_where_tao_gives_it() {
    // A ring of 16 on a mesh of 4 x 4, and two axes of 16 on boxes of 4 x 4.
    let mesh = Machine::new(MachineKind::Mesh, &[4, 4]).unwrap();
    let ring = shape(&[16]);
    let all = AxisOrder::all(&ring, &mesh).unwrap();
    let dilations: Vec<u64> = all.iter().map(|order| ring_dilation(order, &ring, &mesh, 0)).collect();
    assert_eq!(all[1].to_string(), "0=1x2/folded");
    assert_eq!(dilations, [6, 1, 6, 1]);
    let (guest, machine) = (shape(&[16, 16]), Machine::new(MachineKind::Mesh, &[4; 4]).unwrap());
    let all = AxisOrder::all(&guest, &machine).unwrap();
    let least = all
        .iter()
        .map(|order| (ring_dilation(order, &guest, &machine, 0), ring_dilation(order, &guest, &machine, 1)));
    assert!(least.clone().any(|dilations| dilations == (1, 1)), "{:?}", least.collect::<Vec<_>>());
    // Nothing is folded on whole rings.
    let rings = AxisOrder::all(&shape(&[6, 4]), &torus(&[6, 4])).unwrap();
    assert_eq!(rings.iter().filter(|order| order.is_folded()).count(), rings.len() - 1);
}

#[test]
fn what_does_not_divide_is_refused() {
    let lengths = AxisOrderError::Lengths { guest: "6x6".to_owned(), host: "4x9".to_owned() };
    assert_eq!(AxisOrder::all(&shape(&[6, 6]), &torus(&[4, 9])).unwrap_err(), lengths);
    let count = AxisOrderError::Count { processes: 8, nodes: 16 };
    assert_eq!(AxisOrder::all(&shape(&[8]), &torus(&[4, 4])).unwrap_err(), count);
    let many = AxisOrder::all(&shape(&[2; 7]), &torus(&[2; 7])).unwrap_err();
    assert_eq!(many, AxisOrderError::TooMany { pairs: 5040 * 5040 });
    let network = Machine::of_dimensions(MachineKind::CubeConnectedCycles, 3).unwrap();
    assert_eq!(AxisOrder::all(&shape(&[24]), &network).unwrap_err(), AxisOrderError::NoGrid);
    for wrong in ["0=1", "0=1/1=1", "0=1x2/1=2", "1=1/2=2"] {
        let order: AxisOrder = wrong.parse().unwrap();
        assert!(order.place(&shape(&[4, 4]), &torus(&[4, 4])).is_err(), "{wrong}");
    }
    for wrong in ["", "0", "0=0", "0=1/", "a=1", "0=1x", "folded"] {
        assert_eq!(wrong.parse::<AxisOrder>(), Err(ParseAxisOrderError), "{wrong}");
    }
}
