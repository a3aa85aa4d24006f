//! Routes on grids (`docs/model.md` sections 26.3.1 to 26.3.4).

use cubefold_topology::{Axis, Displacement, Extent, Machine, NodeId, Sign, TieRule, mix, narrow};

use super::{
    AtRouter, Classes, RoutingRule,
    descriptor::{RoutingDescriptor, RoutingOption},
};
use crate::routers::{
    channel_load::grid as loads,
    packet::{Candidate, Packet, Progress, Route},
    settings::{RouterSettings, RouterTie},
};

/// The lowest dimension first; on rings in two classes of channels (Dally & Seitz 1987).
pub(super) const DIMENSION_ORDER: RoutingDescriptor = RoutingDescriptor {
    is_default: true,
    classes: |machine| 1 + u32::from(has_rings(machine)),
    takes_machine_routes: |tie| matches!(tie, RouterTie::Rule(_)),
    link_loads: Some(loads::add_in_order),
    ..RoutingDescriptor::new(
        "dimension-order",
        "One coordinate after another, the lowest first.",
        is_grid,
        |machine, settings, classes| GridRoutes::boxed(GridRule::DimensionOrder, machine, settings, classes),
    )
};

/// To a random node, and from there to the destination (Valiant 1982).
pub(super) const VALIANT: RoutingDescriptor = RoutingDescriptor {
    classes: |machine| 2 + 2 * u32::from(has_rings(machine)),
    link_loads: Some(loads::add_by_random_node),
    ..RoutingDescriptor::new(
        "valiant",
        "Through routers, on grids: by way of a random node, both legs in dimension order.",
        is_grid,
        |machine, settings, classes| GridRoutes::boxed(GridRule::Valiant, machine, settings, classes),
    )
};

/// The same by way of a node between the two (ROMM, Nesson & Johnsson 1995).
pub(super) const ROMM: RoutingDescriptor = RoutingDescriptor {
    classes: |machine| 2 + 2 * u32::from(has_rings(machine)),
    link_loads: Some(loads::add_by_node_between),
    ..RoutingDescriptor::new(
        "romm",
        "Through routers: by way of a random node between source and destination.",
        is_grid,
        |machine, settings, classes| GridRoutes::boxed(GridRule::Romm, machine, settings, classes),
    )
};

/// Any shortest way, with escape channels in dimension order (Duato 1993).
pub(super) const ADAPTIVE: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::AdaptiveChoice],
    classes: |machine| 1 + u32::from(has_rings(machine)),
    adaptive_channels: 1,
    ..RoutingDescriptor::new(
        "adaptive",
        "Through routers: over any port that leads nearer, by the state of the channels, with escape channels.",
        is_grid,
        |machine, settings, classes| GridRoutes::boxed(GridRule::Adaptive, machine, settings, classes),
    )
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GridRule {
    DimensionOrder,
    Valiant,
    Romm,
    Adaptive,
}

fn is_grid(machine: &Machine) -> bool {
    machine.grid().is_some()
}

fn has_rings(machine: &Machine) -> bool {
    machine.extents().any(Extent::is_ring)
}

/// The tag of the draw of a node anywhere.
const MIDDLE: u64 = 128;
/// The tag of the draw of a coordinate between two, of dimension 0.
const BETWEEN: u64 = 192;

#[derive(Debug)]
struct GridRoutes<'run> {
    axes: &'run [Axis],
    nodes: u64,
    tie: RouterTie,
    has_rings: bool,
    rule: GridRule,
    classes: Classes,
}

/// A step in dimension order.
#[derive(Debug, Clone, Copy)]
struct Step {
    port: u32,
    is_in_ring: bool,
}

impl<'run> GridRoutes<'run> {
    fn boxed(
        rule: GridRule,
        machine: &'run Machine,
        settings: &RouterSettings,
        classes: Classes,
    ) -> Box<dyn RoutingRule + 'run> {
        Box::new(Self {
            axes: machine.axes(),
            nodes: machine.node_count(),
            tie: settings.tie,
            has_rings: has_rings(machine),
            rule,
            classes,
        })
    }

    /// Dimension order in one leg.
    fn in_order(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Route {
        let Some(step) = self.step(packet, at.router, packet.to) else { return Route::over(0, 0) };
        let class = if step.is_in_ring {
            self.classes.of[usize::from(packet.progress.class)]
        } else {
            self.classes.all
        };
        Route::over(step.port, class)
    }

    /// By way of a random node, or of a random one between the ends.
    fn by_middle(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Option<Route> {
        if packet.progress.middle == Progress::NONE {
            packet.progress.middle = match self.rule {
                GridRule::Romm => self.between(packet),
                _ => narrow(mix(packet.key ^ MIDDLE) % self.nodes),
            };
        }
        if !packet.progress.is_on_second_leg && packet.progress.middle == at.router {
            packet.progress.is_on_second_leg = true;
            packet.progress.dimension = Progress::NO_DIMENSION;
        }
        let leg = usize::from(packet.progress.is_on_second_leg);
        if leg == 1 && at.router == packet.to {
            return None;
        }
        let target = if leg == 1 { packet.to } else { packet.progress.middle };
        let Some(step) = self.step(packet, at.router, target) else { return Some(Route::over(0, 0)) };
        let channels = match (self.has_rings, step.is_in_ring) {
            (false, _) => self.classes.of[leg],
            (true, true) => self.classes.of[2 * usize::from(packet.progress.class) + leg],
            (true, false) => self.classes.of[leg] | self.classes.of[2 + leg],
        };
        Some(Route::over(step.port, channels))
    }

    /// Any shortest way, and the escape channel in dimension order.
    fn adaptive(&self, packet: &mut Packet, at: &AtRouter<'_>) -> Route {
        let is_escaping = packet.progress.is_escaping;
        if !is_escaping {
            // The route restarts as if the packet were injected here.
            packet.progress.dimension = Progress::NO_DIMENSION;
        }
        let Some(step) = self.step(packet, at.router, packet.to) else { return Route::over(0, 0) };
        let channels = if step.is_in_ring { 1 << packet.progress.class } else { (1 << self.escapes()) - 1 };
        let adaptive_ports = if is_escaping { 0 } else { self.nearer_ports(at.router, packet.to) };
        Route { adaptive_ports, ..Route::over(step.port, channels) }
    }

    /// The escape channels of adaptive routing.
    fn escapes(&self) -> u32 {
        1 + u32::from(self.has_rings)
    }

    /// The ports that lead nearer to a node, both ways at half a ring.
    fn nearer_ports(&self, at: u32, to: u32) -> u64 {
        let mut ports = 0;
        for (dimension, axis) in self.axes.iter().enumerate() {
            let Some(way) = axis.displacement(NodeId::new(at), NodeId::new(to), TieRule::Direct) else {
                continue;
            };
            let is_back = u32::from(way.sign == Sign::Negative);
            let of_dimension = if is_half_ring(axis, way) { 0b11 } else { 1 << is_back };
            ports |= of_dimension << (2 * dimension);
        }
        ports
    }

    /// The next link in dimension order, with the packet's dimension and class on it.
    fn step(&self, packet: &mut Packet, at: u32, to: u32) -> Option<Step> {
        let [at, to] = [at, to].map(NodeId::new);
        for (dimension, axis) in (0_u8..).zip(self.axes) {
            let Some(way) = self.way(dimension, axis, [at, to], packet) else { continue };
            if packet.progress.dimension != dimension {
                packet.progress.dimension = dimension;
                packet.progress.class = u8::from(axis.coordinate(at) > axis.coordinate(to));
            }
            let port = 2 * u32::from(dimension) + u32::from(way.sign == Sign::Negative);
            return Some(Step { port, is_in_ring: axis.extent().is_ring() });
        }
        None
    }

    /// The way in a dimension, by the tie rule if both are equally long.
    fn way(
        &self,
        dimension: u8,
        axis: &Axis,
        [at, to]: [NodeId; 2],
        packet: &Packet,
    ) -> Option<Displacement> {
        let way = axis.displacement(at, to, TieRule::Direct)?;
        if !is_half_ring(axis, way) {
            return Some(way);
        }
        let is_positive = match self.tie {
            // Written out: a second call of `displacement` costs every hop of every packet.
            RouterTie::Rule(TieRule::Direct) => return Some(way),
            RouterTie::Rule(TieRule::Positive) => true,
            RouterTie::Rule(TieRule::Negative) => false,
            RouterTie::Rule(TieRule::Alternate) => {
                axis.coordinate(NodeId::new(packet.from)).is_multiple_of(2)
            }
            RouterTie::Random => mix(packet.key ^ (1 + u64::from(dimension))) % 2 == 1,
        };
        Some(Displacement { sign: if is_positive { Sign::Positive } else { Sign::Negative }, ..way })
    }

    /// A random node on the way in dimension order, in every dimension.
    fn between(&self, packet: &Packet) -> u32 {
        let ends = [packet.from, packet.to].map(NodeId::new);
        let mut middle = ends[0];
        for (dimension, axis) in (0_u8..).zip(self.axes) {
            let Some(way) = self.way(dimension, axis, ends, packet) else { continue };
            let hops = mix(packet.key ^ (BETWEEN + u64::from(dimension))) % (way.hops + 1);
            if hops > 0 {
                middle = axis.after(middle, Displacement { hops, ..way });
            }
        }
        middle.index()
    }
}

impl RoutingRule for GridRoutes<'_> {
    fn route(&self, packet: &mut Packet, at: &AtRouter<'_>, _: &mut Vec<Candidate>) -> Option<Route> {
        match self.rule {
            GridRule::DimensionOrder => Some(self.in_order(packet, at)),
            GridRule::Valiant | GridRule::Romm => self.by_middle(packet, at),
            GridRule::Adaptive => Some(self.adaptive(packet, at)),
        }
    }

    fn passes_destinations(&self) -> bool {
        matches!(self.rule, GridRule::Valiant | GridRule::Romm)
    }

    fn escape_channels(&self) -> u32 {
        if self.rule == GridRule::Adaptive { self.escapes() } else { 0 }
    }
}

/// Whether both ways around a ring are as long as this one.
fn is_half_ring(axis: &Axis, way: Displacement) -> bool {
    axis.extent().is_ring() && 2 * way.hops == axis.length()
}
