//! What every process of a run came to: told one after another, or kept for every node.

use std::hint::black_box;

use cubefold::{
    mapping::{Placement, ProcessId, ProductPlacement},
    simulator::{Communication, CubeProgram, ProcessTime, ProcessTimes, Summary, process_times},
};

/// Sums over all processes [cycles].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sums {
    pub(super) makespan: u64, // the greatest finish, and no sum
    idle_at_end: u64,
    waiting: u64,
    blocked: u64,
}

impl Sums {
    /// Those that the summary of the run tells.
    pub(super) fn of(summary: &Summary) -> Self {
        let sum = |sum: u128| u64::try_from(sum).expect("a sum of 64 bits");
        let totals = summary.totals();
        Self {
            makespan: summary.makespan().get(),
            idle_at_end: sum(summary.idle_at_end()),
            waiting: sum(totals.waiting),
            blocked: sum(totals.blocked),
        }
    }

    /// Those of the processes, one after another.
    fn over(times: impl Iterator<Item = [u64; 3]>) -> Self {
        let (mut sums, mut processes, mut finishes) = (Self::default(), 0, 0);
        for [finish, waiting, blocked] in times {
            processes += 1;
            finishes += finish;
            sums.makespan = sums.makespan.max(finish);
            sums.waiting += waiting;
            sums.blocked += blocked;
        }
        Self { idle_at_end: sums.makespan * processes - finishes, ..sums }
    }
}

/// Runs the program and asks for every process once: nothing is kept of any.
pub(super) fn streamed(program: &CubeProgram, placement: &Placement, communication: Communication) -> Sums {
    let times = process_times(program, placement, communication).expect("a run by lines");
    let told = |process| {
        let ProcessTime { finish, waiting, blocked } = times.of(process);
        [finish.get(), waiting.get(), blocked.get()]
    };
    Sums::over(ProcessId::first(placement.process_count()).map(told))
}

/// Runs the program and keeps the times of the process on each node.
pub(super) fn kept(program: &CubeProgram, placement: &Placement, communication: Communication) -> Sums {
    let times = process_times(program, placement, communication).expect("a run by lines");
    let Placement::Product(product) = placement else { panic!("a run by lines is on a product placement") };
    let nodes = black_box(NodeTimes::of(&times, product));
    let [finish, waiting, blocked] = nodes.0.each_ref();
    let kept = finish.iter().zip(waiting).zip(blocked);
    Sums::over(kept.map(|((&finish, &waiting), &blocked)| [finish, waiting, blocked].map(u64::from)))
}

/// Bytes that [`kept`] keeps of a node.
pub(super) const BYTES_A_NODE: u64 = 3 * size_of::<u32>() as u64;

/// Finish, waiting and blocked cycles of the process on each node.
struct NodeTimes([Vec<u32>; 3]);

impl NodeTimes {
    fn of(times: &ProcessTimes, placement: &ProductPlacement) -> Self {
        let nodes = usize::try_from(placement.machine().node_count()).expect("nodes that fit the memory");
        let mut arrays = [(); 3].map(|()| Vec::with_capacity(nodes));
        for node in placement.machine().nodes() {
            let ProcessTime { finish, waiting, blocked } = times.of(placement.process(node));
            for (array, cycles) in arrays.iter_mut().zip([finish.get(), waiting.get(), blocked.get()]) {
                array.push(u32::try_from(cycles).expect("a makespan of 32 bits"));
            }
        }
        Self(arrays)
    }
}
