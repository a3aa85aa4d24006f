//! The places of a machine's nodes and links in an animation: as in [`link_map`](crate::link_map), except that a ring
//! is a circle.

use cubefold_scenario::Run;
use cubefold_topology::{Extent, NodeId};

use crate::{
    link_paths::{LinkPath, PlannedLink, links, planned_links},
    machine_plan::MachinePlan,
    network_layout::circle,
    sheet::Point,
};

/// The distance between neighbours \[pixels\].
const STEP: f64 = 40.0;

/// The reach of wraparound stubs out of their node, in distances between neighbours.
pub(super) const STUB: f64 = 0.75;

/// The places of nodes and links, from the upper left.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// By node.
    pub(super) places: Vec<Point>,
    pub(super) links: Vec<PlannedLink>,
    /// The titles of layers.
    pub(super) titles: Vec<(String, Point)>,
    /// The names or coordinates of the nodes.
    pub(super) names: Vec<String>,
}

impl Layout {
    pub(super) fn new(run: &Run) -> Self {
        let plan = MachinePlan::new(run, STEP, Point { x: 0.0, y: 0.0 });
        let machine = &run.machine;
        let names = machine.nodes().map(|node| plan.address_text(node)).collect();
        let has_one_dimension = machine.graph().is_none() && machine.shape().dimension_count() == 1;
        if has_one_dimension && machine.extents().all(Extent::is_ring) {
            return Self::ring(run, names);
        }
        Self {
            width: plan.width(),
            height: plan.height(),
            places: machine.nodes().map(|node| plan.middle(node)).collect(),
            links: planned_links(&plan),
            titles: plan.layer_titles(),
            names,
        }
    }

    /// A ring as a circle, clockwise from the top.
    fn ring(run: &Run, names: Vec<String>) -> Self {
        let machine = &run.machine;
        let around = circle(machine.node_count(), 0.0, 0.0);
        let reach = around.iter().map(|place| place.0.hypot(place.1)).fold(0.0, f64::max) + 0.9;
        let places: Vec<Point> =
            around.iter().map(|(x, y)| Point { x: (x + reach) * STEP, y: (y + reach) * STEP }).collect();
        let middle = |node: NodeId| places[node.index() as usize];
        let planned = |(near, far): (NodeId, NodeId)| PlannedLink {
            near,
            far,
            is_down: false,
            path: LinkPath::Straight([middle(near), middle(far)]),
        };
        let links = links(machine).into_iter().map(planned).collect();
        Self { width: 2.0 * reach * STEP, height: 2.0 * reach * STEP, places, links, titles: vec![], names }
    }

    pub(super) fn place(&self, node: NodeId) -> Point {
        self.places[node.index() as usize]
    }

    /// The name or the coordinates of a node.
    pub(super) fn name(&self, node: NodeId) -> &str {
        &self.names[node.index() as usize]
    }
}

/// The end of a stub, whose second point is the image of a node.
pub(super) fn stub_end([from, image]: [Point; 2]) -> Point {
    from.towards(image, STUB)
}
