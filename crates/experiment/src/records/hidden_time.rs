//! The part of a job's steps of messages that computation steps hide, by the intervals of steps.
//!
//! The interval of a step is the time from its earliest begin to its latest finish over ranks. A cycle of it is hidden if
//! it lies in the interval of some computation step of the same run. At no rank do computations and the step run side by
//! side for longer than this, so it is an estimate from above; the exposed cycles of a run are exact.

use std::collections::BTreeMap;

use super::{JobStepRecord, exact_mean};

/// The most computation steps that a step of messages names.
pub(super) const MAX_BEHIND: usize = 16;

/// Sets the share of each step in a makespan, and the computation steps that hide the steps of messages.
///
/// # Complexity
///
/// `O(n (c + 1) log n)` for `n` records and `c` names of computation steps.
pub(super) fn add_shares(steps: &mut [JobStepRecord], makespan: u64) {
    let computations = Computations::of(steps);
    for step in steps {
        step.share = Some(share(step.length(), makespan));
        if !step.is_computation() {
            let (begin, finish) = (step.begin_cycles, step.finish_cycles);
            let hidden = computations.hidden_cycles(begin, finish);
            step.hidden_cycles = Some(hidden);
            step.hidden_share = Some(share(hidden, step.length()));
            step.behind = Some(computations.names(begin, finish));
        }
    }
}

/// A part of a whole; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    exact_mean(part.into(), whole.into()).unwrap_or(0.0)
}

/// The intervals of the computation steps of a run.
struct Computations {
    /// Their union.
    union: Intervals,
    /// The intervals per step name, over all iterations, in the order of the file.
    by_name: Vec<(String, Intervals)>,
}

impl Computations {
    fn of(steps: &[JobStepRecord]) -> Self {
        let mut all = vec![];
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut by_name: Vec<(&str, Vec<[u64; 2]>)> = vec![];
        for step in steps.iter().filter(|own| own.is_computation()) {
            let place = *places.entry(&step.name).or_insert(by_name.len());
            if place == by_name.len() {
                by_name.push((&step.name, vec![]));
            }
            if step.length() > 0 {
                let interval = [step.begin_cycles, step.finish_cycles];
                by_name[place].1.push(interval);
                all.push(interval);
            }
        }
        let by_name = by_name.into_iter().map(|(name, own)| (name.to_owned(), Intervals::new(&own)));
        Self { by_name: by_name.collect(), union: Intervals::new(&union(all)) }
    }

    /// The cycles between two in which some computation step runs.
    fn hidden_cycles(&self, begin: u64, finish: u64) -> u64 {
        let length = finish.saturating_sub(begin);
        u64::try_from(self.union.between(begin, finish)).map_or(length, |cycles| cycles.min(length))
    }

    /// The computation steps that run between two cycles, the longest first, else in the order of the file.
    fn names(&self, begin: u64, finish: u64) -> Vec<String> {
        let overlap = |(name, own): &'_ (String, Intervals)| (own.between(begin, finish), name.clone());
        let mut found: Vec<(u128, String)> =
            self.by_name.iter().filter(|own| own.1.touches(begin, finish)).map(overlap).collect();
        found.retain(|own| own.0 > 0);
        found.sort_by_key(|own| std::cmp::Reverse(own.0));
        found.truncate(MAX_BEHIND);
        found.into_iter().map(|own| own.1).collect()
    }
}

/// The union of intervals, as intervals that do not overlap, in ascending order.
fn union(mut intervals: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    intervals.sort_unstable();
    let mut union: Vec<[u64; 2]> = vec![];
    for [begin, end] in intervals {
        match union.last_mut() {
            Some(last) if begin <= last[1] => last[1] = end.max(last[1]),
            _ => union.push([begin, end]),
        }
    }
    union
}

/// Intervals, prepared to sum up their parts between two cycles.
struct Intervals {
    begins: SummedCycles,
    ends: SummedCycles,
}

impl Intervals {
    fn new(intervals: &[[u64; 2]]) -> Self {
        let side = |side: usize| SummedCycles::new(intervals.iter().map(|own| own[side]).collect());
        Self { begins: side(0), ends: side(1) }
    }

    /// Whether one of them may have a part between two cycles.
    fn touches(&self, begin: u64, finish: u64) -> bool {
        let (first, last) = (self.begins.sorted.first(), self.ends.sorted.last());
        first.is_some_and(|&first| first < finish) && last.is_some_and(|&last| last > begin)
    }

    /// The lengths of their parts between two cycles, in total.
    fn between(&self, begin: u64, finish: u64) -> u128 {
        self.before(finish).saturating_sub(self.before(begin))
    }

    /// The lengths of their parts before a cycle, in total: those begun less those ended count each cycle.
    fn before(&self, cycle: u64) -> u128 {
        self.begins.elapsed(cycle) - self.ends.elapsed(cycle)
    }
}

/// Cycles in ascending order, with the sums of the first ones.
struct SummedCycles {
    sorted: Vec<u64>,
    sums: Vec<u128>, // entry k of the first k
}

impl SummedCycles {
    fn new(mut cycles: Vec<u64>) -> Self {
        cycles.sort_unstable();
        let mut sums = vec![0; cycles.len() + 1];
        for (place, &cycle) in cycles.iter().enumerate() {
            sums[place + 1] = sums[place] + u128::from(cycle);
        }
        Self { sorted: cycles, sums }
    }

    /// The time from each of those before `cycle` until then, in total.
    fn elapsed(&self, cycle: u64) -> u128 {
        let count = self.sorted.partition_point(|&own| own < cycle);
        count as u128 * u128::from(cycle) - self.sums[count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(iteration: u64, name: &str, kind: &'static str, cycles: [u64; 2]) -> JobStepRecord {
        JobStepRecord {
            iteration,
            name: name.to_owned(),
            kind: kind.into(),
            begin_cycles: cycles[0],
            finish_cycles: cycles[1],
            begin_seconds: None,
            finish_seconds: None,
            share: None,
            hidden_cycles: None,
            hidden_share: None,
            behind: None,
        }
    }

    fn behind(step: &JobStepRecord) -> Vec<&str> {
        step.behind.iter().flatten().map(String::as_str).collect()
    }

    #[test]
    fn cycles_of_overlapping_computations_count_once_and_the_longest_is_named_first() {
        let mut steps = [
            step(0, "a", "computation", [0, 40]),
            step(0, "b", "computation", [30, 100]),
            step(0, "reduce", "all-reduce", [20, 120]),
            step(0, "later", "computation", [120, 130]),
            step(0, "nothing", "send", [50, 50]),
        ];
        add_shares(&mut steps, 200);
        let shares: Vec<Option<f64>> = steps.iter().map(|own| own.share).collect();
        assert_eq!(shares, [0.2, 0.35, 0.5, 0.05, 0.0].map(Some));
        assert_eq!((steps[2].hidden_cycles, steps[2].hidden_share), (Some(80), Some(0.8)));
        assert_eq!(behind(&steps[2]), ["b", "a"]);
        // Computations hide and are not hidden.
        assert_eq!((steps[0].hidden_cycles, steps[0].hidden_share, &steps[0].behind), (None, None, &None));
        assert_eq!((steps[4].hidden_cycles, steps[4].hidden_share), (Some(0), Some(0.0)));
        assert_eq!(steps[4].behind, Some(vec![]));
    }

    #[test]
    fn a_computation_of_several_iterations_is_named_once_by_all_of_its_parts() {
        let mut steps = [
            step(0, "forward", "computation", [0, 10]),
            step(0, "backward", "computation", [10, 30]),
            step(0, "reduce", "all-reduce", [5, 100]),
            step(1, "forward", "computation", [40, 60]),
            step(1, "backward", "computation", [50, 52]),
            step(1, "reduce", "all-reduce", [60, 110]),
            step(2, "forward", "computation", [110, 120]),
        ];
        add_shares(&mut steps, 120);
        // forward 5 + 20, backward 20 + 2, of which 2 lie in forward.
        assert_eq!(steps[2].hidden_cycles, Some(45));
        assert_eq!(behind(&steps[2]), ["forward", "backward"]);
        assert_eq!((steps[5].hidden_cycles, behind(&steps[5])), (Some(0), vec![]));
    }

    #[test]
    fn sums_agree_with_a_count_of_every_cycle() {
        // Pseudo-random intervals of three computations in 20 iterations, among 40 cycles each.
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut steps = vec![];
        for iteration in 0..20 {
            for (name, kind) in
                [("a", "computation"), ("b", "computation"), ("c", "computation"), ("d", "send")]
            {
                let begin = draw(40);
                steps.push(step(
                    iteration,
                    name,
                    kind,
                    [begin, begin + draw(if name == "d" { 30 } else { 5 })],
                ));
            }
        }
        add_shares(&mut steps, 70);
        let runs_in =
            |own: &JobStepRecord, cycle: u64| (own.begin_cycles..own.finish_cycles).contains(&cycle);
        for own in steps.iter().filter(|own| !own.is_computation()) {
            let computes =
                |cycle: &u64| steps.iter().any(|other| other.is_computation() && runs_in(other, *cycle));
            let hidden = (own.begin_cycles..own.finish_cycles).filter(computes).count() as u64;
            assert_eq!(own.hidden_cycles, Some(hidden), "{own:?}");
            let overlap = |other: &JobStepRecord| {
                (own.begin_cycles..own.finish_cycles).filter(|&at| runs_in(other, at)).count()
            };
            let overlaps = |name: &str| steps.iter().filter(|other| other.name == name).map(overlap).sum();
            let mut expected: Vec<(usize, &str)> =
                ["a", "b", "c"].map(|name| (overlaps(name), name)).to_vec();
            expected.retain(|own| own.0 > 0);
            expected.sort_by_key(|own| std::cmp::Reverse(own.0));
            assert_eq!(behind(own), expected.iter().map(|own| own.1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_of_computations_have_a_limit() {
        let mut steps: Vec<JobStepRecord> =
            (0..20).map(|place| step(0, &format!("c{place}"), "computation", [place, 100])).collect();
        steps.push(step(0, "send", "send", [0, 100]));
        add_shares(&mut steps, 100);
        let expected: Vec<String> = (0..MAX_BEHIND).map(|place| format!("c{place}")).collect();
        assert_eq!(steps[20].behind, Some(expected));
    }
}
