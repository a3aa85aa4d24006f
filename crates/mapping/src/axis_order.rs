//! Axis orders: placements of a logical torus on a grid that lay its axes along those of the machine.
//!
//! The axes of the guest, in some order, count through the nodes of the machine with its axes in some order, the
//! first fastest. Where lengths differ, an axis of the guest takes several axes of the machine, or a part of one: it
//! is *factorised*, greedily or as the order says. A *folded* order goes through the box of such an axis, and along an
//! axis without wraparound, by the construction of Tao 1988 with the least dilation, so that the ends of a ring are near
//! each other; the other orders count without folding.

mod boxes;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt, str::FromStr};

use cubefold_topology::{
    Axis, GraphSource, Machine, MachineKind, NetworkParameters, NodeId, Shape, Wrap, narrow,
};

use self::boxes::Taken;
use crate::{Construction, PlacementTable, ProcessId};

/// The most pairs of an order of the guest's axes and one of the machine's that are tried.
const MAX_PAIRS: usize = 5040;

/// An order of the axes of a guest on those of a machine.
///
/// Written as `0=3/1=1x2`: guest axis 0 (counted from 0) counts fastest and lies along dimension 3 of the machine
/// (counted from 1), guest axis 1 comes next and takes dimension 1, then dimension 2. In `0=1:2x2:4/1=1:4x2:4` the
/// lengths are given: guest axis 0 takes boxes of 2 in dimension 1 by 4 in dimension 2, and guest axis 1 counts the
/// boxes, 4 in either dimension. A folded order ends in `/folded`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AxisOrder {
    axes: Vec<(usize, Vec<HostPart>)>, // of the guest, in this order
    is_folded: bool,
}

/// The part of a machine axis that an order assigns to a guest axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HostPart {
    host: usize,
    length: Option<u64>, // `None` for as much as fits
}

/// A part of an axis of the machine that an axis of the guest takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Factor {
    host: usize,
    length: u64,
    stride: u64, // along the axis of the machine
}

/// The reason why there is no such order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxisOrderError {
    /// The machine is neither a grid nor a cluster.
    #[error("a machine without dimensions, expected a grid or a cluster")]
    NoGrid,
    /// Another number of processes than nodes.
    #[error("{processes} processes for {nodes} nodes, expected as many")]
    Count {
        /// The processes.
        processes: u64,
        /// The nodes.
        nodes: u64,
    },
    /// Lengths that do not divide each other in any order, or not in this one.
    #[error("axes of lengths {guest} do not divide those of {host}")]
    Lengths {
        /// The lengths of the guest.
        guest: String,
        /// The lengths of the machine.
        host: String,
    },
    /// An order with lengths that do not multiply to those of the guest, or of the machine.
    #[error("{order} does not divide axes of lengths {guest} among those of {host}")]
    Boxes {
        /// The order.
        order: String,
        /// The lengths of the guest.
        guest: String,
        /// The lengths of the machine.
        host: String,
    },
    /// An order of axes that guest and machine do not have, or a factorisation that does not follow from their lengths.
    #[error("{order} is no order of axes of lengths {guest} on those of {host}")]
    Axes {
        /// The order.
        order: String,
        /// The lengths of the guest.
        guest: String,
        /// The lengths of the machine.
        host: String,
    },
    /// More orders than are tried.
    #[error("{pairs} pairs of orders of axes, expected at most {MAX_PAIRS}")]
    TooMany {
        /// The orders of the guest's axes times those of the machine's.
        pairs: usize,
    },
}

impl AxisOrder {
    /// Every order of the axes of a guest on those of a machine, each placement once: the unfolded orders, each before the
    /// folded one if that differs.
    ///
    /// # Errors
    ///
    /// When there are none, or too many.
    pub fn all(guest: &Shape, machine: &Machine) -> Result<Vec<Self>, AxisOrderError> {
        let grid = grid_for(guest, machine)?;
        let host = grid.shape();
        let factorial = |count: usize| (1..=count).try_fold(1_usize, usize::checked_mul);
        let pairs = factorial(guest.dimension_count())
            .zip(factorial(host.dimension_count()))
            .and_then(|(guest, host)| guest.checked_mul(host))
            .unwrap_or(usize::MAX);
        if pairs > MAX_PAIRS {
            return Err(AxisOrderError::TooMany { pairs });
        }
        let (mut found, mut known) = (vec![], vec![]);
        for guest_order in permutations(guest.dimension_count()) {
            for host_order in permutations(host.dimension_count()) {
                let Some(factors) = factorise(guest, &guest_order, host, &host_order) else { continue };
                let mut by_axis = factors.clone();
                by_axis.sort_unstable();
                if known.contains(&by_axis) {
                    continue;
                }
                known.push(by_axis);
                let part = |factor: &Factor| HostPart { host: factor.host, length: None };
                found.extend(Self::plain_and_folded(&factors, folds_on(machine), part));
            }
        }
        if found.is_empty() {
            return Err(AxisOrderError::Lengths { guest: lengths(guest), host: lengths(host) });
        }
        Ok(found)
    }

    /// Orders in which every axis of a guest takes a separate box, inside the boxes of the axes after it, each placement
    /// once; at most `most`, and none for a guest with many axes.
    #[must_use]
    pub fn boxes(guest: &Shape, machine: &Machine, most: usize) -> Vec<Self> {
        let mut found = vec![];
        if let Ok(grid) = grid_for(guest, machine) {
            for factors in boxes::divisions(guest, grid.shape(), most) {
                let part = |factor: &Factor| HostPart { host: factor.host, length: Some(factor.length) };
                found.extend(Self::plain_and_folded(&factors, folds_on(machine), part));
            }
        }
        found.truncate(most);
        found
    }

    /// An unfolded order, and the folded one if that differs on the grid `folds`.
    fn plain_and_folded(
        factors: &[(usize, Vec<Factor>)],
        folds: Option<&Machine>,
        part: impl Fn(&Factor) -> HostPart,
    ) -> impl Iterator<Item = Self> {
        let parts = |factors: &[Factor]| factors.iter().map(&part).collect();
        let axes = factors.iter().map(|(axis, factors)| (*axis, parts(factors))).collect();
        let plain = Self { axes, is_folded: false };
        let is_changed =
            folds.is_some_and(|grid| factors.iter().any(|(_, factors)| fold(factors, grid).is_some()));
        let folded = is_changed.then(|| Self { is_folded: true, ..plain.clone() });
        std::iter::once(plain).chain(folded)
    }

    /// The factors of every axis of the guest; `None` if lengths do not divide each other, or differ from those given.
    fn factors(&self, guest: &Shape, host: &Shape) -> Option<Vec<(usize, Vec<Factor>)>> {
        let parts = || self.axes.iter().flat_map(|(_, parts)| parts);
        if parts().all(|part| part.length.is_none()) {
            let guest_order: Vec<usize> = self.axes.iter().map(|&(axis, _)| axis).collect();
            let mut host_order: Vec<usize> = parts().map(|part| part.host).collect();
            host_order.dedup();
            return factorise(guest, &guest_order, host, &host_order);
        }
        let mut taken = Taken::nothing_of(host);
        let mut all = vec![];
        for (axis, parts) in &self.axes {
            let mut factors: Vec<Factor> = vec![];
            for part in parts {
                if factors.iter().any(|factor| factor.host == part.host) {
                    return None;
                }
                factors.push(taken.take(part.host, part.length?)?);
            }
            let length: u64 = factors.iter().map(|factor| factor.length).product();
            if length != guest.lengths()[*axis] {
                return None;
            }
            all.push((*axis, factors));
        }
        Some(all)
    }

    /// The node of every process of the guest, whose first coordinate varies fastest.
    ///
    /// # Errors
    ///
    /// When the order does not fit this guest and machine.
    pub fn place(&self, guest: &Shape, machine: &Machine) -> Result<PlacementTable, AxisOrderError> {
        let grid = grid_for(guest, machine)?;
        let host = grid.shape();
        let wrong =
            || AxisOrderError::Axes { order: self.to_string(), guest: lengths(guest), host: lengths(host) };
        let guest_order: Vec<usize> = self.axes.iter().map(|&(axis, _)| axis).collect();
        let parts = || self.axes.iter().flat_map(|(_, parts)| parts);
        let mut hosts: Vec<usize> = parts().map(|part| part.host).collect();
        let has_lengths = parts().any(|part| part.length.is_some());
        if has_lengths {
            hosts.sort_unstable();
        }
        hosts.dedup();
        if !is_permutation(&guest_order, guest.dimension_count())
            || !is_permutation(&hosts, host.dimension_count())
        {
            return Err(wrong());
        }
        let factors = self.factors(guest, host).ok_or_else(|| {
            let (guest, host) = (lengths(guest), lengths(host));
            if has_lengths {
                AxisOrderError::Boxes { order: self.to_string(), guest, host }
            } else {
                AxisOrderError::Lengths { guest, host }
            }
        })?;
        let is_as_written = factors.iter().zip(&self.axes).all(|((_, factors), (_, parts))| {
            factors.iter().map(|factor| factor.host).eq(parts.iter().map(|part| part.host))
        });
        if !is_as_written {
            return Err(wrong());
        }
        let mut offsets: Vec<Vec<u64>> = vec![vec![]; guest.dimension_count()];
        for (axis, factors) in &factors {
            offsets[*axis] = self.offsets(factors, &grid);
        }
        let mut nodes = vec![0_u64];
        for offsets in &offsets {
            nodes = offsets.iter().flat_map(|offset| nodes.iter().map(move |node| node + offset)).collect();
        }
        let nodes = nodes.into_iter().map(|node| NodeId::new(narrow(node))).collect();
        PlacementTable::new(machine, nodes).map_err(|_| wrong())
    }

    /// The contribution of each coordinate of an axis of the guest to the index of a node.
    fn offsets(&self, factors: &[Factor], machine: &Machine) -> Vec<u64> {
        let places = fold(factors, machine).filter(|_| self.is_folded);
        let length: u64 = factors.iter().map(|factor| factor.length).product();
        let offset = |coordinate: u64| {
            let place = match &places {
                Some(places) => places[narrow(coordinate) as usize],
                None => coordinate,
            };
            let digits = factors.iter().scan(place, |rest, factor| {
                let digit = *rest % factor.length;
                *rest /= factor.length;
                Some(digit * factor.stride * stride(machine, factor.host))
            });
            digits.sum()
        };
        (0..length).map(offset).collect()
    }

    /// Whether axes are folded.
    #[must_use]
    pub fn is_folded(&self) -> bool {
        self.is_folded
    }

    /// The axes of the guest, the fastest first, each with the axes of the machine that it takes; all counted from 0.
    pub fn axes(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        self.axes.iter().map(|(axis, parts)| (*axis, parts.iter().map(|part| part.host).collect()))
    }
}

impl fmt::Display for AxisOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (axis, parts)) in self.axes.iter().enumerate() {
            let separator = if place == 0 { "" } else { "/" };
            let part = |part: &HostPart| match part.length {
                None => (part.host + 1).to_string(),
                Some(length) => format!("{}:{length}", part.host + 1),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            write!(formatter, "{separator}{axis}={}", parts.join("x"))?;
        }
        formatter.write_str(if self.is_folded { "/folded" } else { "" })
    }
}

/// A text that is not an order of axes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an order of axes such as 0=3/1=1x2, or with lengths 0=1:2x2:4/1=1:4x2:4")]
pub struct ParseAxisOrderError;

impl FromStr for AxisOrder {
    type Err = ParseAxisOrderError;

    fn from_str(text: &str) -> Result<Self, ParseAxisOrderError> {
        let (order, is_folded) = match text.strip_suffix("/folded") {
            Some(order) => (order, true),
            None => (text, false),
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| ParseAxisOrderError);
        let host = |text: &str| number(text)?.checked_sub(1).ok_or(ParseAxisOrderError);
        let part = |text: &str| match text.split_once(':') {
            None => Ok(HostPart { host: host(text)?, length: None }),
            Some((dimension, length)) => {
                let length = length.parse().map_err(|_| ParseAxisOrderError)?;
                Ok(HostPart { host: host(dimension)?, length: Some(length) })
            }
        };
        let pair = |text: &str| {
            let (axis, hosts) = text.split_once('=').ok_or(ParseAxisOrderError)?;
            Ok((number(axis)?, hosts.split('x').map(part).collect::<Result<_, _>>()?))
        };
        Ok(Self { axes: order.split('/').map(pair).collect::<Result<_, _>>()?, is_folded })
    }
}

/// The growth of the index of a node per step along an axis.
fn stride(machine: &Machine, axis: usize) -> u64 {
    machine.shape().lengths()[..axis].iter().product()
}

/// The grid on which folded orders differ from others: `None` for a cluster, whose nodes are equally near to each other
/// whatever their numbers, as are the devices of a node.
fn folds_on(machine: &Machine) -> Option<&Machine> {
    machine.source().is_none().then_some(machine)
}

/// The grid on which a guest with as many processes lies: the machine, or for a cluster its devices and nodes,
/// where dimension 1 is the device in a node (`docs/model.md` section 23.7).
fn grid_for<'a>(guest: &Shape, machine: &'a Machine) -> Result<Cow<'a, Machine>, AxisOrderError> {
    let grid = match machine.source() {
        None => Cow::Borrowed(machine),
        Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => {
            let lengths = [cluster.devices_per_node, cluster.nodes];
            let lengths: Vec<u64> = lengths.into_iter().filter(|&length| length > 1).collect();
            Cow::Owned(Machine::new(MachineKind::Mesh, &lengths).map_err(|_| AxisOrderError::NoGrid)?)
        }
        Some(_) => return Err(AxisOrderError::NoGrid),
    };
    let (processes, nodes) = (guest.node_count(), grid.node_count());
    if processes == nodes { Ok(grid) } else { Err(AxisOrderError::Count { processes, nodes }) }
}

/// The factors of each axis of the guest in an order, the fastest first; `None` if lengths do not divide each
/// other.
fn factorise(
    guest: &Shape,
    guest_order: &[usize],
    host: &Shape,
    host_order: &[usize],
) -> Option<Vec<(usize, Vec<Factor>)>> {
    let mut hosts = host_order.iter().map(|&axis| (axis, host.lengths()[axis]));
    let (mut at, mut left) = hosts.next()?; // the rest of an axis of the machine
    let mut stride = 1;
    let mut all = vec![];
    for &axis in guest_order {
        let (mut rest, mut factors) = (guest.lengths()[axis], vec![]);
        while rest > 1 {
            if left == 1 {
                (at, left) = hosts.next()?;
                stride = 1;
            }
            let length = rest.min(left);
            if !rest.is_multiple_of(length) || !left.is_multiple_of(length) {
                return None;
            }
            factors.push(Factor { host: at, length, stride });
            rest /= length;
            left /= length;
            stride *= length;
        }
        all.push((axis, factors));
    }
    Some(all)
}

/// The place of each coordinate of a ring in the box of these factors, by the construction of Tao 1988 with the least
/// dilation; `None` if it is the coordinate itself.
fn fold(factors: &[Factor], machine: &Machine) -> Option<Vec<u64>> {
    let axis = |factor: &Factor| -> &Axis { &machine.axes()[factor.host] };
    let wrap = |factor: &Factor| {
        let is_whole = factor.length == axis(factor).length();
        if is_whole && axis(factor).extent().is_ring() { Wrap::Around } else { Wrap::Open }
    };
    if let [only] = factors
        && (wrap(only) == Wrap::Around || only.length < 3)
    {
        return None;
    }
    let lengths: Vec<u64> = factors.iter().map(|factor| factor.length).collect();
    let wraps: Vec<Wrap> = factors.iter().map(wrap).collect();
    let ring = Machine::new(MachineKind::Ring, &[lengths.iter().product()]).ok()?;
    let host = Machine::with_wraps(MachineKind::Torus, &lengths, &wraps).ok()?;
    let construction = Construction::choose(&ring, &host).ok()?;
    let place = |process: ProcessId| u64::from(construction.node(process).index());
    let places: Vec<u64> = ProcessId::first(ring.node_count()).map(place).collect();
    (!places.is_sorted()).then_some(places)
}

/// Every permutation of `0..count`, in lexicographic order.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..count {
        let longer = |prefix: &Vec<usize>| {
            let rest: Vec<usize> = (0..count).filter(|next| !prefix.contains(next)).collect();
            let prefix = prefix.clone();
            rest.into_iter().map(move |next| [prefix.clone(), vec![next]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn is_permutation(order: &[usize], count: usize) -> bool {
    order.len() == count && (0..count).all(|axis| order.contains(&axis))
}

fn lengths(shape: &Shape) -> String {
    shape.lengths().iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}
