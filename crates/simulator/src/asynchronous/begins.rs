//! When processes may begin.

use cubefold_mapping::ProcessId;

use crate::Cycle;

/// When each process may begin its first computation: `finish_(-1)` of `docs/model.md` section 5.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Begins<'run> {
    /// All at cycle 0.
    Together,
    /// Each at a cycle of its own, by process.
    Each(&'run [Cycle]),
}

/// The processes that have not begun, by the cycles at which they may.
#[derive(Debug)]
pub(super) enum Beginners {
    /// These, at cycle 0.
    Together(std::ops::Range<u64>),
    /// These, the next one last.
    Each(Vec<(Cycle, ProcessId)>),
}

impl Beginners {
    /// `count` processes.
    ///
    /// # Panics
    ///
    /// When `begins` is of another number of processes.
    pub(super) fn new(count: u64, begins: Begins<'_>) -> Self {
        match begins {
            Begins::Together => Self::Together(0..count),
            Begins::Each(cycles) => {
                assert_eq!(cycles.len() as u64, count, "a begin for each process");
                let mut all: Vec<_> = cycles.iter().copied().zip(ProcessId::first(count)).collect();
                all.sort_unstable_by(|one, other| other.cmp(one));
                Self::Each(all)
            }
        }
    }

    /// The next cycle at which a process may begin.
    pub(super) fn next(&self) -> Option<Cycle> {
        match self {
            Self::Together(processes) => (!processes.is_empty()).then_some(Cycle::START),
            Self::Each(all) => all.last().map(|(cycle, _)| *cycle),
        }
    }

    /// Takes a process that may begin at `now`.
    pub(super) fn take(&mut self, now: Cycle) -> Option<ProcessId> {
        match self {
            Self::Together(processes) => processes.next().map(process),
            Self::Each(all) => all.pop_if(|(cycle, _)| *cycle == now).map(|(_, process)| process),
        }
    }
}

/// The process with this label, which is below 2^32.
fn process(label: u64) -> ProcessId {
    ProcessId::new(u32::try_from(label).unwrap_or(u32::MAX))
}
