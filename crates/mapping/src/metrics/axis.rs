//! One dimension of the host, as the metrics of many edges at a time see it.
//!
//! The loops over edges are free of branches, and of checks that cannot fail: the metrics live on them.

mod runs;

use cubefold_topology::{Axis, Digit, IndexDigit, NodeId, TieRule, narrow};

pub(super) use runs::Runs;

/// Whether nodes whose indices differ in these bits only may differ in the coordinate of `axis`.
pub(super) fn is_among(axis: &Axis, differing: u32) -> bool {
    match axis.digit() {
        IndexDigit::Bits(bits) => bits.is_among(differing),
        IndexDigit::Radix(_) => differing != 0,
    }
}

/// Adds to each distance the one between the two nodes along `axis`.
pub(super) fn add_distances(axis: &Axis, low: &[NodeId], high: &[NodeId], distances: &mut [u32]) {
    match (axis.digit(), axis.extent().is_ring()) {
        (IndexDigit::Bits(digit), true) => add(low, high, distances, |a, b| digit.ring_distance(a, b)),
        (IndexDigit::Bits(digit), false) => add(low, high, distances, |a, b| digit.line_distance(a, b)),
        (IndexDigit::Radix(digit), true) => {
            let length = narrow(axis.length()); // 2^32 is a power of two
            add(low, high, distances, |a, b| {
                let straight = digit.line_distance(a, b);
                straight.min(length.wrapping_sub(straight))
            });
        }
        (IndexDigit::Radix(digit), false) => add(low, high, distances, |a, b| digit.line_distance(a, b)),
    }
}

/// The runs of the routes from the nodes `from` to the nodes `to` along `axis`: on the lines where the lower dimensions
/// agree with `to` already and the higher ones with `from` still.
pub(super) fn write_runs(axis: &Axis, from: &[NodeId], to: &[NodeId], tie: TieRule, runs: &mut Runs) {
    match axis.digit() {
        IndexDigit::Bits(digit) => write_runs_by(axis, digit, from, to, tie, runs),
        IndexDigit::Radix(digit) => write_runs_by(axis, digit, from, to, tie, runs),
    }
}

fn write_runs_by(
    axis: &Axis,
    digit: &impl Digit,
    from: &[NodeId],
    to: &[NodeId],
    tie: TieRule,
    runs: &mut Runs,
) {
    if !axis.extent().is_ring() {
        return runs.write(digit, from, to, |a, b| a < b);
    }
    // Modulo 2^32, which a ring may have as its length: between coordinates that differ the sums are right.
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32")]
    let length = axis.extent().length() as u32;
    let around = |a: u32, b: u32| length.wrapping_sub(a.abs_diff(b));
    // The shorter way goes up, a tie being broken as `direct` does.
    let is_up = |a: u32, b: u32| (a < b) ^ (around(a, b) < a.abs_diff(b));
    let is_tie = |a: u32, b: u32| around(a, b) == a.abs_diff(b);
    match tie {
        TieRule::Direct => runs.write(digit, from, to, is_up),
        TieRule::Positive => runs.write(digit, from, to, |a, b| is_tie(a, b) || is_up(a, b)),
        TieRule::Negative => runs.write(digit, from, to, |a, b| !is_tie(a, b) && is_up(a, b)),
    }
}

/// Adds to each distance that of the two nodes.
fn add(low: &[NodeId], high: &[NodeId], distances: &mut [u32], distance: impl Fn(u32, u32) -> u32) {
    for ((sum, low), high) in distances.iter_mut().zip(low).zip(high) {
        // Never wraps: distances are below the lengths, whose product is at most 2^32.
        *sum = sum.wrapping_add(distance(low.index(), high.index()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{HostDimension, Machine, MachineKind, Sign, Wrap};

    /// Machines with dimensions of every kind: powers of two and others, of length 2, wrapping or not.
    fn machines() -> impl Iterator<Item = Machine> {
        let shapes: [&[u64]; 8] = [&[8], &[7], &[2, 4], &[4, 2, 8], &[3, 2], &[2, 5, 4], &[6, 8], &[2; 5]];
        shapes.into_iter().flat_map(|shape| {
            (0..1_u32 << shape.len()).map(move |wraps| {
                let wrap = |at: usize| if wraps >> at & 1 == 1 { Wrap::Around } else { Wrap::Open };
                let wraps: Vec<Wrap> = (0..shape.len()).map(wrap).collect();
                Machine::with_wraps(MachineKind::Mesh, shape, &wraps).unwrap()
            })
        })
    }

    /// All pairs of nodes.
    fn pairs(machine: &Machine) -> (Vec<NodeId>, Vec<NodeId>) {
        machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))).unzip()
    }

    #[test]
    fn distances_of_all_pairs_are_those_of_the_machine() {
        for machine in machines() {
            let (low, high) = pairs(&machine);
            let mut distances = vec![0; low.len()];
            for axis in machine.axes() {
                add_distances(axis, &low, &high, &mut distances);
            }
            let expected = low.iter().zip(&high).map(|(&a, &b)| machine.distance(a, b));
            assert!(expected.eq(distances.into_iter().map(u64::from)));
        }
    }

    #[test]
    fn runs_of_all_pairs_are_the_legs_of_their_routes() {
        for machine in machines() {
            let (from, to) = pairs(&machine);
            let mut runs = Runs::default();
            for (axis, dimension) in machine.axes().iter().zip(machine.shape().dimensions()) {
                for tie in TieRule::ALL {
                    write_runs(axis, &from, &to, tie, &mut runs);
                    for at in 0..from.len() {
                        check_run(&machine, dimension, tie, (from[at], to[at]), &runs, at);
                    }
                }
            }
        }
    }

    fn check_run(
        machine: &Machine,
        dimension: HostDimension,
        tie: TieRule,
        (from, to): (NodeId, NodeId),
        runs: &Runs,
        at: usize,
    ) {
        let mut corrected = from;
        for lower in machine.shape().dimensions().take_while(|&lower| lower < dimension) {
            while let Some(leg) = machine.leg_along(lower, corrected, to, tie) {
                corrected = machine.neighbour(corrected, leg.direction).unwrap();
            }
        }
        let leg = machine.leg_along(dimension, corrected, to, tie);
        let mut end = corrected;
        for _ in 0..leg.map_or(0, |leg| leg.hops) {
            end = machine.neighbour(end, leg.unwrap().direction).unwrap();
        }
        let is_up = leg.is_none_or(|leg| leg.direction.sign == Sign::Positive);
        let (first, last) = if is_up { (corrected, end) } else { (end, corrected) };
        assert_eq!((runs.first[at], runs.end[at]), (first.index(), last.index()));
        assert_eq!(runs.wraps[at] == 1, last < first);
        let coordinate = u64::from(machine.shape().coordinate(first, dimension));
        let origin = u64::from(first.index()) - coordinate * machine.shape().stride(dimension);
        assert_eq!(u64::from(runs.origin[at]), origin);
    }
}
