//! A stage program as a task graph, with stages as tags (`docs/model.md` section 18).
//!
//! In a stage a process computes, unless `C_s(n) = 0`, and its sends and receives require that. The next
//! stage requires the receives, or else the requirements of the sends, since no process waits for its own
//! messages. If several operations would each require several others, a calculation of 0 cycles joins them.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use crate::{
    Operation, OperationKind, Program, Requirement, TaskSchedule, TaskScheduleBuilder, TaskScheduleError,
};

/// A message from the viewpoint of one end, ordered by process, stage and operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MessageEnd {
    process: ProcessId,
    stage: usize,
    is_receive: bool,
    peer: ProcessId,
    units: u64,
}

/// The task graph of a program whose processes have separate processors, with times in cycles and sizes
/// in units.
///
/// # Errors
///
/// If there are fewer than two processes, or more than nodes of a network.
pub fn task_schedule(program: &dyn Program) -> Result<TaskSchedule, TaskScheduleError> {
    let mut ends: Vec<MessageEnd> = vec![];
    for stage in 0..program.stage_count() {
        program.for_each_message(stage, &mut |source, destination, units| {
            ends.push(MessageEnd { process: source, stage, is_receive: false, peer: destination, units });
            ends.push(MessageEnd { process: destination, stage, is_receive: true, peer: source, units });
        });
    }
    ends.sort_unstable();
    let mut builder = TaskScheduleBuilder::new(narrow(program.process_count()));
    let mut rest = &ends[..];
    for process in ProcessId::first(program.process_count()) {
        // The requirements of the next stage.
        let mut required: Vec<u32> = vec![];
        for stage in 0..program.stage_count() {
            let count = rest.partition_point(|end| (end.process, end.stage) <= (process, stage));
            let (ends_of_stage, others) = rest.split_at(count);
            rest = others;
            let computation = program.computation(stage, process).get();
            let joins = ends_of_stage.len() > 1 && required.len() > 1;
            if computation > 0 || joins {
                required = vec![add(&mut builder, &required, calculation(process, computation))];
            }
            let mut received = vec![];
            for end in ends_of_stage {
                let operation = add(&mut builder, &required, message(end));
                if end.is_receive {
                    received.push(operation);
                }
            }
            if !received.is_empty() {
                required = received;
            }
        }
    }
    builder.finish()
}

fn add(builder: &mut TaskScheduleBuilder, required: &[u32], operation: Operation) -> u32 {
    let number = builder.add(operation);
    for &before in required {
        builder.require(number, before, Requirement::Over);
    }
    number
}

fn calculation(process: ProcessId, cycles: u64) -> Operation {
    Operation {
        amount: cycles,
        process,
        peer: process,
        tag: 0,
        processor: 0,
        kind: OperationKind::Calc,
        is_awaited: true,
    }
}

fn message(end: &MessageEnd) -> Operation {
    Operation {
        amount: end.units,
        process: end.process,
        peer: end.peer,
        tag: narrow(end.stage as u64), // below 2^32, since runs have fewer stages
        processor: 0,
        kind: if end.is_receive { OperationKind::Receive } else { OperationKind::Send },
        is_awaited: true,
    }
}
