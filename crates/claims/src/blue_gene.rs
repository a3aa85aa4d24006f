//! The all-to-all of Blue Gene/L on toruses with one longer side (Kumar et al. 2008), over routers with finite buffers.
//!
//! Every process sends a message to each other one, in its own random order, at a given rate: [`docs/routers.md`]
//! explains why order and rate matter.
//!
//! [`docs/routers.md`]: ../../../docs/routers.md

use std::{num::NonZeroU64, sync::Arc};

use cubefold_mapping::ProcessId;
use cubefold_simulator::{
    Communication, Cycles, FlowControl, Operation, OperationKind, Requirement, RouterRouting, RouterSettings,
    TaskGraph, TaskScheduleBuilder,
};
use cubefold_topology::{LinkMode, Machine, TieRule, mix};

use crate::{
    cases::{identity, makespan, torus},
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "Kumar et al. 2008, abstract":
        PEAK =
            "direct all-to-all at 80 % of the peak rate, adaptive routing, one side longer: percent of the peak: at least 64";

    "Kumar et al. 2008":
        ORDER = "the same in dimension order: percent of the peak: at most that of adaptive routing";
}

/// The units of a message: two packets.
const UNITS: u64 = 16;
/// The units of a packet.
const PACKET: u64 = 8;
/// The rate at which a process sends, in percent of the peak.
const RATE: u64 = 80;

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    for_each(scope.quick_or_full(vec![[4, 16]], vec![[8, 16], [16, 8]]), check)
}

fn check(shape: [u64; 2], findings: &mut Findings) {
    let [adaptive, in_order] = ["adaptive", "dimension-order"].map(|routing| percent_of_peak(shape, routing));
    let case = format!("torus {}x{}", shape[0], shape[1]);
    findings.add(PEAK, Trial::at_least(64, adaptive), &case);
    findings.add(ORDER, Trial::at_most(adaptive, in_order), &case);
}

/// The ratio of the busiest links' bound to the makespan \[percent\].
#[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
fn percent_of_peak(shape: [u64; 2], routing: &str) -> Quantity {
    let machine = torus(&shape);
    let settings = RouterSettings {
        flow_control: FlowControl::VirtualCutThrough,
        virtual_channels: 4,
        buffer_units: 32,
        router_cycles: 2,
        routing: RouterRouting::named(routing, &machine).expect("a rule of grids"),
        ..RouterSettings::default_of(&machine, 0)
    };
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
        .expect("a hop of one cycle")
        .with_packets(NonZeroU64::new(PACKET))
        .with_eager(UNITS)
        .with_routers(settings, &machine)
        .expect("routers that suit the machine");
    let nodes = machine.node_count();
    let longest = shape[0].max(shape[1]);
    // In one direction of the longest dimension a link carries an eighth of a side of every node's data.
    let bound = nodes * UNITS * longest / 8;
    let program = all_to_all(&machine, bound * 100 / RATE);
    Quantity::fraction(100 * bound, makespan(&program, &identity(&machine), rules))
}

/// An all-to-all in which every process sends at an even rate, in its own random order, for `cycles` cycles.
#[expect(
    clippy::expect_used,
    reason = "every message has a send and a receive, and requires an earlier calculation"
)]
fn all_to_all(machine: &Machine, cycles: u64) -> TaskGraph {
    let count = u32::try_from(machine.node_count()).expect("fewer nodes than 2^32");
    let mut builder = TaskScheduleBuilder::new(count);
    for process in 0..count {
        let mut others: Vec<u32> = (0..count).filter(|&other| other != process).collect();
        others.sort_by_key(|&other| mix(mix(process.into()) ^ u64::from(other)));
        let operation = |kind, peer, amount, processor| Operation {
            amount,
            process: ProcessId::new(process),
            peer: ProcessId::new(peer),
            tag: 0,
            processor,
            kind,
            is_awaited: true,
        };
        let begin = |place: u64| place * cycles / u64::from(count);
        let mut before = None;
        for (place, other) in (0..).zip(others) {
            let wait = begin(place + 1) - begin(place);
            let wait = builder.add(operation(OperationKind::Calc, process, wait, 0));
            let send = builder.add(operation(OperationKind::Send, other, UNITS, 1));
            builder.add(operation(OperationKind::Receive, other, UNITS, 2));
            if let Some(before) = before.replace(wait) {
                builder.require(wait, before, Requirement::Over);
            }
            builder.require(send, wait, Requirement::Over);
        }
    }
    TaskGraph::new(Arc::new(builder.finish().expect("sends and receives")), Cycles::ZERO)
}
