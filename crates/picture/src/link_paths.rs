//! The links of a machine in a picture, including those that are down. No node or link hides another link.
//!
//! Links between neighbours are straight. Wraparound links, and links to the next row of a long line, leave the rows on
//! both sides. A link of a network bends around nodes. Links to another layer have no line.

use cubefold_topology::{Channel, Coordinates, Direction, GraphSource, Machine, NodeId, Sign};

use crate::{
    machine_plan::{Cell, MachinePlan},
    sheet::{Point, curved, polyline},
};

/// The shape of a link; ends are middles of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LinkPath {
    Straight([Point; 2]),
    /// A curve, with its control point between its ends.
    Curve([Point; 3]),
    /// The two stubs of a wraparound link, each from a node towards the image of the other end.
    Stubs([[Point; 2]; 2]),
    /// A link to another layer, in the dimension with this number; the point is its first node.
    ToLayer(Point, usize),
}

/// A link with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlannedLink {
    pub(crate) near: NodeId,
    pub(crate) far: NodeId,
    pub(crate) is_down: bool,
    pub(crate) path: LinkPath,
}

/// All links of a machine, in the order of its nodes; then those that are down.
pub(crate) fn planned_links(plan: &MachinePlan<'_>) -> Vec<PlannedLink> {
    let machine = plan.machine;
    let planned = |is_down| {
        move |(near, far): (NodeId, NodeId)| PlannedLink { near, far, is_down, path: path(plan, near, far) }
    };
    let working = links(machine).into_iter().map(planned(false));
    working.chain(failed_links(machine).into_iter().map(planned(true))).collect()
}

/// The links of a machine, each by its ends: in the positive direction on a grid. Parallel links are one.
pub(crate) fn links(machine: &Machine) -> Vec<(NodeId, NodeId)> {
    if let Some(network) = machine.graph() {
        let mut links: Vec<_> = network.links().collect();
        links.dedup();
        return links;
    }
    let mut found = vec![];
    for dimension in machine.shape().dimensions() {
        for node in machine.nodes() {
            let direction = Direction { dimension, sign: Sign::Positive };
            let Some(next) = machine.neighbour(node, direction) else { continue };
            // On a ring of two, both directions find the same link.
            if machine.link(Channel { node, direction }).near == node {
                found.push((node, next));
            }
        }
    }
    found
}

/// The links that are down, including those of nodes that are down if the whole machine is known.
pub(crate) fn failed_links(machine: &Machine) -> Vec<(NodeId, NodeId)> {
    let (Some(failures), Some(network)) = (machine.failures(), machine.graph()) else { return vec![] };
    let whole = match machine.source() {
        Some(GraphSource::Grid) => machine.coordinate_grid().cloned(),
        Some(GraphSource::Parameters(parameters)) => Machine::of_parameters(parameters).ok(),
        Some(GraphSource::Tree(parameters)) => Machine::of_tree(*parameters).ok(),
        Some(GraphSource::Grammar(words)) => Machine::of_grammar(words.grammar(), words.size()).ok(),
        Some(GraphSource::Dimensions(dimensions)) => Machine::of_dimensions(machine.kind(), *dimensions).ok(),
        Some(GraphSource::Links | GraphSource::Twists(_)) | None => None,
    };
    let Some(whole) = whole else { return failures.links.clone() };
    links(&whole).into_iter().filter(|(near, far)| !network.neighbours(*near).contains(far)).collect()
}

fn path(plan: &MachinePlan<'_>, near: NodeId, far: NodeId) -> LinkPath {
    let (from, to) = (plan.middle(near), plan.middle(far));
    let (Some(here), Some(there)) = (plan.cell(near), plan.cell(far)) else {
        return match plan.bend(near, far) {
            Some(bend) => LinkPath::Curve([from, bend.control(from, to, plan.step), to]),
            None => LinkPath::Straight([from, to]),
        };
    };
    if here.layer != there.layer {
        return LinkPath::ToLayer(from, differing(&plan.address(near), &plan.address(far)));
    }
    let [across, down] = steps(plan, here, there);
    if [across, down] == [there.column - here.column, there.row - here.row] {
        return LinkPath::Straight([from, to]);
    }
    // A twist shifts the far end. The full shift would leave the sheet, so only its direction is shown.
    let [x, y] = if across.abs() > 0 {
        [f64::from(across.signum()), f64::from(down.clamp(-1, 1)) * 0.5]
    } else {
        [0.0, f64::from(down.signum())]
    };
    let outwards = |at: Point, sign: f64| at.plus(sign * x * plan.step, sign * y * plan.step);
    LinkPath::Stubs([[from, outwards(from, 1.0)], [to, outwards(to, -1.0)]])
}

/// The steps across and down from a node to a neighbour in its layer, along the shorter way.
fn steps(plan: &MachinePlan<'_>, here: Cell, there: Cell) -> [i32; 2] {
    let (columns, rows) = plan.size();
    let shorter = |difference: i32, length: i32| match difference {
        far if far.abs() > 1 && 2 * far.abs() > length => far - far.signum() * length,
        near => near,
    };
    let (across, down) = (there.column - here.column, there.row - here.row);
    if plan.is_folded() && down != 0 {
        // The next row continues this one.
        return [if across < 0 { 1 } else { -1 }, 0];
    }
    let twisted = matches!(plan.machine.source(), Some(GraphSource::Twists(_)));
    if twisted && across.abs() == columns - 1 && columns > 2 {
        return [-across.signum(), shorter(down, rows)];
    }
    if twisted && down.abs() == rows - 1 && rows > 2 {
        return [shorter(across, columns), -down.signum()];
    }
    [shorter(across, columns), shorter(down, rows)]
}

/// The last dimension in which two nodes differ, counted from 1.
fn differing(one: &Coordinates, other: &Coordinates) -> usize {
    let pairs = one.as_slice().iter().zip(other.as_slice());
    let numbered = (1..).zip(pairs);
    numbered.filter(|(_, (one, other))| one != other).last().map_or(1, |(number, _)| number)
}

/// The control point of a curve between two points, at this distance from their middle \[pixels\].
pub(crate) fn bent(from: Point, to: Point, beside: f64) -> Point {
    let length = from.distance(to).max(1e-9);
    Point {
        x: f64::midpoint(from.x, to.x) + (to.y - from.y) / length * beside,
        y: f64::midpoint(from.y, to.y) - (to.x - from.x) / length * beside,
    }
}

impl LinkPath {
    /// The line as SVG path data. `leave` gives the point at which it leaves a node; stubs end at `reach` times their
    /// length. `None` for a link to another layer.
    pub(crate) fn description(self, leave: impl Fn(Point, Point) -> Point, reach: f64) -> Option<String> {
        match self {
            Self::Straight([from, to]) => Some(polyline(&[leave(from, to), leave(to, from)])),
            Self::Curve([from, control, to]) => {
                Some(curved(leave(from, control), control, leave(to, control)))
            }
            Self::Stubs(stubs) => {
                let stub = |[from, to]: [Point; 2]| polyline(&[leave(from, to), from.towards(to, reach)]);
                Some(stubs.map(stub).concat())
            }
            Self::ToLayer(..) => None,
        }
    }

    /// The middle of a line; `None` if it is not drawn from end to end.
    pub(crate) fn middle(self) -> Option<Point> {
        match self {
            Self::Straight([from, to]) => {
                Some(Point { x: f64::midpoint(from.x, to.x), y: f64::midpoint(from.y, to.y) })
            }
            Self::Curve([from, control, to]) => Some(Point {
                x: (from.x + 2.0 * control.x + to.x) / 4.0,
                y: (from.y + 2.0 * control.y + to.y) / 4.0,
            }),
            Self::Stubs(_) | Self::ToLayer(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::permutation_on;

    fn paths(machine: &str) -> Vec<PlannedLink> {
        let run = permutation_on(machine);
        planned_links(&MachinePlan::new(&run, 40.0, Point { x: 0.0, y: 0.0 }))
    }

    #[test]
    fn links_around_leave_on_both_sides_and_those_that_are_down_are_there() {
        let count = |links: &[PlannedLink], of: fn(&PlannedLink) -> bool| {
            links.iter().filter(|link| of(link)).count()
        };
        let is_stub = |link: &PlannedLink| matches!(link.path, LinkPath::Stubs(_));
        for machine in [
            "kind = \"torus\"\nshape = [4, 8]",
            "kind = \"torus\"\nshape = [4, 8]\nfailed_links = 5",
            "kind = \"torus\"\nshape = [4, 8]\ntwist = [[0, 2], [0, 0]]",
        ] {
            let links = paths(machine);
            assert_eq!((links.len(), count(&links, is_stub)), (64, 12), "{machine}");
            let down = if machine.contains("failed") { 5 } else { 0 };
            assert_eq!(count(&links, |link| link.is_down), down, "{machine}");
        }
        let ring = paths("kind = \"ring\"\nshape = [128]");
        assert_eq!((ring.len(), count(&ring, is_stub)), (128, 4));
        let layers = paths("kind = \"torus\"\nshape = [2, 4, 4]\nfailed_nodes = [[1, 2, 3]]");
        // Five links of the node: one of its ring of two, two of each other.
        assert_eq!((layers.len(), count(&layers, |link| link.is_down)), (16 + 32 + 32, 5));
        let tree = "kind = \"fat-tree\"\nleaves = 4\nhosts_per_switch = 4\nspines = 2\nfailed_nodes = [20]";
        assert_eq!(count(&paths(tree), |link| link.is_down), 4);
    }

    #[test]
    fn no_link_of_a_network_runs_through_a_node() {
        for machine in [
            "kind = \"hyperx\"\nshape = [4, 3]\nhosts_per_switch = 1",
            "kind = \"hyperx\"\nshape = [6]\nhosts_per_switch = 2",
            "kind = \"cube-connected-cycles\"\ndimensions = 3",
            "kind = \"cube-connected-cycles\"\ndimensions = 4",
            "kind = \"wrapped-butterfly\"\ndimensions = 3",
        ] {
            let run = permutation_on(machine);
            let plan = MachinePlan::new(&run, 1.0, Point { x: 0.0, y: 0.0 });
            for link in planned_links(&plan) {
                let [from, control, to] = match link.path {
                    LinkPath::Straight([from, to]) => [from, bent(from, to, 0.0), to],
                    LinkPath::Curve(points) => points,
                    other => panic!("{other:?}"),
                };
                let along = |part: i32| {
                    let (t, u) = (f64::from(part) / 100.0, 1.0 - f64::from(part) / 100.0);
                    let at =
                        |from: f64, control: f64, to: f64| u * u * from + 2.0 * t * u * control + t * t * to;
                    (at(from.x, control.x, to.x), at(from.y, control.y, to.y))
                };
                for node in run.machine.nodes().filter(|node| ![link.near, link.far].contains(node)) {
                    let middle = plan.middle(node);
                    let is_in =
                        |(x, y): (f64, f64)| (x - middle.x).abs() < 0.31 && (y - middle.y).abs() < 0.31;
                    assert!(!(0..=100).map(along).any(is_in), "{machine}: {link:?} {node}");
                }
            }
        }
    }
}
