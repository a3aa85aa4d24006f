//! The checked data of `tests/golden/greenberg.json`, whose `note` says which values follow from the method alone.
//!
//! Figure 6, the 11 x 5 mesh, is drawn with the longer side compressed, against section 4, so that its steps are called
//! directly (errata G15).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    GreenbergEmbedding, GreenbergMethod, GreenbergStage, MeshSides, ReflectionMethod, flexed_dimension,
    gray_code_word, gray_dimension,
};

#[derive(Deserialize)]
pub(super) struct Golden {
    pub(super) figure_6: Figure,
    gray_sequence_5_dimensions: Vec<u32>,
    flexed_sequence_5_dimensions: Vec<u32>,
    flexed_sequence_3_dimensions_cyclic_first_16: Vec<u32>,
    pebbling_n3_p3_counts_by_node_after_rounds_1_to_8: Vec<Vec<u64>>,
    reflection_3x5_row_and_column_position_0_based: Vec<Vec<[u32; 2]>>,
    meshes: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "W")]
    rows: u64,
    #[serde(rename = "L")]
    columns: u64,
    cube_dimension: u32,
    method: String,
    dilation_bound: u32,
    dilation_measured: usize,
    nodes_over_processes: [u32; 2],
    intermediate_mesh: [u32; 2],
    #[serde(flatten)]
    reflection: Option<Reflection>,
}

#[derive(Deserialize)]
struct Reflection {
    dilation_before_percolation: usize,
    spectrum_before_percolation: BTreeMap<String, u64>,
    #[serde(rename = "singlet_rows_S")]
    singlets: u32,
    #[serde(rename = "doublet_rows_D")]
    doublets: u32,
    doublets_swapped_in_step_5: u64,
    columns_used_before_step_4: [u32; 2],
    slots_with_two_nodes: u32,
    empty_slots_before_percolation: u32,
    load_factor_measured_high_dimension_first: u32,
    load_factor_bound: u32,
}

pub(super) fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../../../tests/golden/greenberg.json")).unwrap()
}

#[test]
fn sequences_are_those_in_the_data() {
    let golden = golden();
    let sequence = |of: fn(u32, u32) -> u32, dimensions, length| -> Vec<u32> {
        (1..=length).map(|step| of(step, dimensions)).collect()
    };
    assert_eq!(sequence(gray_dimension, 5, 31), golden.gray_sequence_5_dimensions);
    assert_eq!(sequence(flexed_dimension, 5, 31), golden.flexed_sequence_5_dimensions);
    assert_eq!(sequence(flexed_dimension, 3, 16), golden.flexed_sequence_3_dimensions_cyclic_first_16);
}

#[test]
fn a_reflected_pebbling_is_the_one_in_the_data() {
    let mut counts = vec![0; 8];
    let (mut pebbles, mut rounds) = ([0, 1, 2].map(gray_code_word), vec![]);
    for round in 1..=8 {
        for node in pebbles {
            counts[node as usize] += 1;
        }
        rounds.push(counts.clone());
        pebbles = pebbles.map(|node| node ^ (1 << flexed_dimension(round, 3)));
    }
    assert_eq!(rounds, golden().pebbling_n3_p3_counts_by_node_after_rounds_1_to_8);
}

#[test]
fn the_slots_of_the_3_x_5_mesh_are_those_in_the_data() {
    let method = ReflectionMethod::new(MeshSides::new(3, 5).unwrap()).unwrap();
    let table = method.slots(GreenbergStage::Percolate).unwrap();
    let rows = (0..3).map(|row| {
        (0..5).map(|column| table.slot(row, column)).map(|slot| [slot.row, slot.column]).collect()
    });
    assert_eq!(rows.collect::<Vec<Vec<_>>>(), golden().reflection_3x5_row_and_column_position_0_based);
}

#[test]
fn numbers_of_every_mesh_are_those_in_the_data() {
    let meshes = golden().meshes;
    assert_eq!(meshes.len(), 27);
    for mesh in meshes {
        let context = format!("{} x {}", mesh.rows, mesh.columns);
        let embedding = GreenbergEmbedding::new([mesh.rows, mesh.columns]).unwrap();
        assert_eq!(embedding.method().name(), mesh.method, "{context}");
        assert_eq!(embedding.cube_dimensions(), mesh.cube_dimension, "{context}");
        assert_eq!(embedding.promised_dilation(), mesh.dilation_bound, "{context}");
        let intermediate = embedding.intermediate();
        assert_eq!([intermediate.rows(), intermediate.columns()], mesh.intermediate_mesh, "{context}");
        let sizes = [intermediate.slot_count(), embedding.sides().process_count()];
        assert_eq!(sizes, mesh.nodes_over_processes, "{context}");
        let dilation = embedding.table().spectrum(intermediate).len() - 1;
        match mesh.reflection {
            None => {
                assert_eq!((embedding.method(), dilation), (GreenbergMethod::Gray, mesh.dilation_measured));
            }
            Some(reflection) => check(&embedding, &reflection, &context),
        }
    }
}

fn check(embedding: &GreenbergEmbedding, expected: &Reflection, context: &str) {
    let numbers = embedding.numbers().unwrap();
    assert_eq!(
        (numbers.singlet_rows, numbers.doublet_rows),
        (expected.singlets, expected.doublets),
        "{context}"
    );
    assert_eq!(numbers.doublets_swapped, expected.doublets_swapped_in_step_5, "{context}");
    assert_eq!(
        [numbers.fewest_columns, numbers.most_columns],
        expected.columns_used_before_step_4,
        "{context}"
    );
    assert_eq!(numbers.doubled_slots, expected.slots_with_two_nodes, "{context}");
    assert_eq!(numbers.empty_slots, expected.empty_slots_before_percolation, "{context}");
    assert_eq!(numbers.spectrum.len() - 1, expected.dilation_before_percolation, "{context}");
    let spectrum = (0..).zip(&numbers.spectrum).filter(|&(_, &edges)| edges > 0);
    let spectrum: BTreeMap<String, u64> =
        spectrum.map(|(links, &edges): (u32, _)| (links.to_string(), edges)).collect();
    assert_eq!(spectrum, expected.spectrum_before_percolation, "{context}");
    let load_factor = embedding.load_factor();
    assert!(load_factor <= expected.load_factor_bound, "{context}: {load_factor}");
    if numbers.doubled_slots == 0 {
        // Otherwise the load factor depends on the choice of paths.
        assert_eq!(load_factor, expected.load_factor_measured_high_dimension_first, "{context}");
    }
}

/// A slot, or none, in rows of the intermediate mesh.
type Matrix = Vec<Vec<Option<u32>>>;

#[derive(Deserialize)]
pub(super) struct Figure {
    #[serde(rename = "W")]
    rows: u64,
    #[serde(rename = "L")]
    columns: u64,
    #[serde(rename = "S")]
    singlets: u32,
    #[serde(rename = "D")]
    doublets: u32,
    after_step_1: Matrix,
    after_step_2: Matrix,
    after_step_3: Matrix,
}

#[test]
fn the_steps_are_those_of_figure_6() {
    let figure = golden().figure_6;
    let method = ReflectionMethod::new(MeshSides::new(figure.rows, figure.columns).unwrap()).unwrap();
    assert_eq!((method.singlet_rows(), method.doublet_rows()), (figure.singlets, figure.doublets));
    assert_eq!(matrix(method, GreenbergStage::Compress, 10), figure.after_step_1);
    assert_eq!(matrix(method, GreenbergStage::Reflect, 10), figure.after_step_2);
    assert_eq!(matrix(method, GreenbergStage::Pack, 8), figure.after_step_3);
    // Nothing stands beyond the eight columns: step 4 has nothing to do.
    assert_eq!(matrix(method, GreenbergStage::Fold, 8), figure.after_step_3);
}

/// The rows of the mesh, counted from 1, in the slots.
fn matrix(method: ReflectionMethod, stage: GreenbergStage, width: usize) -> Matrix {
    let mut matrix = vec![vec![None; width]; method.intermediate().rows() as usize];
    for (row, _, slot) in method.slots(stage).unwrap().iter() {
        let place = &mut matrix[slot.row as usize][slot.column as usize];
        assert_eq!(place.replace(row + 1), None);
    }
    matrix
}
