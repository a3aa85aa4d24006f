//! The units that each process sends to each other in a whole program.

use cubefold_simulator::Program;

/// Units between two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The process at the other end.
    pub(crate) other: u32,
    /// The amount sent to it \[units\].
    pub(crate) sent: u64,
    /// The amount that it sends \[units\].
    pub(crate) received: u64,
}

/// The flows of every rank, by the other end, without those to itself.
#[derive(Debug, Clone)]
pub(crate) struct Traffic {
    firsts: Vec<usize>, // by process, its first flow; one more for the end of the last
    flows: Vec<Flow>,
}

impl Traffic {
    /// Sums the messages of all stages of a program.
    pub(crate) fn new(program: &dyn Program, ranks: u64) -> Self {
        let mut directed: Vec<(u32, u32, u64)> = vec![]; // source, destination, units
        for (stage, times) in program.distinct_stages() {
            program.for_each_message(stage, &mut |source, destination, units| {
                let [source, destination] =
                    [source, destination].map(|process| u64::from(process.label()) % ranks);
                if source != destination {
                    let units = units.saturating_mul(times as u64);
                    let rank = |rank: u64| u32::try_from(rank).unwrap_or(u32::MAX);
                    directed.push((rank(source), rank(destination), units));
                }
            });
            merge(&mut directed);
        }
        let both_ends = directed.iter().flat_map(|&(source, destination, units)| {
            [(source, destination, units, 0), (destination, source, 0, units)]
        });
        let mut ends: Vec<(u32, u32, u64, u64)> = both_ends.collect();
        ends.sort_unstable();
        let processes = usize::try_from(ranks).unwrap_or(usize::MAX);
        let (mut firsts, mut flows) = (vec![0; processes + 1], Vec::<Flow>::with_capacity(ends.len()));
        let mut last = None;
        for (process, other, sent, received) in ends {
            match flows.last_mut() {
                Some(flow) if last == Some((process, other)) => {
                    flow.sent = flow.sent.saturating_add(sent);
                    flow.received = flow.received.saturating_add(received);
                }
                _ => flows.push(Flow { other, sent, received }),
            }
            last = Some((process, other));
            firsts[process as usize + 1] = flows.len();
        }
        for process in 0..processes {
            firsts[process + 1] = firsts[process + 1].max(firsts[process]);
        }
        Self { firsts, flows }
    }

    /// An approximate upper bound of the bytes taken while the flows of a program are built.
    pub(crate) fn bytes(program: &dyn Program, ranks: u64) -> u64 {
        let of_stage = match program.special().tasks() {
            Some(graph) => graph.message_count(),
            None => program.facts().messages_of_stage(),
        };
        let messages = of_stage.saturating_mul(program.stage_count().max(1) as u64);
        let pairs = messages.min(ranks.saturating_mul(ranks.saturating_sub(1)));
        // The messages of a stage and the pairs of earlier stages, in a list that may double; then both ends.
        let listed = pairs.saturating_add(of_stage).saturating_mul(2 * size_of::<(u32, u32, u64)>() as u64);
        let ends = pairs.saturating_mul(2 * (size_of::<(u32, u32, u64, u64)>() + size_of::<Flow>()) as u64);
        listed.saturating_add(ends).saturating_add(ranks.saturating_mul(size_of::<usize>() as u64))
    }

    pub(crate) fn rank_count(&self) -> usize {
        self.firsts.len() - 1
    }

    #[inline]
    pub(crate) fn of(&self, process: u32) -> &[Flow] {
        let process = process as usize;
        &self.flows[self.firsts[process]..self.firsts[process + 1]]
    }

    /// Every pair of processes once, the lower label first, with the units of both directions together.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        (0..).zip(self.firsts.windows(2)).flat_map(move |(process, ends)| {
            let flows = self.flows[ends[0]..ends[1]].iter().filter(move |flow| flow.other > process);
            flows.map(move |flow| (process, flow.other, flow.sent.saturating_add(flow.received)))
        })
    }
}

/// Sums the units from one process to another.
fn merge(directed: &mut Vec<(u32, u32, u64)>) {
    directed.sort_unstable_by_key(|&(source, destination, _)| (source, destination));
    directed.dedup_by(|next, kept| {
        let is_same = (kept.0, kept.1) == (next.0, next.1);
        if is_same {
            kept.2 = kept.2.saturating_add(next.2);
        }
        is_same
    });
}
