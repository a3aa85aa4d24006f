//! The time of a step whose messages load every link equally: `A0 + max(H h + m, H + L m)`.
//!
//! `A0` is the cost of starting a step, `H = l + u` a hop of a message's head, `m` the occupancy of a link
//! by a message, less the unit that arrives with the head, `h` the distance of partners and `L` the
//! messages over a link. With cut-through a message alone takes the first, and the last message of a
//! link cannot arrive before the second. If plain and mirrored shares together load every
//! link of a step equally, the larger of both is attained; the sum over the steps is the makespan. Ties
//! and uneven loads take longer: recursive doubling does.

use cubefold_collectives::{Algorithm, Collective, Exchange};
use cubefold_mapping::ProcessId;
use cubefold_simulator::{Communication, Cycles, Switching};
use cubefold_topology::{LinkMode, Machine, NodeId, TieRule};

use super::{Run, at_least_one, deficiencies::stage_loads, name, placed, torus};
use crate::{
    cases::makespan,
    claim::{Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Swing 2024, steps":
        STEPS =
            "cycles of Swing by whole vectors on all ports of rings of 2^m, simulated: the sum over the steps of A0 + max(H h + m, H + L m), loads L counted";
}

/// The vectors of the claim \[units\].
const VECTORS: [u64; 6] = [2, 20, 200, 2000, 20_000, 200_000];

/// Links and starts of steps: `u`, `l` and `A0` \[cycles\]. The first are from the published runs.
const COSTS: [[u64; 3]; 2] = [[1, 624, 802], [3, 5, 10]];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    for_each(scope.quick_or_full(vec![8, 64], vec![4, 8, 16, 32, 64, 128]), check)
}

fn check(side: u64, findings: &mut Findings) {
    let lengths = [side];
    let machine = torus(&lengths);
    let run = Run::all_reduce(&lengths, Algorithm::Swing, Some(Exchange::Whole)).on_all_ports();
    let steps = steps(&machine, &run.collective(2, 0));
    for [hop, latency, start] in COSTS {
        for units in VECTORS {
            let case = format!("{} with {units} units", name(&lengths));
            let Some(steps) = &steps else {
                findings.fail(STEPS, &case, &"links of a step carry more than others");
                continue;
            };
            let (head, message) = (latency + hop, hop * (units / 2));
            let of_step = |step: &Step| {
                let (alone, shared) = (head * step.distance + message, head + step.load * message);
                // The unit that arrives with the head does not count towards the rest.
                start + alone.max(shared) - hop
            };
            let expected: u64 = steps.iter().map(of_step).sum();
            let found = cut_through_makespan(&machine, &run.collective(units, start), hop, latency);
            findings.add(STEPS, Trial::equal(expected, found), &case);
        }
    }
}

/// A step: the distance of its messages \[links\], and the number of messages on every channel.
#[derive(Debug, Clone, Copy)]
struct Step {
    distance: u64,
    load: u64,
}

/// The steps of a collective of two shares of one unit; `None` if messages of a step have different
/// distances or some channels carry more than others.
fn steps(machine: &Machine, collective: &Collective) -> Option<Vec<Step>> {
    let node = |process: ProcessId| NodeId::new(collective.rank(process));
    let of_stage = |(stage, loads): (usize, std::collections::BTreeMap<_, u64>)| {
        let mut distances: Vec<u64> = ProcessId::first(collective.process_count())
            .flat_map(|process| {
                collective.sends(stage, process).into_iter().map(move |(to, _)| (process, to))
            })
            .map(|(from, to)| machine.distance(node(from), node(to)))
            .collect();
        distances.dedup();
        let both_ways = loads.values().copied().max()?;
        let is_even =
            loads.len() as u64 == machine.link_count() && loads.values().all(|&load| load == both_ways);
        match distances[..] {
            // Equally many messages go each way over a link.
            [distance] if is_even => Some(Step { distance, load: both_ways / 2 }),
            _ => None,
        }
    };
    stage_loads(machine, collective).into_iter().enumerate().map(of_stage).collect()
}

/// The makespan of a collective with cut-through \[cycles\].
#[expect(clippy::expect_used, reason = "a hop of at least one cycle")]
fn cut_through_makespan(machine: &Machine, collective: &Collective, hop: u64, latency: u64) -> u64 {
    let shares = collective.share_count();
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Positive)
        .expect("a hop of at least one cycle")
        .with_latency(Cycles::new(latency))
        .with_switching(Switching::CutThrough)
        .with_processors(at_least_one(shares));
    makespan(collective, &placed(machine, shares), links)
}
