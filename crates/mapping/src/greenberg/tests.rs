//! The statements of Greenberg 1987 as tests, in the readings of the errata: theorems 2 and 3,
//! lemmas 6 and 7, corollaries 2 and 3, and section 6.1 on every mesh of a range. The golden data
//! and the placements are below.

mod golden;
mod papers_rest;
mod placements;

use cubefold_topology::TieRule;
use rayon::prelude::*;

use crate::{
    GraphGuest, GreenbergEmbedding, GreenbergMethod, GreenbergPlacement, GreenbergStage, MeshSides,
    Placement, PlacementMetrics, ReflectionMethod,
};

fn measure(placement: &GreenbergPlacement) -> PlacementMetrics {
    let guest = GraphGuest::new(placement.guest().clone());
    let whole = Placement::Greenberg(Box::new(placement.clone()));
    PlacementMetrics::measure_by_edge(&guest, &whole, TieRule::Direct)
}

/// The longest distance between neighbours before percolation, after every other check of sections
/// 3 and 4.
fn check_before_percolation(method: ReflectionMethod) -> usize {
    let mesh = method.intermediate();
    let table = method.slots(GreenbergStage::Swap).unwrap();
    let context = format!("{:?}", table.sides());
    check_doublets(method, &context);
    // Lemma 7: only the last log W1 - 1 columns have slots with two nodes.
    let mut nodes = vec![0_u32; mesh.slot_count() as usize];
    table.iter().for_each(|(_, _, slot)| nodes[mesh.cube_node(slot) as usize] += 1);
    for (node, &count) in (0..).zip(&nodes) {
        assert!(count <= 2, "{context}");
        let last = mesh.columns() - mesh.row_bits().saturating_sub(1);
        assert!(count < 2 || mesh.slot(node).column >= last, "{context}: {:?}", mesh.slot(node));
    }
    // 6.2: columns close to rings.
    assert!(table.wrap_spectrum(mesh).len() <= 1 + 2, "{context}");
    table.spectrum(mesh).len() - 1
}

/// Lemma 6: rows one reflection apart have numbers of doublets that differ by one at most, before
/// every block.
fn check_doublets(method: ReflectionMethod, context: &str) {
    let (mesh, sides) = (method.intermediate(), method.slots(GreenbergStage::Reflect).unwrap());
    let mut doublets = vec![0_i32; mesh.rows() as usize];
    let mut most = 0;
    for column in 0..sides.sides().columns() {
        for row in (method.singlet_rows()..sides.sides().rows()).step_by(2) {
            doublets[crate::gray_code_word(sides.slot(row, column).row) as usize] += 1;
        }
        for (row, count) in doublets.iter().enumerate() {
            for dimension in 0..mesh.row_bits() {
                assert!(i32::abs(count - doublets[row ^ (1 << dimension)]) <= 1, "{context}");
            }
        }
        most = most.max(doublets.iter().max().unwrap() - doublets.iter().min().unwrap());
    }
    assert!(most <= mesh.row_bits().cast_signed(), "{context}");
}

#[test]
fn theorem_2_dilation_is_3_before_percolation_for_every_mesh_up_to_64() {
    let methods = reflected(64);
    assert_eq!(methods.len(), 612);
    methods.into_par_iter().for_each(|method| assert_eq!(check_before_percolation(method), 3));
}

#[test]
fn corollary_2_rows_differ_by_one_dimension_and_columns_by_two_at_most() {
    reflected(64).into_par_iter().for_each(|method| {
        let table = method.slots(GreenbergStage::Swap).unwrap();
        for (row, column, slot) in table.iter() {
            let below = (row + 1 < table.sides().rows()).then(|| table.slot(row + 1, column));
            let right = (column + 1 < table.sides().columns()).then(|| table.slot(row, column + 1));
            for other in below.into_iter().chain(right) {
                let words = |of: fn(crate::Slot) -> u32| {
                    (crate::gray_code_word(of(slot)) ^ crate::gray_code_word(of(other))).count_ones()
                };
                assert!(words(|slot| slot.row) <= 1 && words(|slot| slot.column) <= 2);
            }
        }
    });
}

/// The number of meshes of each dilation.
fn dilations(sides: Vec<MeshSides>) -> Vec<usize> {
    let dilation = |sides: MeshSides| {
        let embedding = GreenbergEmbedding::new([sides.rows().into(), sides.columns().into()]).unwrap();
        assert_eq!(embedding.cube_dimensions(), sides.cube_dimensions(), "{sides:?}");
        assert_eq!(embedding.cube_dimensions(), sides.process_count().next_power_of_two().trailing_zeros());
        assert!(sides.process_count() > 1 << 11 || embedding.load_factor() <= 8, "{sides:?}");
        embedding.table().spectrum(embedding.intermediate()).len().saturating_sub(1)
    };
    let all: Vec<usize> = sides.into_par_iter().map(dilation).collect();
    (0..=5).map(|links| all.iter().filter(|&&one| one == links).count()).collect()
}

#[test]
fn theorem_3_every_mesh_up_to_64_lies_in_its_smallest_cube() {
    let meshes = all_sides(64);
    assert_eq!(meshes.len(), 2080);
    let found = dilations(meshes);
    assert_eq!(found.iter().sum::<usize>(), 2080, "dilations up to 5 only");
    // Only 45 x 45 percolates, to a dilation that depends on the choice of paths.
    assert_eq!((found[0], found[1], found[2]), (1, 1467, 0));
    assert!(found[3] >= 611);
}

#[test]
fn theorem_3_holds_where_nodes_percolate() {
    for lengths in [[45, 45], [11, 93], [23, 89], [39, 105], [105, 39], [42, 195], [151, 217]] {
        let embedding = GreenbergEmbedding::new(lengths).unwrap();
        assert!(embedding.numbers().unwrap().doubled_slots > 0, "{lengths:?}");
        assert!(embedding.load_factor() <= 8, "{lengths:?}");
        let mesh = embedding.intermediate();
        assert!(embedding.table().spectrum(mesh).len() <= 6, "{lengths:?}");
        assert!(embedding.table().wrap_spectrum(mesh).len() <= 6, "{lengths:?}");
        let moves_by_one = |(row, column): (u32, u32)| {
            let before = embedding.slots(GreenbergStage::Swap).unwrap().slot(row, column);
            mesh.distance(before, embedding.table().slot(row, column)) <= 1
        };
        let (rows, columns) = (embedding.sides().rows(), embedding.sides().columns());
        assert!((0..rows).all(|row| moves_by_one((row, columns - 1)) && moves_by_one((row, columns / 2))));
    }
}

#[test]
fn sides_change_places_without_a_trace() {
    let (one, other) = (GreenbergEmbedding::new([5, 11]).unwrap(), GreenbergEmbedding::new([11, 5]).unwrap());
    for first in 0..5 {
        for second in 0..11 {
            assert_eq!(one.node([first, second]), other.node([second, first]));
        }
    }
    assert_eq!((one.row_axis(), other.row_axis()), (0, 1));
}

#[test]
fn what_has_no_such_stage_or_method_says_so() {
    let error = |rows, columns| {
        ReflectionMethod::new(MeshSides::new(rows, columns).unwrap()).unwrap_err().to_string()
    };
    let expected =
        "expected rows that are no power of two and no more nodes than under(rows) x over(columns)";
    assert_eq!(error(4, 5), format!("a mesh of 4 x 5 nodes by reflection, {expected}"));
    assert_eq!(error(7, 10), format!("a mesh of 7 x 10 nodes by reflection, {expected}"));
    assert_eq!(error(1, 9), format!("a mesh of 1 x 9 nodes by reflection, {expected}"));
    let stage =
        |lengths, stage| GreenbergEmbedding::new(lengths).unwrap().slots(stage).unwrap_err().to_string();
    assert_eq!(stage([4, 8], GreenbergStage::Pack), "stage pack of the gray method, which has gray");
    assert_eq!(
        stage([5, 11], GreenbergStage::Gray),
        "stage gray of the reflection method, which has compress, reflect, pack, fold, swap, percolate"
    );
}

#[test]
#[ignore = "minutes: every mesh with sides up to 256"]
fn theorem_3_every_mesh_up_to_256_lies_in_its_smallest_cube() {
    let found = dilations(all_sides(256));
    assert_eq!(found.iter().sum::<usize>(), 256 * 257 / 2);
    let percolating = reflected(256).into_par_iter().filter(|method| {
        let before = method.run(GreenbergStage::Swap).unwrap();
        before.doublets.iter().max().unwrap() + before.table.sides().columns()
            > method.intermediate().columns()
    });
    assert_eq!(percolating.count(), 63);
}

#[test]
#[ignore = "minutes: meshes of about 2^20 nodes"]
fn theorem_3_holds_up_to_a_million_nodes() {
    let sizes = (1..=1024)
        .step_by(7)
        .flat_map(|rows| [(1 << 20) / rows, (1 << 20) / rows - 1].map(|columns| [rows, columns]));
    sizes.collect::<Vec<_>>().into_par_iter().for_each(|lengths| {
        assert!(GreenbergEmbedding::new(lengths).is_ok(), "{lengths:?}");
    });
}

/// All sides `W <= L` up to `most`.
fn all_sides(most: u64) -> Vec<MeshSides> {
    let columns = |rows| (rows..=most).map(move |columns| MeshSides::new(rows, columns).unwrap());
    (1..=most).flat_map(columns).collect()
}

/// The meshes that need the reflection method.
fn reflected(most: u64) -> Vec<ReflectionMethod> {
    let sides = all_sides(most).into_iter().filter(|sides| sides.method() == GreenbergMethod::Reflection);
    sides.map(|sides| ReflectionMethod::new(sides).unwrap()).collect()
}
