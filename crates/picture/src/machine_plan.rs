//! The positions of a machine's nodes in a picture: the first coordinate across, the second down, and a layer for each
//! value of the others. [`NetworkLayout`] lays out networks.

use cubefold_scenario::Run;
use cubefold_topology::{Coordinates, Machine, NodeId};

use crate::{
    PictureError,
    font::text_width,
    network_layout::{Bend, NetworkLayout},
    sheet::{Point, TEXT, as_drawn},
};

/// The positions of nodes.
#[derive(Debug)]
pub(crate) struct MachinePlan<'run> {
    run: &'run Run,
    pub(crate) machine: &'run Machine,
    columns: u64,
    rows: u64,
    layers: u64,
    layers_across: u64,
    widest_title: f64,
    layout: Option<NetworkLayout>, // of a network
    /// The distance between neighbours \[pixels\].
    pub(crate) step: f64,
    origin: Point,
}

/// The row and column of a node, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) layer: u64,
    pub(crate) column: i32,
    pub(crate) row: i32,
}

/// The gap between and around layers, in steps; wraparound links go through it.
const GAP: f64 = 1.4;

/// The maximum row length of a machine of one dimension, which continues in the next row.
const MAX_ROW_LENGTH: u64 = 32;

/// The most nodes that are drawn.
pub const MAX_NODES: u64 = 4096;

/// The most links that are drawn: more than the largest hypercube has. A link takes about 1700 bytes while it is drawn.
const MAX_LINKS: u64 = 1 << 15;

/// Whether a machine can be drawn with its nodes and links.
///
/// # Errors
///
/// When it has more than [`MAX_NODES`] nodes, or 32768 links.
pub fn check_machine(machine: &Machine) -> Result<(), PictureError> {
    match (machine.node_count(), machine.link_count()) {
        (found, _) if found > MAX_NODES => Err(PictureError::TooManyNodes { found, most: MAX_NODES }),
        (_, found) if found > MAX_LINKS => Err(PictureError::TooManyLinks { found, most: MAX_LINKS }),
        _ => Ok(()),
    }
}

impl<'run> MachinePlan<'run> {
    /// A plan of a run's machine with nodes `step` pixels apart, from `origin` on.
    pub(crate) fn new(run: &'run Run, step: f64, origin: Point) -> Self {
        let machine = &run.machine;
        let (columns, rows) = Self::columns_and_rows(machine);
        let layout = NetworkLayout::new(machine);
        let layers = if layout.is_some() { 1 } else { machine.node_count().div_ceil(columns * rows) };
        // About square, with few layers side by side.
        let across = (1..=layers).find(|across| across * columns >= layers.div_ceil(*across) * rows);
        let layers_across = across.unwrap_or(layers).max(layers.min(4));
        let mut plan = Self {
            run,
            machine,
            columns,
            rows,
            layers,
            layers_across,
            widest_title: 0.0,
            layout,
            step,
            origin,
        };
        let widths = plan.layer_titles().into_iter().map(|(title, _)| text_width(&title, TEXT));
        plan.widest_title = widths.fold(0.0, f64::max);
        plan
    }

    /// The numbers of nodes across and down in a layer.
    pub(crate) fn columns_and_rows(machine: &Machine) -> (u64, u64) {
        match machine.shape().lengths() {
            [length] => ((*length).min(MAX_ROW_LENGTH), length.div_ceil(MAX_ROW_LENGTH)),
            [columns, rows, ..] => (*columns, *rows),
            [] => (1, 1),
        }
    }

    /// The greater side of the machine in distances between neighbours.
    pub(crate) fn longest_side(machine: &Machine) -> f64 {
        if let Some(layout) = NetworkLayout::new(machine) {
            return layout.width.max(layout.height).max(1.0);
        }
        let (columns, rows) = Self::columns_and_rows(machine);
        as_drawn(columns.max(rows))
    }

    /// Whether nodes are not in rows and columns.
    pub(crate) fn is_network(&self) -> bool {
        self.layout.is_some()
    }

    /// The row and column of a node; `None` in the layout of a network.
    pub(crate) fn cell(&self, node: NodeId) -> Option<Cell> {
        let index = u64::from(node.index());
        // Of at most 4096 nodes.
        let [column, row] =
            [index % self.columns, index / self.columns % self.rows].map(|place| i32::try_from(place).ok());
        let cell = Cell { layer: index / (self.columns * self.rows), column: column?, row: row? };
        self.layout.is_none().then_some(cell)
    }

    /// The numbers of columns and rows of a layer.
    pub(crate) fn size(&self) -> (i32, i32) {
        let length = |length: u64| i32::try_from(length).unwrap_or(i32::MAX);
        (length(self.columns), length(self.rows))
    }

    /// Whether the rows are one line that continues from each to the next.
    pub(crate) fn is_folded(&self) -> bool {
        self.layout.is_none() && self.machine.shape().dimension_count() == 1 && self.rows > 1
    }

    /// The bend of a network's link; `None` if it is straight.
    pub(crate) fn bend(&self, near: NodeId, far: NodeId) -> Option<Bend> {
        self.layout.as_ref()?.bend(near, far)
    }

    /// The middles of the outer nodes of a layer: the upper left and the lower right.
    pub(crate) fn corners(&self, layer: u64) -> [Point; 2] {
        let corner = self.layer_corner(layer);
        let within = (GAP - 1.0) + 0.5;
        let first = Point {
            x: corner.x + within * self.step,
            y: corner.y + self.title_height() + within * self.step,
        };
        let (across, down) = (as_drawn(self.columns - 1), as_drawn(self.rows - 1));
        [first, first.plus(across * self.step, down * self.step)]
    }

    /// The coordinates of a node, on the whole machine if this is a partition.
    pub(crate) fn address(&self, node: NodeId) -> Coordinates {
        self.run.address(node)
    }

    /// The name of a node, or its coordinates as text: `3, 5`.
    pub(crate) fn address_text(&self, node: NodeId) -> String {
        if let Some(name) = self.machine.node_name(node) {
            return name.to_owned();
        }
        let address = self.address(node);
        address.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The width of all layers \[pixels\].
    pub(crate) fn width(&self) -> f64 {
        if let Some(layout) = &self.layout {
            return (layout.width + 2.0 * (GAP - 1.0) + 1.0) * self.step;
        }
        as_drawn(self.layers_across.min(self.layers)) * self.layer_width()
    }

    /// The height of all layers \[pixels\].
    pub(crate) fn height(&self) -> f64 {
        if let Some(layout) = &self.layout {
            return (layout.height + 2.0 * (GAP - 1.0) + 1.0) * self.step;
        }
        as_drawn(self.layers.div_ceil(self.layers_across)) * self.layer_height()
    }

    pub(crate) fn middle(&self, node: NodeId) -> Point {
        let within = (GAP - 1.0) + 0.5;
        if let Some(layout) = &self.layout {
            let (x, y) = layout.place(node);
            return self.origin.plus((x + within) * self.step, (y + within) * self.step);
        }
        let index = u64::from(node.index());
        let (column, row) = (index % self.columns, index / self.columns % self.rows);
        let corner = self.layer_corner(index / (self.columns * self.rows));
        Point {
            x: corner.x + (as_drawn(column) + within) * self.step,
            y: corner.y + self.title_height() + (as_drawn(row) + within) * self.step,
        }
    }

    /// The layers' titles with their positions, if there are several layers.
    pub(crate) fn layer_titles(&self) -> Vec<(String, Point)> {
        if self.layers == 1 {
            return vec![];
        }
        let title = |layer: u64| {
            let first = self.machine.node(layer * self.columns * self.rows).ok()?;
            let coordinates = self.address(first);
            let values: Vec<String> = coordinates.as_slice().iter().skip(2).map(u32::to_string).collect();
            let further = if values.len() > 1 { ".." } else { "" };
            let corner = self.layer_corner(layer);
            let at = corner.plus((GAP - 1.0) * self.step, 12.0);
            Some((format!("p_3{further} = {}", values.join(", ")), at))
        };
        (0..self.layers).filter_map(title).collect()
    }

    fn layer_corner(&self, layer: u64) -> Point {
        let (column, row) = (layer % self.layers_across, layer / self.layers_across);
        self.origin.plus(as_drawn(column) * self.layer_width(), as_drawn(row) * self.layer_height())
    }

    fn layer_width(&self) -> f64 {
        let around = (GAP - 1.0) * self.step;
        (as_drawn(self.columns) * self.step + 2.0 * around).max(around + self.widest_title + 12.0)
    }

    fn layer_height(&self) -> f64 {
        (as_drawn(self.rows) + 2.0 * (GAP - 1.0)) * self.step + self.title_height()
    }

    fn title_height(&self) -> f64 {
        if self.layers > 1 { 14.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::run;

    fn plan_of(kind: &str, shape: &str) -> Run {
        run(&format!(
            "machine = {{ kind = \"{kind}\", shape = {shape} }}\nmapping.embeddings = [\"standard\"]\n"
        ))
    }

    #[test]
    fn no_two_nodes_lie_closer_than_a_step_and_all_lie_inside() {
        let machines = [
            ("ring", "[8]"),
            ("line", "[128]"),
            ("torus", "[4, 4]"),
            ("torus", "[2, 8]"),
            ("mesh", "[4, 4, 4]"),
            ("torus", "[2, 2, 4, 2]"),
        ];
        for (kind, shape) in machines {
            let run = plan_of(kind, shape);
            let plan = MachinePlan::new(&run, 10.0, Point { x: 5.0, y: 7.0 });
            let places: Vec<Point> = run.machine.nodes().map(|node| plan.middle(node)).collect();
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

    #[test]
    fn titles_of_layers_stand_beside_each_other() {
        let run = plan_of("torus", "[2, 2, 2, 2, 2, 2]");
        let plan = MachinePlan::new(&run, 14.0, Point { x: 0.0, y: 0.0 });
        let titles = plan.layer_titles();
        assert_eq!((titles.len(), titles[5].0.as_str()), (16, "p_3.. = 1, 0, 1, 0"));
        for pair in titles.windows(2).filter(|pair| pair[1].1.y - pair[0].1.y < 1.0) {
            assert!(pair[0].1.x + text_width(&pair[0].0, TEXT) < pair[1].1.x);
        }
    }
}
