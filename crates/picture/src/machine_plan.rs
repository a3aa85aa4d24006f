//! Where the nodes of a machine lie on paper: the first coordinate across, the second down, and a layer for each
//! value of the others.

use cubefold_topology::{Machine, NodeId};

use crate::sheet::Point;

/// The places of nodes.
#[derive(Debug)]
pub(crate) struct MachinePlan<'machine> {
    pub(crate) machine: &'machine Machine,
    columns: u64,
    rows: u64,
    layers: u64,
    layers_across: u64,
    /// The distance between neighbours \[pixels\].
    pub(crate) step: f64,
    origin: Point,
}

/// The room between and around layers, in steps: links around go through it.
const GAP: f64 = 1.4;

impl<'machine> MachinePlan<'machine> {
    /// A plan with nodes `step` pixels apart, which begins at `origin`.
    pub(crate) fn new(machine: &'machine Machine, step: f64, origin: Point) -> Self {
        let lengths = machine.shape().lengths();
        let (columns, rows) = (lengths[0], lengths.get(1).copied().unwrap_or(1));
        let layers = machine.node_count() / (columns * rows);
        // About as wide as high; few layers stand side by side.
        let across = (1..=layers).find(|across| across * columns >= layers.div_ceil(*across) * rows);
        let layers_across = across.unwrap_or(layers).max(layers.min(4));
        Self { machine, columns, rows, layers, layers_across, step, origin }
    }

    /// The width of all layers \[pixels\].
    pub(crate) fn width(&self) -> f64 {
        number(self.layers_across.min(self.layers)) * self.layer_width()
    }

    /// The height of all layers \[pixels\].
    pub(crate) fn height(&self) -> f64 {
        number(self.layers.div_ceil(self.layers_across)) * self.layer_height()
    }

    /// The middle of a node.
    pub(crate) fn middle(&self, node: NodeId) -> Point {
        let index = u64::from(node.index());
        let (column, row) = (index % self.columns, index / self.columns % self.rows);
        let corner = self.layer_corner(index / (self.columns * self.rows));
        let within = (GAP - 1.0) + 0.5;
        Point {
            x: corner.x + (number(column) + within) * self.step,
            y: corner.y + self.title_height() + (number(row) + within) * self.step,
        }
    }

    /// The layers' titles with their places, where there are several.
    pub(crate) fn layer_titles(&self) -> Vec<(String, Point)> {
        if self.layers == 1 {
            return vec![];
        }
        let title = |layer: u64| {
            let first = self.machine.node(layer * self.columns * self.rows).ok()?;
            let coordinates = self.machine.shape().coordinates(first);
            let named = coordinates.as_slice().iter().enumerate().skip(2);
            let named: Vec<String> =
                named.map(|(place, value)| format!("p_{} = {value}", place + 1)).collect();
            let corner = self.layer_corner(layer);
            let at = Point { x: corner.x + (GAP - 1.0) * self.step, y: corner.y + 12.0 };
            Some((named.join(", "), at))
        };
        (0..self.layers).filter_map(title).collect()
    }

    fn layer_corner(&self, layer: u64) -> Point {
        Point {
            x: self.origin.x + number(layer % self.layers_across) * self.layer_width(),
            y: self.origin.y + number(layer / self.layers_across) * self.layer_height(),
        }
    }

    fn layer_width(&self) -> f64 {
        (number(self.columns) + 2.0 * (GAP - 1.0)) * self.step
    }

    fn layer_height(&self) -> f64 {
        (number(self.rows) + 2.0 * (GAP - 1.0)) * self.step + self.title_height()
    }

    fn title_height(&self) -> f64 {
        if self.layers > 1 { 14.0 } else { 0.0 }
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixels need no more")]
fn number(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    #[test]
    fn no_two_nodes_lie_closer_than_a_step_and_all_lie_inside() {
        let shapes: [&[u64]; 5] = [&[8], &[4, 4], &[3, 5], &[4, 4, 4], &[2, 3, 4, 2]];
        for shape in shapes {
            let machine = Machine::new(MachineKind::Torus, shape)
                .or_else(|_| Machine::new(MachineKind::Ring, shape))
                .unwrap();
            let plan = MachinePlan::new(&machine, 10.0, Point { x: 5.0, y: 7.0 });
            let places: Vec<Point> = machine.nodes().map(|node| plan.middle(node)).collect();
            for (number, one) in places.iter().enumerate() {
                let (right, bottom) = (5.0 + plan.width(), 7.0 + plan.height());
                assert!(one.x > 5.0 && one.x < right && one.y > 7.0 && one.y < bottom, "{shape:?} {one:?}");
                for other in &places[..number] {
                    let apart = (one.x - other.x).abs().max((one.y - other.y).abs());
                    assert!(apart > 9.99, "{shape:?}");
                }
            }
        }
    }
}
