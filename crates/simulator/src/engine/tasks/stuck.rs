//! Task graphs that get stuck: operations wait for one another, or for a message that never comes.

use super::{BEGUN, NONE, OVER, TaskProcesses};
use crate::{OperationKind, Requirement, program::task_schedule::Partner};

/// The reason why a task graph got stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckReason {
    /// The operations wait for one another.
    Cycle,
    /// The first of the operations, a receive, has begun, and no send is left for it.
    ReceiveWithoutSend,
    /// The first of the operations, a send by rendezvous, has begun, and no receive is left for it.
    SendWithoutReceive,
}

/// A task graph that got stuck.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task graph does not come to its end: {}", self.reason())]
pub struct StuckTasks {
    /// Why.
    pub reason: StuckReason,
    /// The operations, by their places in the schedule: of a cycle all, each waits for the next and the
    /// last for the first.
    pub operations: Vec<u32>,
    /// The number of unfinished operations.
    pub unfinished: usize,
}

impl StuckTasks {
    fn reason(&self) -> String {
        match self.reason {
            StuckReason::Cycle => format!("{} operations wait for one another", self.operations.len()),
            StuckReason::ReceiveWithoutSend => "a receive without a send".to_owned(),
            StuckReason::SendWithoutReceive => "a send by rendezvous without a receive".to_owned(),
        }
    }
}

impl TaskProcesses<'_> {
    /// The reason why the graph is stuck; `None` if it finished.
    pub(in crate::engine) fn stuck(&self) -> Option<StuckTasks> {
        if self.unfinished == 0 {
            return None;
        }
        let stuck = |reason, operations| Some(StuckTasks { reason, operations, unfinished: self.unfinished });
        let operations = self.schedule.operations();
        let is_send = |operation: u32| operations[operation as usize].kind == OperationKind::Send;
        let numbered = || 0..u32::try_from(operations.len()).unwrap_or(u32::MAX);
        // Of each shared channel, the first receive and the first send that have not begun.
        let mut to_begin = vec![[NONE; 2]; self.unmatched.len()];
        for operation in numbered().filter(|&operation| self.flags(operation) & BEGUN == 0) {
            if let Partner::Channel(channel) = self.nodes[operation as usize].partner() {
                let first = &mut to_begin[channel as usize][usize::from(is_send(operation))];
                *first = operation.min(*first);
            }
        }
        let partner = |operation: u32| match self.nodes[operation as usize].partner() {
            Partner::Operation(partner) if self.flags(partner) & BEGUN == 0 => partner,
            Partner::Operation(_) | Partner::None => NONE,
            Partner::Channel(channel) => to_begin[channel as usize][usize::from(!is_send(operation))],
        };
        let waits = |&operation: &u32| {
            self.flags(operation) & (BEGUN | OVER) == BEGUN && self.partner(operation).is_none()
        };
        let mut alone = numbered().filter(waits).filter(|&operation| partner(operation) == NONE);
        if let Some(receive) = alone.clone().find(|&operation| !is_send(operation)) {
            return stuck(StuckReason::ReceiveWithoutSend, vec![receive]);
        }
        if let Some(send) = alone.next() {
            return stuck(StuckReason::SendWithoutReceive, vec![send]);
        }
        stuck(StuckReason::Cycle, self.cycle(partner))
    }

    /// Operations that wait for one another in a cycle, if every unfinished operation waits for another such.
    /// `partner` gives the first operation yet to begin that can match one that has begun.
    fn cycle(&self, partner: impl Fn(u32) -> u32) -> Vec<u32> {
        let requirements = self.schedule.requirements();
        let state = |operation: u32| self.flags(operation);
        // The first operation for which each waits.
        let awaited = |operation: u32| -> Option<u32> {
            if state(operation) & BEGUN > 0 {
                return Some(partner(operation)).filter(|&other| other != NONE);
            }
            requirements[operation as usize].iter().find_map(|&(before, requirement)| {
                let is_met = match requirement {
                    Requirement::Over => state(before) & OVER > 0,
                    Requirement::Begun => state(before) & BEGUN > 0,
                };
                (!is_met).then_some(before)
            })
        };
        let mut at = (0..).zip(&self.flags).find(|(_, flags)| *flags & OVER == 0).map(|(first, _)| first);
        let (mut path, mut seen) = (vec![], vec![false; self.nodes.len()]);
        while let Some(operation) = at {
            if seen[operation as usize] {
                let begin = path.iter().position(|&other| other == operation).unwrap_or(0);
                path.drain(..begin);
                break;
            }
            seen[operation as usize] = true;
            path.push(operation);
            at = awaited(operation);
        }
        let first = (0..path.len()).min_by_key(|&place| path[place]).unwrap_or(0);
        path.rotate_left(first);
        path
    }
}
