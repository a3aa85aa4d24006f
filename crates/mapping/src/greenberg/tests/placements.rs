//! Guests of any number of dimensions on hypercube machines: 6.2 and 6.3.

use cubefold_topology::{HostDimension, Machine, MachineKind, NodeId};

use super::measure;
use crate::{
    Exactness, GreenbergConstruction, GreenbergError, GreenbergMethod, GreenbergPlacement, PlacementMetrics,
    ProcessId,
    test_support::{cube, mesh, wrapping},
};

/// The placement on the cube that it asks for, and its metrics.
fn place(guest: &Machine) -> (GreenbergPlacement, PlacementMetrics) {
    let host = cube(GreenbergPlacement::cube_dimensions(guest));
    let placement = GreenbergPlacement::new(guest, &host).unwrap();
    let metrics = measure(&placement);
    assert_eq!(metrics.load.max, 1);
    assert!(metrics.dilation.max() <= placement.promised_dilation().links, "{guest:?}");
    (placement, metrics)
}

#[test]
fn routes_in_dimension_order_are_the_paths_of_6_1() {
    for lengths in [[5, 11], [7, 9], [13, 19], [19, 13], [21, 47]] {
        let (placement, metrics) = place(&mesh(&lengths));
        let embedding = placement.parts()[0].embedding();
        assert_eq!(metrics.link_congestion.max, u64::from(embedding.load_factor()), "{lengths:?}");
        assert!(metrics.link_congestion.max <= 4);
    }
}

#[test]
fn lines_and_full_meshes_lie_by_the_gray_code() {
    let (line, metrics) = place(&mesh(&[11]));
    assert_eq!(
        (line.construction(), line.promised_dilation().links, metrics.dilation.max()),
        (GreenbergConstruction::Gray, 1, 1)
    );
    assert_eq!(line.promised_dilation().exactness, Exactness::Exact);
    assert_eq!(line.table().machine().shape().dimension_count(), 4);
    assert_eq!(line.parts()[0].rows(), None);
    let nodes: Vec<u32> = line.table().nodes().iter().map(|node| node.index()).take(5).collect();
    assert_eq!(nodes, [0, 1, 3, 2, 6]);
    assert_eq!(place(&mesh(&[4, 8])).1.dilation.max(), 1);
}

#[test]
fn axes_in_pairs_save_a_dimension_each_at_dilation_5() {
    let mut above = 0;
    let sides = [3, 4, 5, 6, 7];
    for code in 0..625_usize {
        let lengths: Vec<u64> = (0..4).map(|digit| sides[code / 5_usize.pow(digit) % 5]).collect();
        if !lengths.is_sorted() {
            continue;
        }
        for lengths in [&lengths[1..], &lengths] {
            let (placement, _) = place(&mesh(lengths));
            if placement.construction() == GreenbergConstruction::Tiles {
                continue;
            }
            let needed = placement.table().machine().shape().dimension_count();
            let gray: u32 = lengths.iter().map(|length| length.next_power_of_two().trailing_zeros()).sum();
            let reflected = placement
                .parts()
                .iter()
                .filter(|part| part.embedding().method() == GreenbergMethod::Reflection);
            assert_eq!(needed + reflected.count(), gray as usize, "{lengths:?}");
            let least = lengths.iter().product::<u64>().next_power_of_two().trailing_zeros();
            above += u32::from(needed > least as usize);
        }
    }
    assert!(above > 0, "the smallest cube is not promised");
}

#[test]
fn the_fullest_side_that_goes_with_the_emptiest_is_its_pair() {
    let (placement, _) = place(&mesh(&[5, 3, 11]));
    let axes: Vec<_> = placement
        .parts()
        .iter()
        .map(|part| (part.rows().map(HostDimension::number), part.columns().number()))
        .collect();
    // 3 is the fullest that goes with 5: a cube of 4 dimensions for both, and 4 for the 11.
    assert_eq!(axes, [(Some(2), 1), (None, 3)]);
    // 63 processes: 6 dimensions would have room.
    assert_eq!(GreenbergPlacement::cube_dimensions(&mesh(&[3, 3, 7])), 7);
    assert_eq!(placement.parts()[1].first_bit(), 4);
}

#[test]
fn polymorphic_arrays_of_6_3_lie_in_a_cube_smaller_by_one_dimension() {
    for (lengths, dimensions) in [([5, 11], 6), ([21, 47], 10)] {
        let (placement, metrics) = place(&mesh(&lengths));
        assert_eq!(placement.table().machine().shape().dimension_count(), dimensions);
        assert_eq!(placement.construction(), GreenbergConstruction::Reflection);
        assert_eq!(metrics.dilation.max(), 3);
    }
}

#[test]
fn columns_may_wrap() {
    for (lengths, wraps) in [
        ([5, 11], [true, false]),
        ([11, 5], [false, true]),
        ([5, 5], [false, true]),
        ([45, 45], [true, false]),
    ] {
        let guest = wrapping(&lengths, &wraps);
        let (placement, metrics) = place(&guest);
        assert_eq!(placement.promised_dilation().links, 5);
        let wrapped = usize::from(wraps[1]);
        assert_eq!(placement.parts()[0].rows().unwrap().index(), wrapped, "{lengths:?}");
        let most = if lengths == [45, 45] { 5 } else { 3 };
        assert!(metrics.dilation.max() <= most, "{lengths:?}");
    }
    assert_eq!(place(&wrapping(&[8, 5], &[true, false])).1.dilation.max(), 1);
}

#[test]
fn other_sides_that_wrap_are_refused() {
    let error = |lengths: &[u64], wraps: &[bool]| {
        let guest = wrapping(lengths, wraps);
        GreenbergPlacement::new(&guest, &cube(GreenbergPlacement::cube_dimensions(&guest)))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(&[5, 11], &[false, true]),
        "dimension 2 of length 11 wraps and is the longer side of a mesh by reflection, expected one that does not wrap"
    );
    assert_eq!(
        error(&[5, 5], &[true, true]),
        "dimension 2 of length 5 wraps and is the longer side of a mesh by reflection, expected one that does not wrap"
    );
}

#[test]
fn machines_of_another_size_and_guests_too_large_are_refused() {
    let error = |guest: &Machine, host: &Machine| GreenbergPlacement::new(guest, host).unwrap_err();
    assert_eq!(
        error(&mesh(&[5, 11]), &cube(5)).to_string(),
        "a hypercube of 5 dimensions, expected 6, or 7 or more"
    );
    assert_eq!(
        error(&mesh(&[5, 11]), &cube(5)),
        GreenbergError::CubeDimensions { found: 5, expected: 6, gray: Some(7) }
    );
    assert_eq!(
        error(&mesh(&[4, 8]), &cube(4)).to_string(),
        "a hypercube of 4 dimensions, expected 5 or more"
    );
    let torus = Machine::new(MachineKind::Torus, &[2, 32]).unwrap();
    assert_eq!(
        error(&mesh(&[5, 11]), &torus).to_string(),
        "length of dimension 2 of the machine is 32, expected a hypercube"
    );
    assert_eq!(
        error(&mesh(&[1 << 13, 1 << 12]), &cube(25)).to_string(),
        "33554432 processes, expected at most 16777216"
    );
}

#[test]
fn nodes_are_those_of_the_pairs_side_by_side() {
    let (placement, _) = place(&mesh(&[3, 5, 4]));
    let [pair, alone] = placement.parts() else { panic!("two parts") };
    let (low, high) = (pair.embedding(), alone.embedding());
    for process in ProcessId::first(60) {
        let coordinates = placement.guest().shape().coordinates(NodeId::new(process.label()));
        let [first, second, third] = coordinates.as_slice() else { panic!("three coordinates") };
        let expected = low.node([*first, *second]) | high.node([0, *third]) << low.cube_dimensions();
        assert_eq!(placement.table().node(process).index(), expected);
    }
}
