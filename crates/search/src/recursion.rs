//! The makespan that no placement is below: the recursion of section 15 with every message over the shortest way that any
//! placement could give it.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Communication, End, Peer, Program};
use cubefold_topology::LinkMode;

/// What every placement has in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    /// The least distance between two sites \[links\].
    pub(crate) links: u64,
    /// Whether processes may share a site.
    pub(crate) shares: bool,
}

/// Whether messages wait for channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contention {
    /// As in the prediction.
    None,
    /// As in a run.
    Some,
}

impl Nearest {
    /// The least time of a message of so many units \[cycles\].
    fn transfer(self, rules: Communication, units: u64) -> u64 {
        let timing = rules.timing_of(units);
        let apart = timing.transfer(self.links).get();
        if self.shares { apart.min(timing.transfer(0).get()) } else { apart }
    }

    /// The least time of a message to the process of the lower label, whose own message of `back` units wants the same
    /// half-duplex link, and goes first, wherever the two processes are neighbours. Where they are not, the message crosses
    /// two links.
    fn transfer_after(rules: Communication, units: u64, back: u64) -> u64 {
        let (own, other) = (rules.timing_of(units), rules.timing_of(back));
        let beside = other.occupancy().get().saturating_add(own.receipt().get());
        beside.min(own.transfer(2).get())
    }
}

/// A lower bound of the makespan over all placements of a stage program \[cycles\].
///
/// Under half-duplex links both messages of an exchange set out in one cycle; that of the lower label has the smaller key,
/// so on their common link the other one waits for it.
pub(crate) fn least_makespan(
    program: &dyn Program,
    ranks: u64,
    rules: Communication,
    nearest: Nearest,
    contention: Contention,
) -> u64 {
    let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
    let meets = contention == Contention::Some
        && rules.links() == LinkMode::HalfDuplex
        && rules.packet().is_none()
        && rules.eager() == 0
        && nearest.links == 1
        && !nearest.shares;
    let (mut finishes, mut readies) = (vec![0_u64; processes], vec![0_u64; processes]);
    let (mut computations, mut received, mut sent): (_, Vec<Peer>, Vec<Peer>) = (vec![], vec![], vec![]);
    for stage in 0..program.stage_count() {
        program.list_computations(stage, &mut computations);
        for ((ready, finish), computation) in readies.iter_mut().zip(&finishes).zip(&computations) {
            *ready = finish.saturating_add(*computation);
        }
        for process in ProcessId::first(program.process_count()) {
            let own = readies[process.label() as usize];
            let mut finish = own;
            received.clear();
            program.list(End::Destination, stage, process, &mut received);
            sent.clear();
            if meets {
                program.list(End::Source, stage, process, &mut sent);
            }
            for &Peer { process: source, units } in &received {
                let from = readies[source.label() as usize];
                let start = if rules.is_eager(units) { from } else { from.max(own) };
                let back = sent.iter().find(|peer| meets && peer.process == source && source > process);
                // Shares of one rank sit on one node.
                let is_inside = u64::from(source.label()) % ranks == u64::from(process.label()) % ranks;
                let transfer = match back {
                    _ if is_inside => rules.timing_of(units).transfer(0).get(),
                    Some(peer) => Nearest::transfer_after(rules, units, peer.units),
                    None => nearest.transfer(rules, units),
                };
                finish = finish.max(start.saturating_add(transfer));
            }
            finishes[process.label() as usize] = finish;
        }
    }
    finishes.into_iter().max().unwrap_or(0)
}
