//! The cases of `tests/golden/papers_rest.json` for `docs/model.md` section 28.5, and its counts: Gray codes, the longer
//! side compressed or folded, tiles and polymorphic arrays.

use std::collections::BTreeMap;

use cubefold_topology::{Machine, MachineKind, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{all_sides, measure};
use crate::{
    Exactness, GreenbergConstruction, GreenbergEmbedding, GreenbergError, GreenbergMethod,
    GreenbergPlacement, GreenbergStage, MeshSides, PlacementMetrics, ReflectionMethod,
    test_support::{self, cube, mesh, wrapping},
};

/// The dimensions of the least cube with room for `count` nodes.
fn bits(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

fn cases<Case: DeserializeOwned>(item: &str) -> Vec<Case> {
    test_support::cases(item).into_iter().map(|case| serde_json::from_value(case).unwrap()).collect()
}

fn torus(lengths: [u64; 2]) -> Machine {
    Machine::new(MachineKind::Torus, &lengths).unwrap()
}

fn nodes(placement: &GreenbergPlacement) -> Vec<u32> {
    placement.table().nodes().iter().map(|node| node.index()).collect()
}

/// A spectrum by index, without its zeros.
fn by_links(spectrum: &[u64]) -> BTreeMap<u64, u64> {
    (0..).zip(spectrum.iter().copied()).filter(|&(_, edges)| edges > 0).collect()
}

#[derive(Deserialize)]
struct GrayCase {
    shape: Vec<u64>,
    wrap: Vec<bool>,
    dimensions: u32,
    expect: GrayExpected,
}

#[derive(Deserialize)]
struct GrayExpected {
    dilation: u64,
    load: u64,
    spectrum: BTreeMap<u64, u64>,
    nodes: Option<Vec<u32>>,
}

#[test]
fn gray_codes_are_those_of_the_data() {
    let all = cases::<GrayCase>("greenberg:gray");
    assert_eq!(all.len(), 10);
    for case in all {
        let (guest, host) = (wrapping(&case.shape, &case.wrap), cube(case.dimensions));
        let named = GreenbergPlacement::named(GreenbergConstruction::Gray, &guest, &host).unwrap();
        assert_eq!(GreenbergPlacement::new(&guest, &host).unwrap(), named);
        let metrics = measure(&named);
        assert_eq!(metrics.dilation.max(), case.expect.dilation, "{guest:?}");
        assert_eq!(named.promised_dilation().links, case.expect.dilation, "{guest:?}");
        assert_eq!(metrics.load.max, case.expect.load);
        assert_eq!(metrics.dilation.spectrum, case.expect.spectrum, "{guest:?}");
        if let Some(expected) = case.expect.nodes {
            assert_eq!(nodes(&named), expected, "{guest:?}");
        }
    }
}

/// Every shape of up to three sides, with sides up to the limits, and every way to wrap it.
fn shapes(most: [u64; 3]) -> Vec<(Vec<u64>, Vec<bool>)> {
    let (mut all, mut shapes): (Vec<(Vec<u64>, Vec<bool>)>, _) = (vec![], vec![vec![]]);
    for (dimensions, most) in (1..=3).zip(most) {
        shapes = shapes
            .iter()
            .flat_map(|shape: &Vec<u64>| (2..=9).map(move |side| [&shape[..], &[side]].concat()))
            .collect::<Vec<_>>();
        let longer = (10..=most).map(|side| [vec![3; dimensions - 1], vec![side]].concat());
        for shape in shapes.iter().cloned().chain(longer) {
            for code in 0..1_u32 << dimensions {
                all.push((shape.clone(), (0..dimensions).map(|at| code >> at & 1 == 1).collect()));
            }
        }
    }
    all
}

#[test]
fn every_grid_lies_in_every_cube_that_its_gray_code_fits() {
    let shapes = shapes([200, 60, 20]);
    assert!(shapes.len() > 1884, "{}", shapes.len());
    shapes.into_par_iter().for_each(|(shape, wraps)| {
        let guest = wrapping(&shape, &wraps);
        let least: u32 = shape.iter().map(|&side| bits(side)).sum();
        let is_odd_ring = |(side, wraps): (&u64, &bool)| *wraps && *side > 2 && !side.is_multiple_of(2);
        let promised = if shape.iter().zip(&wraps).any(is_odd_ring) { 2 } else { 1 };
        for dimensions in [least, least + 2] {
            let placed = GreenbergPlacement::new(&guest, &cube(dimensions)).unwrap();
            assert_eq!(placed.construction(), GreenbergConstruction::Gray);
            let dilation = placed.promised_dilation();
            assert_eq!((dilation.links, dilation.exactness), (promised, Exactness::Exact));
            let metrics = measure(&placed);
            assert_eq!((metrics.dilation.max(), metrics.load.max), (promised, 1), "{guest:?}");
            // The first sides of a coordinate are in the lowest bits.
            assert!(nodes(&placed).iter().all(|&node| node < 1 << least));
        }
        if least > 1 {
            let refused = GreenbergPlacement::named(GreenbergConstruction::Gray, &guest, &cube(least - 1));
            assert!(matches!(refused, Err(GreenbergError::CubeDimensions { .. })), "{guest:?}");
        }
    });
}

#[derive(Deserialize)]
struct LongerCase {
    shape: [u64; 2],
    expect: LongerExpected,
}

#[derive(Deserialize)]
struct LongerExpected {
    intermediate: [u32; 2],
    dimensions: u32,
    slots_with_two_nodes: u32,
    doublets_swapped: u64,
    dilation_before_percolation: u64,
    spectrum: BTreeMap<u64, u64>,
    slots: Option<Vec<Vec<[u32; 2]>>>,
}

#[test]
fn meshes_with_the_longer_side_compressed_are_those_of_the_data() {
    let all = cases::<LongerCase>("greenberg:longer-side");
    assert_eq!(all.len(), 5);
    for case in all {
        let (guest, expect) = (mesh(&case.shape), case.expect);
        let placed =
            GreenbergPlacement::named(GreenbergConstruction::LongerSide, &guest, &cube(expect.dimensions))
                .unwrap();
        let embedding = placed.parts()[0].embedding();
        let intermediate = embedding.intermediate();
        assert_eq!([intermediate.rows(), intermediate.columns()], expect.intermediate);
        let numbers = embedding.numbers().unwrap();
        assert_eq!(numbers.doubled_slots, expect.slots_with_two_nodes);
        assert_eq!(numbers.doublets_swapped, expect.doublets_swapped);
        let before = by_links(&numbers.spectrum);
        assert_eq!(before.keys().max(), Some(&expect.dilation_before_percolation));
        assert_eq!(before, expect.spectrum);
        assert_eq!(placed.promised_dilation().links, 5);
        // Nothing percolates in these.
        assert_eq!(measure(&placed).dilation.spectrum, before);
        let table = embedding.slots(GreenbergStage::Swap).unwrap();
        for (row, slots) in (0..).zip(expect.slots.into_iter().flatten()) {
            for (column, expected) in (0..).zip(slots) {
                let slot = table.slot(row, column);
                assert_eq!([slot.row, slot.column], expected, "row {row}, column {column}");
            }
        }
    }
}

/// The meshes `W < L` up to 64 by reflection whose transposes the method also takes.
fn transposed() -> Vec<MeshSides> {
    let sides = all_sides(64).into_iter().filter(|sides| sides.rows() < sides.columns());
    let reflected = sides.filter(|sides| sides.method() == GreenbergMethod::Reflection);
    reflected.filter(|sides| ReflectionMethod::new(swapped(*sides)).is_ok()).collect()
}

fn swapped(sides: MeshSides) -> MeshSides {
    MeshSides::new(sides.columns().into(), sides.rows().into()).unwrap()
}

#[test]
fn the_longer_side_compressed_stays_at_3_before_percolation_and_at_5_after_it() {
    let all = transposed();
    assert_eq!(all.len(), 589);
    let doubled: Vec<MeshSides> = all
        .into_par_iter()
        .filter(|&sides| {
            let method = ReflectionMethod::new(swapped(sides)).unwrap();
            let table = method.slots(GreenbergStage::Swap).unwrap();
            assert!(table.spectrum(method.intermediate()).len() <= 4, "{sides:?}");
            let guest = mesh(&[sides.rows().into(), sides.columns().into()]);
            let host = cube(sides.cube_dimensions());
            match GreenbergPlacement::named(GreenbergConstruction::LongerSide, &guest, &host) {
                Ok(placed) => {
                    let metrics = measure(&placed);
                    assert!(metrics.dilation.max() <= 5 && metrics.load.max == 1, "{sides:?}");
                    placed.parts()[0].embedding().numbers().unwrap().doubled_slots > 0
                }
                Err(error) => {
                    assert!(matches!(error, GreenbergError::Percolation(_)), "{sides:?}: {error}");
                    true
                }
            }
        })
        .collect();
    assert_eq!(doubled.len(), 18);
}

#[derive(Deserialize)]
struct FoldedCase {
    shape: [u64; 2],
    wrap: [bool; 2],
    expect: FoldedExpected,
}

#[derive(Deserialize)]
struct FoldedExpected {
    dilation_before_percolation: u64,
    spectrum: BTreeMap<u64, u64>,
    slots_with_two_nodes: u32,
}

#[test]
fn meshes_with_the_longer_side_folded_are_those_of_the_data() {
    let all = cases::<FoldedCase>("greenberg:folded");
    assert_eq!(all.len(), 5);
    for case in all {
        let (guest, host) = (wrapping(&case.shape, &case.wrap), cube(bits(case.shape.iter().product())));
        let placed = GreenbergPlacement::named(GreenbergConstruction::Folded, &guest, &host).unwrap();
        let doubled = placed.parts()[0].embedding().numbers().unwrap().doubled_slots;
        assert_eq!(doubled, case.expect.slots_with_two_nodes);
        // Nothing percolates in these.
        let metrics = measure(&placed);
        assert_eq!(metrics.dilation.max(), case.expect.dilation_before_percolation, "{guest:?}");
        assert_eq!(metrics.dilation.spectrum, case.expect.spectrum, "{guest:?}");
        assert_eq!(placed.promised_dilation().links, 8);
    }
}

#[test]
fn the_longer_side_folded_stays_at_6_before_percolation_and_at_8_after_it() {
    let all = all_sides(64).into_iter().filter(|sides| sides.method() == GreenbergMethod::Reflection);
    let all: Vec<MeshSides> = all.collect();
    assert_eq!(all.len(), 612);
    all.into_par_iter().for_each(|sides| {
        let lengths = [sides.rows().into(), sides.columns().into()];
        for rows_wrap in [false, true] {
            let (guest, host) = (wrapping(&lengths, &[rows_wrap, true]), cube(sides.cube_dimensions()));
            let placed = GreenbergPlacement::named(GreenbergConstruction::Folded, &guest, &host).unwrap();
            let percolates = placed.parts()[0].embedding().numbers().unwrap().doubled_slots > 0;
            let (metrics, most) = (measure(&placed), if percolates { 8 } else { 6 });
            assert!(metrics.dilation.max() <= most && metrics.load.max == 1, "{guest:?}");
        }
    });
}

#[test]
fn guests_and_machines_that_a_construction_is_not_for_are_refused() {
    let error = |construction, guest: &Machine, host: &Machine| {
        GreenbergPlacement::named(construction, guest, host).unwrap_err().to_string()
    };
    let (longer, folded) = (GreenbergConstruction::LongerSide, GreenbergConstruction::Folded);
    assert_eq!(error(longer, &mesh(&[5, 11]), &cube(7)), "a hypercube of 7 dimensions, expected 6");
    assert_eq!(error(longer, &mesh(&[3, 5, 7]), &cube(7)), "a guest of 3 dimensions, expected 2");
    assert_eq!(
        error(longer, &wrapping(&[5, 11], &[true, false]), &cube(6)),
        "dimension 1 of length 5 wraps and is a side of a mesh whose longer side is compressed, expected one that \
         does not wrap"
    );
    assert!(error(longer, &mesh(&[4, 16]), &cube(6)).starts_with("a mesh of 16 x 4 nodes by reflection"));
    assert_eq!(
        error(folded, &wrapping(&[5, 11], &[true, false]), &cube(6)),
        "dimension 2 of length 11, the longer side, does not wrap, expected a ring to fold"
    );
    assert!(error(folded, &wrapping(&[4, 6], &[true; 2]), &cube(5)).starts_with("a mesh of 4 x 6 nodes by"));
    let tiles = GreenbergConstruction::Tiles;
    assert_eq!(
        error(tiles, &mesh(&[3, 5, 3]), &cube(6)),
        "a guest of other sides, expected three of 3 * 2^a nodes that do not wrap"
    );
    let polymorphic = GreenbergConstruction::Polymorphic;
    assert_eq!(
        error(polymorphic, &mesh(&[3, 5]), &torus([8, 18])),
        "a machine of another shape, expected a torus of F_n x L_n nodes: 3 x 7, 5 x 11, 13 x 29, 21 x 47, .., or its smallest hypercube"
    );
    assert_eq!(error(polymorphic, &mesh(&[3]), &torus([5, 11])), "a guest of 1 dimensions, expected 2");
    assert_eq!(
        error(polymorphic, &wrapping(&[3, 5], &[false, true]), &torus([5, 11])),
        "dimension 2 of length 5 wraps and is a side of an array, expected one that does not wrap"
    );
}

#[derive(Deserialize)]
struct TileCase {
    expect: TileExpected,
}

#[derive(Deserialize)]
struct TileExpected {
    dilation: u64,
    load: u64,
    nodes: Vec<u32>,
}

#[test]
fn the_tile_is_that_of_the_data() {
    let [case] = &cases::<TileCase>("3x3x3-in-Q5")[..] else { panic!("one case") };
    let placed = GreenbergPlacement::new(&mesh(&[3, 3, 3]), &cube(5)).unwrap();
    assert_eq!(placed.construction(), GreenbergConstruction::Tiles);
    let metrics = measure(&placed);
    assert_eq!((metrics.dilation.max(), metrics.load.max), (case.expect.dilation, case.expect.load));
    assert_eq!(nodes(&placed), case.expect.nodes);
}

#[test]
fn three_sides_of_tiles_lie_in_the_smallest_cube_with_dilation_2() {
    for code in 0..64 {
        let lengths: Vec<u64> = (0..3).map(|side| 3 << (code >> (2 * side) & 3)).collect();
        let guest = mesh(&lengths);
        let dimensions = GreenbergPlacement::cube_dimensions(&guest);
        assert_eq!(dimensions, bits(guest.node_count()));
        let placed = GreenbergPlacement::new(&guest, &cube(dimensions)).unwrap();
        let metrics = measure(&placed);
        assert_eq!((metrics.dilation.max(), metrics.load.max), (2, 1), "{lengths:?}");
        assert_eq!(placed.promised_dilation().links, 2);
    }
    // With one dimension more, the Gray code does better.
    let gray = GreenbergPlacement::new(&mesh(&[3, 6, 3]), &cube(7)).unwrap();
    assert_eq!(gray.promised_dilation().links, 1);
    // A ring is not cut into tiles.
    let refused = GreenbergPlacement::new(&wrapping(&[3, 3, 3], &[true, false, false]), &cube(5));
    assert_eq!(refused.unwrap_err(), GreenbergError::CubeDimensions { found: 5, expected: 6, gray: Some(6) });
}

#[derive(Deserialize)]
struct ArrayCase {
    machine: [u64; 2],
    guest: [u64; 2],
    expect: ArrayExpected,
}

#[derive(Deserialize)]
struct ArrayExpected {
    load: u64,
    least_load: u64,
    dilation: u64,
    one_to_one: bool,
}

fn on_array(guest: [u64; 2], machine: [u64; 2]) -> (GreenbergPlacement, PlacementMetrics) {
    let placed =
        GreenbergPlacement::named(GreenbergConstruction::Polymorphic, &mesh(&guest), &torus(machine))
            .unwrap();
    let metrics = measure(&placed);
    assert!(metrics.dilation.max() <= placed.promised_dilation().links);
    (placed, metrics)
}

#[test]
fn polymorphic_arrays_are_those_of_the_data() {
    let all = cases::<ArrayCase>("polymorphic");
    assert_eq!(all.len(), 7);
    for case in all {
        let (_, metrics) = on_array(case.guest, case.machine);
        let (load, expect) = (metrics.load, case.expect);
        assert_eq!((load.max, load.min), (expect.load, expect.least_load), "{:?}", case.guest);
        assert_eq!((metrics.dilation.max(), load.max == 1), (expect.dilation, expect.one_to_one));
    }
}

const ARRAYS: [[u64; 2]; 6] = [[3, 7], [5, 11], [13, 29], [21, 47], [55, 123], [89, 199]];

#[test]
fn an_element_is_at_the_sum_and_the_difference_of_its_coordinates() {
    let (placed, _) = on_array([40, 50], [13, 29]);
    for process in 0..2000_u32 {
        let (i, j) = (i64::from(process % 40), i64::from(process / 40));
        let node = (i + j).rem_euclid(13) + 13 * (i - j).rem_euclid(29);
        assert_eq!(placed.table().nodes()[process as usize], NodeId::new(u32::try_from(node).unwrap()));
    }
}

#[test]
fn arrays_of_an_area_of_the_machine_over_the_root_of_5_are_one_to_one() {
    for machine in &ARRAYS[..4] {
        let nodes: u64 = machine.iter().product();
        // area^2 <= nodes^2 / 5
        let fits = |rows: u64, columns: u64| 5 * (rows * columns).pow(2) <= nodes.pow(2);
        for rows in 2..=nodes {
            let most = (2..=nodes).take_while(|&columns| fits(rows, columns)).last();
            for columns in [most, most.map(|most| most / 2)].into_iter().flatten().filter(|&side| side > 1) {
                assert_eq!(
                    on_array([rows, columns], *machine).1.load.max,
                    1,
                    "{rows} x {columns} on {machine:?}"
                );
            }
        }
    }
}

#[test]
fn the_smallest_square_that_folds_has_a_side_of_the_fibonacci_number_and_one() {
    for machine in ARRAYS {
        let square = |side: u64| on_array([side, side], machine).1.load.max;
        assert_eq!((square(machine[0]), square(machine[0] + 1)), (1, 2), "{machine:?}");
    }
}

#[test]
fn loads_of_random_arrays_differ_by_4_at_most() {
    let mut generator = ChaCha12Rng::seed_from_u64(63);
    for machine in &ARRAYS[..4] {
        for _ in 0..60 {
            let guest = [generator.random_range(2..=250), generator.random_range(2..=250)];
            let load = on_array(guest, *machine).1.load;
            assert!(load.max - load.min <= 4, "{guest:?} on {machine:?}: {} to {}", load.min, load.max);
        }
    }
}

#[test]
fn figure_6_is_reached_by_name() {
    let placed = GreenbergEmbedding::longer_side([11, 5]).unwrap();
    assert_eq!((placed.row_axis(), placed.sides().rows(), placed.cube_dimensions()), (0, 11, 6));
}
