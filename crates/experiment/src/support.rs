//! Helpers for unit tests of several modules: scenarios from texts.

use std::{fs, io::Cursor};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    records::RunRecord,
    runs::{
        KeepRecords, Progress, Resources, execute,
        journal::{Journal, Shard, SweepPlan},
    },
    scenario::{Run, load},
};

/// Resources that are enough for all tests.
pub(crate) const RESOURCES: Resources = Resources { threads: 2, memory: 1 << 30, ranks: None };

/// The runs of a scenario.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    fs::write(&path, text).unwrap();
    load(&[path]).unwrap().remove(0).runs
}

/// Two link modes, two computations and three embeddings on a ring of 8: twelve runs.
pub(crate) fn twelve_runs() -> Vec<Run> {
    runs(
        "[machine]\nkind = \"ring\"\nshape = [8]\n[sweep]\n\
         \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n\"program.compute_cycles\" = [0, 3]\n",
    )
}

/// The record of a run.
pub(crate) fn record(run: &Run, place: usize) -> RunRecord {
    RunRecord::new(run, place, &execute(run, place, KeepRecords::No, &Progress::default()).unwrap())
}

/// A pool of two threads.
pub(crate) fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// An empty journal in memory.
pub(crate) fn journal_in_memory(runs: &[&Run], shard: Shard) -> Journal<Cursor<Vec<u8>>> {
    Journal::begin(Cursor::new(vec![]), &SweepPlan::new(runs).unwrap(), shard).unwrap()
}

/// An array of `NumPy` with these numbers.
pub(crate) fn numpy_file(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [crate::input::numpy::MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
}
