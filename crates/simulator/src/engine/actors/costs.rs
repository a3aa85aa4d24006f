//! Messages that cost their actors time: each send and each reception is a task of the actor's core.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use super::Actors;
use crate::{
    Cycle, Peer, Program,
    engine::{Core, message_costs::Work},
    message_queue::MessageKey,
    transport::Transport,
};

impl Actors<'_> {
    /// Gives the core of an actor that has just become ready its tasks; messages sent to it set out.
    pub(super) fn add_tasks<T: Transport>(
        &mut self,
        stage: usize,
        actor: u32,
        (sources, destinations): (&[Peer], &[Peer]),
        now: Cycle,
        core: &mut Core<'_, T>,
    ) {
        let (_, process) = self.locate(actor);
        let (job, number) = (self.job, narrow(stage as u64));
        let Some(cores) = &mut self.cores else { return };
        let send = |&peer: &Peer| {
            let turn = job.turn(stage, process, peer.process);
            let (source, destination) = (process.label(), peer.process.label());
            (MessageKey { stage: number, turn, source, destination }, peer)
        };
        cores.begin_stage((actor, number), destinations.iter().map(send), sources.len(), now);
        for source in cores.take_kept(actor, number) {
            self.send(stage, source.process, process, source.units, now, core);
        }
    }

    pub(super) fn end_task<T: Transport>(&mut self, actor: u32, now: Cycle, core: &mut Core<'_, T>) {
        let (step, process) = self.locate(actor);
        let actor_process = ProcessId::new(actor);
        let work = self.cores.as_mut().and_then(|cores| cores.end(actor));
        let (place, rank) = self.place_of_actor(actor);
        self.activity.ends(place, rank, now);
        self.activity.acts_until(place, rank, now);
        let is_over = match work {
            None => false,
            Some(Work::Receive(message)) => self.progress.receive(actor_process, &message, now),
            Some(Work::Send(peer)) => {
                let stage = self.progress.stage(actor_process);
                let destination = self.firsts[step as usize] + peer.process.label();
                let may_set_out = core.communication.is_eager(peer.units)
                    || self.reduces_in_switches(step)
                    || self.progress.was_ready(ProcessId::new(destination), stage);
                if may_set_out {
                    self.send(stage, process, peer.process, peer.units, now, core);
                } else if let Some(cores) = &mut self.cores {
                    cores.keep(destination, narrow(stage as u64), Peer { process, units: peer.units });
                }
                self.progress.sent(actor_process)
            }
        };
        if is_over {
            self.finish_stage(actor, now);
        }
    }
}
