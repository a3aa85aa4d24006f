//! The tables of routes of the machines of a sweep.
//!
//! A machine whose distances have no formula keeps its tables. They are freed when a run starts on another machine while
//! no run uses them: consecutive runs on one machine share them, and only machines in use take memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cubefold_topology::Network;

use cubefold_scenario::Run;

/// The networks that may have tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct RouteTables(Arc<Mutex<Vec<Held>>>);

/// A network that may have tables.
#[derive(Debug)]
struct Held {
    network: Arc<Network>,
    at_work: usize, // runs
}

/// A run that uses its machine until this is dropped.
#[derive(Debug)]
pub(crate) struct InUse {
    tables: RouteTables,
    network: Option<Arc<Network>>, // if its distances are looked up
}

impl RouteTables {
    /// Starts a run: frees the tables of all other machines that no run uses.
    pub(crate) fn begin(&self, run: &Run) -> InUse {
        let network = run.placement.machine().graph().filter(|network| network.has_tables());
        let is_own = |other: &Arc<Network>| network.is_some_and(|network| Arc::ptr_eq(network, other));
        let mut all = self.lock();
        release(&mut all, |held| held.at_work == 0 && !is_own(&held.network));
        if let Some(network) = network {
            match all.iter_mut().find(|held| is_own(&held.network)) {
                Some(held) => held.at_work += 1,
                None => all.push(Held { network: Arc::clone(network), at_work: 1 }),
            }
        }
        InUse { tables: self.clone(), network: network.cloned() }
    }

    /// Frees the tables of machines that no run uses.
    pub(crate) fn release_idle(&self) {
        release(&mut self.lock(), |held| held.at_work == 0);
    }

    /// The list, which is consistent whenever the lock is released, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, Vec<Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees the tables of the networks for which `is_released` holds, and removes them from the list.
fn release(all: &mut Vec<Held>, is_released: impl Fn(&Held) -> bool) {
    for held in all.extract_if(.., |held| is_released(held)) {
        held.network.release_tables();
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let Some(network) = &self.network else { return };
        let mut all = self.tables.lock();
        if let Some(held) = all.iter_mut().find(|held| Arc::ptr_eq(network, &held.network)) {
            held.at_work -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::runs;

    #[test]
    fn only_machines_at_work_and_the_last_one_keep_tables() {
        // De Bruijn networks of 8 nodes, each without one of three links.
        let runs = runs(
            "[machine]\nkind = \"de-bruijn\"\ndimensions = 3\n[mapping]\nembeddings = [\"standard\"]\n[sweep]\n\
              \"machine.failed_links\" = [[[0, 1]], [[1, 3]], [[2, 4]]]\n",
        );
        let tables = RouteTables::default();
        let count = || tables.lock().len();
        drop(tables.begin(&runs[0]));
        assert_eq!(count(), 1);
        let second = tables.begin(&runs[1]);
        assert_eq!(count(), 1);
        drop(tables.begin(&runs[2]));
        assert_eq!(count(), 2);
        drop(second);
        tables.release_idle();
        assert_eq!(count(), 0);
    }
}
