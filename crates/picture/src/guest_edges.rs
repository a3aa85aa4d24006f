//! The edges of a guest between the nodes of its processes.
//!
//! Edges bend so that none runs through the nodes between its ends. An edge whose shorter way wraps around leaves the
//! machine through its border and comes back through the opposite one.

use cubefold_scenario::Run;
use cubefold_topology::{Extent, NodeId};

use crate::{
    link_paths::bent,
    machine_plan::MachinePlan,
    sheet::{Point, Sheet, curved},
};

/// The most that an edge of a guest bends from the straight line, in distances between neighbours.
const MAX_BEND: f64 = 1.4;

/// The reach of wraparound edges beyond the middles of the outer nodes, in distances between neighbours.
const BORDER: f64 = 0.78;

/// The number of parts of a curve at whose ends it is tested against the border.
const PARTS: u32 = 512;

/// Draws the guest's edges of one dimension.
pub(crate) fn draw_guest_edges(sheet: &mut Sheet, plan: &MachinePlan<'_>, run: &Run, dimension: usize) {
    sheet.open(&[("stroke", "#d55e00"), ("stroke-width", "1.6"), ("stroke-opacity", "0.8")]);
    for (one, other) in run.program.guest().edges(dimension) {
        let (from, to) = (run.placement.node(one), run.placement.node(other));
        if from == to {
            continue;
        }
        let distance = run.machine.distance(from, to);
        let title = format!("processes {one} and {other}: distance {distance}");
        sheet.path(&description(plan, from, to), &[], &title);
    }
    sheet.close();
}

/// A curve between two points, by its control point.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Curve {
    from: Point,
    control: Point,
    to: Point,
}

/// An edge, as SVG path data.
fn description(plan: &MachinePlan<'_>, from: NodeId, to: NodeId) -> String {
    let shifts = way_around(plan, from, to);
    let (here, there) = (plan.middle(from), plan.middle(to));
    let Some((shifts, layer)) = shifts else { return Curve::between(here, there, plan.step).description() };
    // Towards the image of the other end beyond the border, and the same from the other end.
    let [(across, down), ..] = shifts;
    let curve = Curve::between(here, there.plus(-across, -down), plan.step);
    let [first, last] = plan.corners(layer);
    let reach = BORDER * plan.step;
    let is_inside = |at: Point| {
        (first.x - reach..=last.x + reach).contains(&at.x)
            && (first.y - reach..=last.y + reach).contains(&at.y)
    };
    let mut seen: Vec<(f64, f64)> = vec![];
    let mut parts = String::new();
    for shift in [(0.0, 0.0)].into_iter().chain(shifts) {
        let is_known = seen.iter().any(|known| (known.0 - shift.0).hypot(known.1 - shift.1) < 0.5);
        if !is_known {
            seen.push(shift);
            parts.extend(curve.shifted(shift).inside(is_inside).map(Curve::description));
        }
    }
    parts
}

/// The shift of each part of an edge \[pixels\] with its layer, the last border that it crosses first; empty if the
/// shorter way crosses no border.
fn way_around(plan: &MachinePlan<'_>, from: NodeId, to: NodeId) -> Option<([(f64, f64); 3], u64)> {
    let (here, there) = (plan.cell(from)?, plan.cell(to)?);
    if here.layer != there.layer {
        return None;
    }
    let (columns, rows) = plan.size();
    let grid = plan.machine.coordinate_grid()?;
    let is_ring = |place: usize| grid.extents().nth(place).is_some_and(Extent::is_ring);
    let turns =
        |difference: i32, length: i32| if 2 * difference.abs() > length { difference.signum() } else { 0 };
    let pixels = |columns: i32, rows: i32| (f64::from(columns) * plan.step, f64::from(rows) * plan.step);
    let (mut across, mut down) = (there.column - here.column, there.row - here.row);
    if plan.is_folded() {
        // Rows are one line: an edge to the next row, or from the last to the first, continues there.
        let last = if is_ring(0) && down.abs() == rows - 1 { -down.signum() } else { down };
        let along = across + last * columns;
        if down == 0 || last.abs() != 1 || 2 * along.abs() > columns {
            return None;
        }
        let shift = pixels(-last * columns, down);
        return Some(([shift; 3], here.layer));
    }
    across = if is_ring(0) { turns(across, columns) } else { 0 };
    down = if is_ring(1) { turns(down, rows) } else { 0 };
    if across == 0 && down == 0 {
        return None;
    }
    let [both, one, other] = [(across, down), (across, 0), (0, down)];
    let shift = |(across, down): (i32, i32)| pixels(across * columns, down * rows);
    Some(([shift(both), shift(one), shift(other)], here.layer))
}

impl Curve {
    fn between(from: Point, to: Point, step: f64) -> Self {
        let bend = (MAX_BEND * step).min(0.22 * from.distance(to));
        Self { from, control: bent(from, to, bend), to }
    }

    fn shifted(self, (x, y): (f64, f64)) -> Self {
        Self { from: self.from.plus(x, y), control: self.control.plus(x, y), to: self.to.plus(x, y) }
    }

    /// The point of the polar form at two parameters; on the curve if both are equal.
    fn polar(self, s: f64, t: f64) -> Point {
        let mixed = |from: f64, control: f64, to: f64| {
            (1.0 - s) * (1.0 - t) * from + ((1.0 - s) * t + s * (1.0 - t)) * control + s * t * to
        };
        Point {
            x: mixed(self.from.x, self.control.x, self.to.x),
            y: mixed(self.from.y, self.control.y, self.to.y),
        }
    }

    /// The parts inside the border.
    fn inside(self, is_inside: impl Fn(Point) -> bool) -> impl Iterator<Item = Self> {
        let share = |part: u32| f64::from(part) / f64::from(PARTS);
        let parts: Vec<u32> =
            (0..=PARTS).filter(|&part| is_inside(self.polar(share(part), share(part)))).collect();
        let runs: Vec<(u32, u32)> = parts
            .chunk_by(|one, other| other - one == 1)
            .map(|run| (run[0], run[run.len() - 1]))
            .filter(|(first, last)| first < last)
            .collect();
        runs.into_iter().map(move |(first, last)| {
            let (s, t) = (share(first), share(last));
            Self { from: self.polar(s, s), control: self.polar(s, t), to: self.polar(t, t) }
        })
    }

    fn description(self) -> String {
        curved(self.from, self.control, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::run;

    /// The parts of the edge between two nodes.
    fn parts(machine: &str, ends: [u32; 2]) -> usize {
        let run = run(&format!("[machine]\n{machine}\n[mapping]\nembeddings = [\"standard\"]\n"));
        let plan = MachinePlan::new(&run, 40.0, Point { x: 8.0, y: 34.0 });
        let [from, to] = ends.map(NodeId::new);
        description(&plan, from, to).matches('M').count()
    }

    #[test]
    fn edges_around_leave_through_the_border_and_come_back() {
        let torus = "kind = \"torus\"\nshape = [8, 8]";
        assert_eq!(parts(torus, [0, 6]), 2, "two links around");
        assert_eq!(parts(torus, [6, 0]), 2);
        assert_eq!(parts(torus, [0, 4]), 1, "both ways are equally long");
        assert_eq!(parts(torus, [0, 8 * 7 + 2]), 2);
        assert!((2..=4).contains(&parts(torus, [0, 63])), "through a corner");
        assert_eq!(parts("kind = \"mesh\"\nshape = [8, 8]", [0, 7]), 1);
        let mixed = "kind = \"torus\"\nshape = [8, 8]\nwrap = [true, false]";
        assert_eq!((parts(mixed, [0, 7]), parts(mixed, [0, 56])), (2, 1));
        assert_eq!(parts("kind = \"ring\"\nshape = [8]", [0, 7]), 2);
    }

    #[test]
    fn edges_of_a_folded_line_go_on_in_the_next_row() {
        let (line, ring) = ("kind = \"line\"\nshape = [128]", "kind = \"ring\"\nshape = [128]");
        assert_eq!((parts(line, [30, 33]), parts(line, [33, 30]), parts(line, [0, 127])), (2, 2, 1));
        assert_eq!((parts(ring, [1, 127]), parts(ring, [30, 33]), parts(ring, [0, 64])), (2, 2, 1));
    }
}
