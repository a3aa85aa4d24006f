//! Figure 6: the 11 x 5 mesh. It is drawn with the longer side compressed, against section 4, so that the steps are
//! called directly (errata G15).

use serde::Deserialize;

use super::golden::golden;
use crate::{GreenbergStage, MeshSides, ReflectionMethod};

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
