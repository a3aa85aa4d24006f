//! Estimates of the memory that a run takes.

use cubefold_mapping::ProcessId;
use cubefold_topology::Machine;

use super::{Event, TransportKind, actors, message_table::MessageTable, progress::Progress, tasks};
use crate::{
    Communication, Cycles, Program, ServiceOrder, Special,
    explicit_routes::ExplicitRoutes,
    time_wheel::TimeWheel,
    transport::{flow, packets::Packets},
};

/// Bytes that a run takes at most, roughly.
pub(crate) fn bytes(
    program: &dyn Program,
    (machine, distance): (&Machine, Distance<'_>),
    communication: Communication,
    kind: TransportKind,
) -> u64 {
    let messages = messages_under_way(program, communication);
    let transport = match kind {
        TransportKind::Flow(_) => flow::bytes(program, machine),
        TransportKind::Packets => {
            let (packets, queued) =
                (packets_under_way(program, communication), packets_queued(program, distance, communication));
            Packets::bytes(machine, communication, packets, queued).saturating_add(ExplicitRoutes::bytes(
                machine,
                communication,
                messages,
            ))
        }
    };
    // If channels differ, with the time of each message.
    let of_message = if machine.link_times().is_some() { size_of::<Cycles>() as u64 } else { 0 };
    transport
        .saturating_add(MessageTable::bytes(messages))
        .saturating_add(messages.saturating_mul(of_message))
        .saturating_add(bytes_of_processes(program))
}

/// Bytes for the operations of a task graph or the actors of a job; 0 for a stage program.
pub(crate) fn bytes_without_stages(program: &dyn Program) -> u64 {
    match program.special() {
        Special::Tasks(graph) => tasks::bytes(graph),
        Special::Job(job) => actors::bytes(job),
        Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) | Special::None => 0,
    }
}

/// Bytes for the processes of a stage program and the calendar.
pub(super) fn bytes_of_processes(program: &dyn Program) -> u64 {
    let calendar = program.process_count().saturating_mul(TimeWheel::<Event>::BYTES_PER_EVENT);
    Progress::bytes(program.process_count()).saturating_add(calendar)
}

/// The most messages under way at a time, roughly.
pub(super) fn messages_under_way(program: &dyn Program, communication: Communication) -> u64 {
    // Eager messages of several stages may be under way together.
    let ahead = if communication.eager() > 0 { (program.stage_count() as u64).min(4) } else { 1 };
    program.facts().messages_of_stage().saturating_mul(ahead)
}

/// The most packets under way at a time, roughly.
pub(super) fn packets_under_way(program: &dyn Program, communication: Communication) -> u64 {
    // A packet waits at its source until the one before it has departed: few of a message are on their way at a time.
    messages_under_way(program, communication)
        .saturating_mul(largest_packet_count(program, communication).min(8))
}

/// The distance between the nodes of two processes \[links\].
pub(crate) type Distance<'run> = &'run dyn Fn(ProcessId, ProcessId) -> u64;

/// The most packets queued at a time, roughly.
fn packets_queued(program: &dyn Program, distance: Distance<'_>, communication: Communication) -> u64 {
    /// The most messages that are examined one by one.
    const MAX_LISTED: u64 = 1 << 20;
    if communication.service() == ServiceOrder::FirstCome {
        return packets_under_way(program, communication);
    }
    // A channel serves one input while packets arrive by another: up to half of those that cross more than one link wait.
    let (messages, stages) = (program.facts().messages_of_stage(), program.stage_count());
    if messages.saturating_mul(stages as u64) > MAX_LISTED || program.special().tasks().is_some() {
        let packets = largest_packet_count(program, communication);
        return messages_under_way(program, communication).saturating_mul(packets).div_ceil(2);
    }
    let of_stage = |stage| {
        let mut packets = 0_u64;
        program.for_each_message(stage, &mut |source, destination, units| {
            if distance(source, destination) > 1 {
                packets = packets.saturating_add(communication.packet_count(units));
            }
        });
        packets
    };
    let largest = (0..stages).map(of_stage).max().unwrap_or(0);
    let ahead = messages_under_way(program, communication) / messages.max(1); // stages under way together
    largest.saturating_mul(ahead).div_ceil(2).max(packets_under_way(program, communication))
}

fn largest_packet_count(program: &dyn Program, communication: Communication) -> u64 {
    communication.packet_count(largest_units(program))
}

pub(crate) fn largest_units(program: &dyn Program) -> u64 {
    match program.facts().uniform_units {
        Some(units) => units,
        None => (0..program.stage_count()).map(|stage| program.max_units(stage)).max().unwrap_or(1),
    }
}
