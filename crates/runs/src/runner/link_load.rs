//! Link loads of a run: busy cycles, channel congestion, the units of all messages.

use std::cmp::Reverse;

use cubefold_collectives::{Collective, Operation};
use cubefold_mapping::{ChannelCongestion, PatternMessage, PlacementMetrics};
use cubefold_simulator::{
    CountLinkUse, Cycles, LinkUse, MessageRoutes, Outcome, explicit_unit_hops, stage_distances,
};
use cubefold_topology::{Link, LinkMode};

use cubefold_records::{LinkTraffic, WeightedMetrics};
use cubefold_scenario::{ExecutionMode, RoutingRule, Run};

/// Largest number of messages of an asynchronous run, or of link crossings of a coordinated one, for which
/// link use is counted: this takes tens of milliseconds.
const MAX_COUNTED_MESSAGES: u64 = 1 << 22;
/// Largest number of links whose use is counted, with eight bytes per direction.
const MAX_COUNTED_LINKS: u64 = 1 << 20;

/// Decides whether to count link use, which must cost almost nothing: a step per leg of a message on a grid,
/// per link on a network, and one for all repetitions of a stage.
pub(super) fn count_link_use(run: &Run) -> CountLinkUse {
    let program = &run.program;
    if program.open_loop.is_some() {
        return CountLinkUse::No;
    }
    let stages = program.body.distinct_stages().count() as u64;
    let messages = program
        .body
        .process_count()
        .saturating_mul(stages)
        .saturating_mul(program.body.facts().max_received.max(1) as u64);
    let is_by_legs = run.execution.mode == ExecutionMode::Asynchronous
        && run.machine.graph().is_none()
        && run.communication.routes() == MessageRoutes::OfMachine;
    let steps = if is_by_legs { 1 } else { run.machine.distance_bound() };
    let is_small = messages.saturating_mul(steps) <= MAX_COUNTED_MESSAGES
        && run.machine.link_count() <= MAX_COUNTED_LINKS;
    if is_small { CountLinkUse::Yes } else { CountLinkUse::No }
}

/// Whether packets take the routes of the machine, which are known before the run: routers may choose others.
fn takes_machine_routes(run: &Run) -> bool {
    run.communication.routers().is_none_or(|routers| routers.takes_machine_routes())
}

/// Largest number of messages of a program, or of link crossings of them on a network, that are weighed.
const MAX_WEIGHED_MESSAGES: u64 = 1 << 26;

/// The distances of a placement and the loads of its links, weighed by the sizes of all messages; `None` if every
/// message has one unit, or there are too many.
pub(crate) fn weigh(run: &Run) -> Option<WeightedMetrics> {
    let (program, placement) = (&*run.program.body, &*run.placement);
    let facts = program.facts();
    if facts.uniform_units == Some(1) {
        return None;
    }
    let stages: Vec<(usize, usize)> = program.distinct_stages().collect();
    let steps = if run.machine.graph().is_none() { 1 } else { run.machine.distance_bound() };
    let messages = facts.messages_of_stage().saturating_mul(stages.len() as u64).saturating_mul(steps);
    if messages > MAX_WEIGHED_MESSAGES || run.machine.link_count() > MAX_COUNTED_LINKS {
        return None;
    }
    let mut units = 0_u128;
    for &(stage, times) in &stages {
        let mut of_stage = 0_u128;
        program.for_each_message(stage, &mut |_, _, units| of_stage += u128::from(units));
        units += of_stage * times as u128;
    }
    let loads = LinkUse::of_routes(program, placement, run.communication);
    let (mut link_max, mut channel_max) = (0, 0);
    for (_, [forward, back]) in loads.loaded_channels() {
        link_max = link_max.max(forward + back);
        channel_max = channel_max.max(forward).max(back);
    }
    Some(WeightedMetrics {
        units,
        hop_units: loads.unit_hops(),
        links: run.machine.link_count(),
        link_max,
        channel_max,
    })
}

/// Largest number of messages whose channels are counted.
const MAX_ROUTED_MESSAGES: u64 = 1 << 20;
/// Largest number of pairs of a process and a channel for which messages are split over all their routes.
const MAX_SPLIT_PAIRS: u64 = 1 << 25;

/// Number of messages after which those between the same nodes are merged.
const MANY_MESSAGES: usize = 1 << 16;

/// The memory of the messages whose channels are counted, with a second list of them in another order \[bytes\]; `None`
/// if they are not counted: this is expensive, or links differ.
pub(super) fn bytes_of_channel_congestion(run: &Run) -> Option<u64> {
    let program = &run.program;
    let specification = program.collective.as_deref().and_then(Collective::specification);
    let is_all_to_all = specification.is_some_and(|asked| asked.operation == Operation::AllToAll);
    let messages = program.pair_count().saturating_mul(program.body.facts().max_received.max(1) as u64);
    let pairs = program.body.process_count().saturating_mul(run.machine.channel_places());
    let is_small = messages <= MAX_ROUTED_MESSAGES && pairs <= MAX_SPLIT_PAIRS;
    // Loads in units say little about links of different speed.
    let are_alike = run.machine.link_times().is_none();
    let is_straight = takes_machine_routes(run)
        && run.communication.routes() == MessageRoutes::OfMachine
        && run.execution.routing != Some(RoutingRule::Sorting);
    let is_counted = is_small && is_straight && are_alike && (is_all_to_all || run.machine.graph().is_some());
    is_counted.then(|| 3 * messages * size_of::<PatternMessage>() as u64)
}

/// The load of the busiest channel under the messages of all stages: on networks, where one of many shortest
/// routes is chosen, and of an all-to-all; `None` if it is not counted.
pub(super) fn channel_congestion(run: &Run) -> Option<ChannelCongestion> {
    bytes_of_channel_congestion(run)?;
    let (program, placement) = (&run.program, &*run.placement);
    let mut messages: Vec<PatternMessage> = vec![];
    let mut merged = 0;
    for stage in 0..program.body.stage_count() {
        program.body.for_each_message(stage, &mut |source, destination, units| {
            messages.push((placement.node(source), placement.node(destination), units));
        });
        if messages.len() >= 2 * merged + MANY_MESSAGES {
            merge(&mut messages);
            merged = messages.len();
        }
    }
    merge(&mut messages);
    Some(ChannelCongestion::of(&run.machine, &messages, run.communication.tie()))
}

/// Sorts messages by their nodes and merges those between the same nodes.
fn merge(messages: &mut Vec<PatternMessage>) {
    messages.sort_unstable_by_key(|&(source, destination, _)| (source, destination));
    messages.dedup_by(|next, first| {
        let is_same = (next.0, next.1) == (first.0, first.1);
        if is_same {
            first.2 += next.2;
        }
        is_same
    });
}

/// The busiest link; of equally busy ones, the first by dimension and near end.
pub(super) fn busiest_link(link_use: &LinkUse) -> Option<LinkTraffic> {
    link_use
        .busy_channels()
        .map(LinkTraffic::busy)
        .min_by_key(|traffic| (Reverse(traffic.count), traffic.link.dimension, traffic.link.near))
}

/// The largest number of busy cycles of a channel; both directions count for links that carry one message at
/// a time.
pub(super) fn busiest_channel(run: &Run, link_use: &LinkUse) -> u64 {
    let most = |(_, [forward, back]): (Link, [Cycles; 2])| match run.communication.links() {
        LinkMode::FullDuplex => forward.max(back).get(),
        LinkMode::HalfDuplex | LinkMode::SingleDirection => forward.get() + back.get(),
    };
    link_use.busy_channels().map(most).max().unwrap_or(0)
}

/// Total number of links crossed by the units of all messages.
pub(super) fn unit_hops(run: &Run, outcome: &Outcome, metrics: &PlacementMetrics) -> u128 {
    let (program, placement) = (&run.program, &*run.placement);
    let is_whole = |units: u64| run.communication.packet_count(units) == 1;
    if let Some(units) = program.body.facts().uniform_units.filter(|&units| is_whole(units)) {
        return u128::from(outcome.traffic.hops) * u128::from(units);
    }
    if let (ExecutionMode::Asynchronous, Some(link_use)) = (run.execution.mode, &outcome.traffic.link_use) {
        return link_use.unit_hops();
    }
    if let Some(unit_hops) = explicit_unit_hops(&*program.body, placement, run.communication) {
        return unit_hops;
    }
    if program.body.special().cube().is_some() {
        // An edge carries a message in each direction, and all messages of a stage have one size.
        let of_stage = |stage| {
            let distances = stage_distances(&*program.body, stage, placement, metrics);
            2 * u128::from(distances.sum) * u128::from(program.body.max_units(stage))
        };
        return (0..program.body.stage_count()).map(of_stage).sum();
    }
    let (machine, mut sum, mut of_stage) = (placement.machine(), 0, 0);
    for stage in 0..program.body.stage_count() {
        if !program.body.repeats(stage) {
            of_stage = 0;
            program.body.for_each_message(stage, &mut |source, destination, units| {
                let distance = machine.distance(placement.node(source), placement.node(destination));
                of_stage += u128::from(distance) * u128::from(units);
            });
        }
        sum += of_stage;
    }
    sum
}
