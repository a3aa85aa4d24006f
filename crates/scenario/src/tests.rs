//! Whole scenarios: their runs, and the errors of invalid ones.

mod bad_inputs;
mod bad_sweeps;
mod channels;
mod checked;
mod collective_steps;
mod collectives;
mod cubes;
mod files;
mod golden_clusters;
mod greenberg;
mod jobs;
mod launchers;
mod machines;
mod mutations;
mod networks;
mod programs;
mod resolved;
mod runs;
mod scenario_files;
mod sizes;
mod speeds;
mod traffic;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub(super) use self::scenario_files::scenario;
use self::scenario_files::{Files, RING, assert_are_the_same};
use super::*;
use miette::Diagnostic;

impl Files {
    /// The help of the only error.
    fn help(&self) -> String {
        let errors = self.errors();
        assert_eq!(errors.len(), 1, "{errors:?}");
        self.without_directory(&errors[0].report().help().map(|help| help.to_string()).unwrap_or_default())
    }
}

/// The numbers of the nodes of all processes.
pub(crate) fn nodes(run: &Run) -> Vec<u32> {
    run.placement.nodes().iter().map(|node| node.index()).collect()
}

/// The errors of a text as `line:column: message`, with `EMBEDDINGS` for the list of all embeddings.
fn errors(text: &str) -> Vec<String> {
    let all = embeddings::expected();
    scenario_files::errors(text).iter().map(|line| line.replace(&all, "EMBEDDINGS")).collect()
}

/// The help of the only error of a text.
fn help(text: &str) -> String {
    Files::new(&[("s.toml", text)]).help()
}

fn check_whole<T: AsRef<str>>(table: &[(&str, &[T])]) {
    for (text, expected) in table {
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        assert_eq!(errors(text), expected, "{text}");
    }
}

/// Checks the errors of texts; `RING` precedes each text, so that it starts in line 4.
fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        assert_eq!(errors(&format!("{RING}{text}")), *expected, "{text}");
    }
}

/// An array of `NumPy` with these numbers.
pub(crate) fn numpy_file(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [cubefold_formats::input::numpy::MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
}
