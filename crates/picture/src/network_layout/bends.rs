//! The bends of links around nodes in their way.

use std::collections::BTreeMap;

use cubefold_topology::{Machine, NodeId};

use super::edges;
use crate::{
    link_paths::{bent, failed_links, links},
    sheet::{Point, as_drawn},
};

/// The bend of a link, to one side of the straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bend {
    /// The distance of its middle from the middle of the line, in units.
    height: f64,
    /// The shift of the bend towards the far end, as a share of the length.
    lean: f64,
}

/// The most links of a network for which narrow gaps are tried, about 1500 bends each.
const MAX_LINKS_THROUGH_GAPS: u64 = 1 << 10;

/// The most points of links that are tested, some tenths of a second.
const MAX_POINTS: u64 = 1 << 24;

/// The clearance of links around the middle of a foreign node, across and down.
pub(super) const CLEARANCE: f64 = 0.37;

impl Bend {
    const STRAIGHT: Self = Self { height: 0.0, lean: 0.0 };

    /// The control point of the link, in the unit of the ends; `unit` is the length of a layout unit.
    pub(crate) fn control(self, from: Point, to: Point, unit: f64) -> Point {
        let middle = bent(from, to, 2.0 * self.height * unit);
        Point { x: middle.x + self.lean * (to.x - from.x), y: middle.y + self.lean * (to.y - from.y) }
    }

    /// The point at a share of the length.
    pub(super) fn along(self, from: (f64, f64), to: (f64, f64), t: f64) -> (f64, f64) {
        let control = self.control(Point { x: from.0, y: from.1 }, Point { x: to.0, y: to.1 }, 1.0);
        let at = |from: f64, control: f64, to: f64| {
            (1.0 - t) * (1.0 - t) * from + 2.0 * t * (1.0 - t) * control + t * t * to
        };
        (at(from.0, control.x, to.0), at(from.1, control.y, to.1))
    }

    /// The bends that a link of this length tries, in order. Longer links bend farther, so that links of one node
    /// separate. In a small network narrow gaps come last.
    fn all(length: f64, is_small: bool) -> impl Iterator<Item = Self> {
        let leaning = Self::heights(length)
            .flat_map(|height| [height, -height])
            .flat_map(|height| [0.2, -0.2, 0.4, -0.4, 0.6, -0.6].map(|lean| (height, lean)));
        // Gaps between close nodes are narrow.
        let leans = |height| (-9..10).map(move |lean| (height, 0.1 * f64::from(lean)));
        let narrow = (1..if is_small { 40 } else { 1 }).map(|step| 0.1 * f64::from(step));
        let narrow = narrow.flat_map(|height| [height, -height]).flat_map(leans);
        let further = leaning.chain(narrow).map(|(height, lean)| Self { height, lean });
        Self::upright(length).chain(further)
    }

    /// The bends of a link of this length without a lean.
    fn upright(length: f64) -> impl Iterator<Item = Self> {
        Self::heights(length).flat_map(|height| [height, -height]).map(|height| Self { height, lean: 0.0 })
    }

    fn heights(length: f64) -> impl Iterator<Item = f64> {
        let least = 0.3 + 0.11 * length;
        (0..8).map(move |step| least + 0.25 * f64::from(step))
    }
}

/// The bends of the links that would otherwise run through a foreign node: to the necessary side and distance. If every
/// bend of a link that would lie over another runs through one, that with the fewest points near others.
///
/// # Complexity
///
/// About [`MAX_POINTS`] points are tested; links for which none are left stay straight.
pub(super) fn bends(machine: &Machine, places: &[(f64, f64)]) -> BTreeMap<(NodeId, NodeId), Bend> {
    let mut found = BTreeMap::new();
    let is_small = machine.link_count() <= MAX_LINKS_THROUGH_GAPS;
    let cells = Cells::new(places);
    let mut left = MAX_POINTS;
    for (near, far) in links(machine).into_iter().chain(failed_links(machine)) {
        let ends = [near, far].map(|node| node.index() as usize);
        let (from, to) = (places[ends[0]], places[ends[1]]);
        let length = (from.0 - to.0).hypot(from.1 - to.1);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of at most 4096 nodes")]
        let parts = (12.0 * length).ceil().max(1.0) as u64;
        let mut is_clear = |bend: &Bend| {
            let place = |part: u64| bend.along(from, to, as_drawn(part) / as_drawn(parts));
            // Points far from each other come first, since they find a node in the way sooner.
            let step = parts.isqrt().max(1);
            let mut order = (0..step).flat_map(|first| {
                (0..).map(move |turn| first + 1 + turn * step).take_while(|part| *part < parts)
            });
            order.all(|part| {
                left = left.saturating_sub(1);
                left > 0 && !cells.is_near_another(place(part), ends)
            })
        };
        if is_clear(&Bend::STRAIGHT) {
            continue;
        }
        let clear = Bend::all(length, is_small).find(&mut is_clear);
        let near_others = |bend: &Bend| {
            let place = |part: u64| bend.along(from, to, as_drawn(part) / as_drawn(parts));
            (1..parts).filter(|&part| cells.is_near_another(place(part), ends)).count()
        };
        let lies_over = || covers_link(machine, places, [near, far]);
        let any = || Bend::upright(length).min_by_key(near_others).filter(|_| left > 0 && lies_over());
        found.extend(clear.or_else(any).map(|bend| ((near, far), bend)));
    }
    found
}

/// Whether a straight link lies over a link from one of its ends to a node between them.
fn covers_link(machine: &Machine, places: &[(f64, f64)], [near, far]: [NodeId; 2]) -> bool {
    let place = |node: NodeId| places[node.index() as usize];
    let from_to = |from: NodeId, to: NodeId| (place(to).0 - place(from).0, place(to).1 - place(from).1);
    [[near, far], [far, near]].into_iter().any(|[from, to]| {
        let (across, down) = from_to(from, to);
        machine.neighbours(from).filter(|&next| next != to).any(|next| {
            let (x, y) = from_to(from, next);
            let (along, beside) = (across * x + down * y, across * y - down * x);
            beside.abs() < 1e-9 && (0.0..across * across + down * down).contains(&along)
        })
    })
}

/// The nodes of a layout by the square that they lie in, about one for each square.
struct Cells<'places> {
    places: &'places [(f64, f64)],
    corner: (f64, f64), // the least coordinates
    side: f64,          // of a square, at least a unit
    columns: usize,
    nodes: Vec<Vec<usize>>, // by row, then column
}

impl<'places> Cells<'places> {
    fn new(places: &'places [(f64, f64)]) -> Self {
        let [(left, right), (top, bottom)] = edges(places);
        let area = (right - left + 1.0) * (bottom - top + 1.0);
        let side = (area / as_drawn(places.len().max(1) as u64)).sqrt().max(1.0);
        let (columns, rows) = (count((right - left) / side) + 1, count((bottom - top) / side) + 1);
        let nodes = vec![vec![]; rows * columns];
        let mut cells = Self { places, corner: (left, top), side, columns, nodes };
        for (node, &place) in places.iter().enumerate() {
            let (column, row) = cells.cell(place);
            cells.nodes[row * cells.columns + column].push(node);
        }
        cells
    }

    /// The column and the row of the square of a place, or of the nearest one.
    fn cell(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let rows = self.nodes.len() / self.columns;
        let column = count((x - self.corner.0) / self.side).min(self.columns - 1);
        (column, count((y - self.corner.1) / self.side).min(rows - 1))
    }

    /// Whether a place lies in the clearance of a node other than these.
    fn is_near_another(&self, (x, y): (f64, f64), ends: [usize; 2]) -> bool {
        let (first_column, first_row) = self.cell((x - CLEARANCE, y - CLEARANCE));
        let (last_column, last_row) = self.cell((x + CLEARANCE, y + CLEARANCE));
        let rows = first_row..=last_row;
        let mut near = rows.flat_map(|row| {
            (first_column..=last_column).flat_map(move |column| &self.nodes[row * self.columns + column])
        });
        near.any(|&node| {
            let (other_x, other_y) = self.places[node];
            !ends.contains(&node) && (x - other_x).abs() < CLEARANCE && (y - other_y).abs() < CLEARANCE
        })
    }
}

/// A number of squares, 0 for negative ones.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of at most 4096 nodes")]
fn count(squares: f64) -> usize {
    squares.max(0.0) as usize
}
