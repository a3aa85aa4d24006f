//! The sequences `r_L` and `h_L`: round trips through a torus, and through a mesh of even first length.

use super::super::mixed_radix::narrow;
use super::super::radix_base::{Circuit, RadixBase};
use super::reflected;

/// Writes `h_L(x)` (Tao 1988, definition 3.3.5): the identity for one length, `r_L` for two; for more, with
/// `L' = (l_1, l_2)`, `L'' = (l_3, .., l_d)`, `m` the product of `L''`, `a = floor(x / (l_1 l_2 - 1))` and
/// `b = x mod (l_1 l_2 - 1)`,
///
/// ```text
/// r_L'(b) f_L''(a)                  while x < m (l_1 l_2 - 1) and a is even
/// r_L'(l_1 l_2 - 2 - b) f_L''(a)    while x < m (l_1 l_2 - 1) and a is odd
/// r_L'(l_1 l_2 - 1) f_L''(n-1-x)    afterwards
/// ```
pub(super) fn write_element(base: &RadixBase, position: u32, element: &mut [u32]) {
    let Some(circuit) = base.circuit() else {
        element[0] = position;
        return;
    };
    let (in_plane, in_depth) = element.split_at_mut(2);
    let (lap, x) = (circuit.lap.get(), u64::from(position));
    let (level, place) = if x >= circuit.tour {
        (base.product() - 1 - x, lap)
    } else {
        let (level, along) = circuit.lap.divide(x);
        (level, if level.is_multiple_of(2) { along } else { lap - 1 - along })
    };
    write_plane(circuit, place, in_plane);
    reflected::write_element(&base.lengths()[2..], level, in_depth);
}

/// `h_L^-1` of an element (Tao 1988, 4.3.1). The clause for `d >= 2` serves `d = 2` as well, with the empty
/// list at position 0 (errata C6).
pub(super) fn position(base: &RadixBase, element: &[u32]) -> u32 {
    let Some(circuit) = base.circuit() else {
        return element[0];
    };
    let (in_plane, in_depth) = element.split_at(2);
    let lap = circuit.lap.get();
    let level = u64::from(reflected::position(&base.lengths()[2..], in_depth));
    let place = plane_position(circuit, in_plane);
    narrow(if place == lap {
        base.product() - 1 - level
    } else if level.is_multiple_of(2) {
        level * lap + place
    } else {
        level * lap + lap - 1 - place
    })
}

/// Writes `r_L'(x)` (Tao 1988, definition 3.3.4): down the first column, then row by row through the others,
/// there and back. With one other column the rows are single nodes, which is the clause for `l_2 = 2`.
fn write_plane(circuit: &Circuit, x: u64, element: &mut [u32]) {
    if x < circuit.rows {
        element[0] = narrow(circuit.rows - 1 - x);
        element[1] = 0;
    } else {
        let (row, along) = circuit.other_columns.divide(x - circuit.rows);
        element[0] = narrow(row);
        element[1] = narrow(1 + if row.is_multiple_of(2) { along } else { circuit.columns - 2 - along });
    }
}

/// `r_L'^-1` of an element (Tao 1988, 4.3.1).
fn plane_position(circuit: &Circuit, element: &[u32]) -> u64 {
    let (row, column) = (u64::from(element[0]), u64::from(element[1]));
    if column == 0 {
        circuit.rows - 1 - row
    } else {
        let along = if row.is_multiple_of(2) { column - 1 } else { circuit.columns - 1 - column };
        circuit.rows + row * circuit.other_columns.get() + along
    }
}
