//! Tables in which the runs of a sweep look routes up: kept between runs that share them, as far as there is memory.
//!
//! Machines with the same links share their tables. While a run is at work, its own memory has room for them; between two
//! runs they take what others may need. So they are given up behind the last run that is to come, and before that where
//! other runs need their memory: first those that are needed again last of all (Belady 1966).

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cubefold_topology::{Network, RouteChoice};

use crate::scenario::Run;

/// The tables of all runs of a sweep.
#[derive(Debug, Clone)]
pub(crate) struct KeptRoutes(Arc<Mutex<BTreeMap<Key, Table>>>);

/// What runs have in common that share a table: the network, by its address, and the word for the choice among its routes.
type Key = (usize, &'static str);

/// One table.
#[derive(Debug)]
struct Table {
    network: Arc<Network>,
    choice: RouteChoice,
    bytes: u64, // where all rows are made
    is_made: bool,
    at_work: usize,           // runs that look routes up in it
    to_come: VecDeque<usize>, // the places of those that have not begun, ascending
}

/// A run that looks up routes, until this is dropped.
#[derive(Debug)]
pub(crate) struct InUse {
    kept: KeptRoutes,
    key: Option<Key>, // none of machines without tables
}

impl KeptRoutes {
    /// For runs that are to come, about in this order; one that looks up routes twice is given twice.
    pub(crate) fn new<'run>(runs: impl IntoIterator<Item = &'run Run>) -> Self {
        let mut tables = BTreeMap::new();
        for (place, run) in runs.into_iter().enumerate() {
            let Some((key, network, choice)) = looked_up(run) else { continue };
            let bytes = network.bytes_of_routes(choice);
            let (is_made, at_work, to_come) = (false, 0, VecDeque::new());
            let table = Table { network: Arc::clone(network), choice, bytes, is_made, at_work, to_come };
            tables.entry(key).or_insert(table).to_come.push_back(place);
        }
        Self(Arc::new(Mutex::new(tables)))
    }

    /// Lets the next run with such a machine look up its routes, where so many bytes are left beside all runs at work, this one
    /// among them: what tables of others take beyond a quarter of that is given up, so that the rest has room for what
    /// no estimate sees: the results of few runs, and gaps in the heap.
    pub(crate) fn begin(&self, run: &Run, left: u64) -> InUse {
        let key = looked_up(run).map(|(key, ..)| key);
        let mut tables = self.lock();
        if let Some(own) = key.and_then(|key| tables.get_mut(&key)) {
            own.to_come.pop_front();
            own.at_work += 1;
            own.is_made = true;
        }
        let mut idle: Vec<_> =
            tables.values_mut().filter(|table| table.is_made && table.at_work == 0).collect();
        idle.sort_by_key(|table| table.to_come.front().copied());
        let mut bytes = 0_u64;
        for table in idle {
            bytes = bytes.saturating_add(table.bytes);
            if bytes > left / 4 {
                table.give_up();
            }
        }
        InUse { kept: self.clone(), key }
    }

    /// The tables, which every holder leaves in order.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Table>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn give_up(&mut self) {
        self.network.give_up_routes(self.choice);
        self.is_made = false;
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut tables = self.kept.lock();
        let Some(own) = self.key.and_then(|key| tables.get_mut(&key)) else { return };
        own.at_work -= 1;
        if own.at_work == 0 && own.to_come.is_empty() {
            own.give_up();
        }
    }
}

/// The network of a run whose routes are looked up in tables, with the choice among them.
fn looked_up(run: &Run) -> Option<(Key, &Arc<Network>, RouteChoice)> {
    let machine = run.placement.machine();
    let (network, choice) = (machine.graph()?, machine.route_choice()?);
    let key = (Arc::as_ptr(network).addr(), choice.name());
    network.looks_up().then_some((key, network, choice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::runs;

    /// The bytes of the table of a ring of 8 nodes with a failed link.
    const TABLE: u64 = 64;

    /// Runs on a ring of 8 without one of three links, one after another, by two seeds.
    fn six_runs() -> Vec<Run> {
        runs(
            "[machine]\nkind = \"ring\"\nshape = [8]\n[mapping]\nembeddings = [\"xor\"]\n[sweep]\n\
              seed = [1, 2]\n\"machine.failed_links\" = [[[0, 1]], [[2, 3]], [[4, 5]]]\n",
        )
    }

    /// For each of the first three runs, whether its table is kept.
    fn kept(routes: &KeptRoutes, runs: &[Run]) -> [bool; 3] {
        let tables = routes.lock();
        [0, 1, 2].map(|run| looked_up(&runs[run]).is_some_and(|(key, ..)| tables[&key].is_made))
    }

    #[test]
    fn tables_are_kept_up_to_the_last_run_that_needs_them() {
        let runs = six_runs();
        let routes = KeptRoutes::new(&runs);
        let begin = |place: usize| routes.begin(&runs[place], u64::MAX);
        drop(begin(0));
        assert_eq!(kept(&routes, &runs), [true, false, false]);
        drop(begin(1));
        assert_eq!(kept(&routes, &runs), [true, true, false]);
        let (first, second) = (begin(3), begin(4));
        drop(first);
        assert_eq!(kept(&routes, &runs), [false, true, false]);
        drop(second);
        assert_eq!(kept(&routes, &runs), [false; 3]);
    }

    #[test]
    fn a_table_is_kept_while_any_run_is_at_work_with_it() {
        let runs = six_runs();
        let routes = KeptRoutes::new(&runs);
        let both = [0, 3].map(|place| routes.begin(&runs[place], 0));
        let [one, other] = both;
        drop(one);
        drop(routes.begin(&runs[1], 0));
        assert_eq!(kept(&routes, &runs), [true, true, false]);
        drop(other);
        assert_eq!(kept(&routes, &runs), [false, true, false]);
    }

    #[test]
    fn those_that_are_needed_last_are_given_up_where_there_is_no_room() {
        for (left, expected) in [
            (u64::MAX, [true; 3]),
            (8 * TABLE, [true; 3]),
            (8 * TABLE - 1, [true, true, false]),
            (4 * TABLE, [true, true, false]),
            (4 * TABLE - 1, [true, false, false]),
        ] {
            let runs = six_runs();
            let routes = KeptRoutes::new(&runs);
            (0..3).for_each(|place| drop(routes.begin(&runs[place], u64::MAX)));
            let _at_work = routes.begin(&runs[3], left);
            assert_eq!(kept(&routes, &runs), expected, "{left} bytes left");
        }
    }

    #[test]
    fn machines_without_tables_have_nothing_to_keep() {
        let runs = runs("[machine]\nkind = \"ring\"\nshape = [8]\n");
        let routes = KeptRoutes::new(&runs);
        drop(routes.begin(&runs[0], 0));
        assert!(routes.lock().is_empty());
    }
}
