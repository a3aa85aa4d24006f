//! Messages that cost their processes time: each send and each reception is a task of the process's core.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::StageProcesses;
use crate::{
    Cycle, Peer,
    engine::{Core, border::Border, message_costs::Work},
    message_queue::MessageKey,
    transport::Transport,
};

impl StageProcesses<'_> {
    /// Gives the core of a process that has just become ready its tasks; messages sent to it set out.
    pub(super) fn add_tasks<T: Transport, B: Border>(
        &mut self,
        stage: usize,
        process: ProcessId,
        (sources, destinations): (&[Peer], &[Peer]),
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let Some(cores) = &mut self.state.cores else { return };
        let (label, number) = (core.messages.border.label(process), narrow(stage as u64));
        let (program, has_turns) = (self.program, self.has_turns);
        let send = |&peer: &Peer| {
            let turn = if has_turns { program.turn(stage, label, peer.process) } else { 0 };
            let (source, destination) = (label.label(), peer.process.label());
            (MessageKey { stage: number, turn, source, destination }, peer)
        };
        let place = (process.label(), number);
        cores.begin_stage(place, destinations.iter().map(send), sources.len(), now);
        for source in cores.take_kept(place.0, place.1) {
            if let Some(local) = core.messages.border.index(source.process) {
                self.send(stage, (&source, core.node_of(local)), process, now, core);
            }
        }
    }

    pub(super) fn end_task<T: Transport, B: Border>(
        &mut self,
        process: ProcessId,
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let work = self.state.cores.as_mut().and_then(|cores| cores.end(process.label()));
        let is_over = match work {
            None => false,
            Some(Work::Receive(message)) => self.state.progress.receive(process, &message, now),
            Some(Work::Send(peer)) => {
                self.set_out_sent(process, &peer, now, core);
                self.state.progress.sent(process)
            }
        };
        if is_over {
            self.finish_stage(process, now, core);
        }
    }

    /// A message that a process has sent sets out, unless it waits for its destination.
    fn set_out_sent<T: Transport, B: Border>(
        &mut self,
        process: ProcessId,
        peer: &Peer,
        now: Cycle,
        core: &mut Core<'_, T, B>,
    ) {
        let Some(destination) = core.messages.border.index(peer.process) else { return };
        let stage = self.state.progress.stage(process);
        let source = Peer { process: core.messages.border.label(process), units: peer.units };
        if self.state.progress.was_ready(destination, stage) || core.communication.is_eager(peer.units) {
            self.send(stage, (&source, core.node_of(process)), destination, now, core);
        } else if let Some(cores) = &mut self.state.cores {
            cores.keep(destination.label(), narrow(stage as u64), source);
        }
    }
}
