//! Small messages that large ones hold up (`docs/model.md` section 23.7).
//!
//! The run itself finds the messages that are blocked for long. If there are any, a second run logs all transmissions, and
//! the holders of the channels that they waited for are looked up.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_mapping::ProcessId;
use cubefold_simulator::{
    Detail, DetailList, EngineChoice, LATE_MESSAGES, MessageTimes, Observer, Outcome, Request, StageRecord,
    Transmission, simulate, transmission_count,
};
use cubefold_topology::{LinkMode, NodeId};

use cubefold_records::HeldUpMessages;
use cubefold_scenario::Run;

const MAX_LOGGED: u64 = 1 << 20; // transmissions of a run

/// How many times as large a message is as one that it holds up.
const LEAST_RATIO: u64 = 16;

/// Stage, source and destination of a message.
type Key = (u32, ProcessId, ProcessId);

/// All transmissions of a run.
#[derive(Default)]
struct Log(Vec<Transmission>);

impl Observer for Log {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Transmissions
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Transmissions(transmissions) = details {
            self.0 = transmissions;
        }
    }
}

/// Returns the messages of a job that large ones held up; `None` if there are none, or too many transmissions to log.
pub(super) fn held_up(run: &Run, outcome: &Outcome) -> Option<HeldUpMessages> {
    let late = &outcome.job.as_ref()?.late;
    let rules = run.communication;
    if late.is_empty() || rules.routers().is_some() {
        return None;
    }
    let body = &*run.program.body;
    if transmission_count(body, &run.placement, rules, MAX_LOGGED + 1) > MAX_LOGGED {
        return None;
    }
    let mut log = Log::default();
    simulate(body, &run.placement, rules, &Request::asynchronous(EngineChoice::Sized), &mut log).ok()?;
    let is_held_up = held_up_by_large(run, &log.0, late);
    let mut held_up: Vec<&MessageTimes> =
        late.iter().filter(|message| is_held_up.contains(&key_of(message))).collect();
    let blocked = |message: &MessageTimes| message.received - message.start - message.transfer;
    held_up.sort_unstable_by_key(|message| {
        (
            std::cmp::Reverse(blocked(message)),
            message.start,
            message.stage,
            message.source,
            message.destination,
        )
    });
    let worst = **held_up.first()?;
    Some(HeldUpMessages {
        count: held_up.len() as u64,
        are_all: late.len() < LATE_MESSAGES,
        worst,
        blocked: blocked(&worst).get(),
    })
}

fn key_of(message: &MessageTimes) -> Key {
    (message.stage, message.source, message.destination)
}

/// The late messages that waited while a large one held the channel.
fn held_up_by_large(run: &Run, transmissions: &[Transmission], late: &[MessageTimes]) -> BTreeSet<Key> {
    let units: BTreeMap<Key, u64> = late.iter().map(|message| (key_of(message), message.units)).collect();
    let key =
        |transmission: &Transmission| (transmission.stage, transmission.source, transmission.destination);
    let is_half_duplex = run.communication.links() != LinkMode::FullDuplex;
    let channel = |transmission: &Transmission| -> [NodeId; 2] {
        let ends = [transmission.from, transmission.to];
        if is_half_duplex {
            [transmission.from.min(transmission.to), transmission.from.max(transmission.to)]
        } else {
            ends
        }
    };
    // A waiting transmission begins when another one on its channel ends.
    let mut ends: Vec<([NodeId; 2], u64, usize)> = transmissions
        .iter()
        .enumerate()
        .map(|(place, transmission)| (channel(transmission), transmission.end.get(), place))
        .collect();
    ends.sort_unstable();
    let before = |transmission: &Transmission, begin: u64| {
        let first = ends.partition_point(|&(ends, end, _)| (ends, end) < (channel(transmission), begin));
        let ended = ends.get(first).filter(|&&(ends, end, _)| (ends, end) == (channel(transmission), begin));
        ended.map(|&(_, _, place)| &transmissions[place])
    };
    let is_large = |holder: &Transmission, units: u64| {
        let holder_units = run.program.body.units(holder.stage as usize, holder.source, holder.destination);
        holder_units >= units.saturating_mul(LEAST_RATIO)
    };
    let mut found = BTreeSet::new();
    for transmission in transmissions.iter().filter(|transmission| transmission.joined < transmission.begin) {
        let Some(&units) = units.get(&key(transmission)).filter(|_| !found.contains(&key(transmission)))
        else {
            continue;
        };
        let mut begin = transmission.begin;
        while begin > transmission.joined
            && let Some(holder) = before(transmission, begin.get())
        {
            if is_large(holder, units) {
                found.insert(key(transmission));
                break;
            }
            begin = holder.begin;
        }
    }
    found
}
