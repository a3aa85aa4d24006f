//! A file with the messages of a `stages` program, to be read and checked as `cubefold check` does.

use std::{fmt::Write, fs, path::PathBuf};

use cubefold::experiment::load;
use tempfile::TempDir;

/// A scenario and its file of messages.
#[derive(Debug)]
pub(crate) struct MessageFile {
    scenario: PathBuf,
    _folder: TempDir, // removed with this
}

impl MessageFile {
    /// Its messages.
    pub(crate) const ROWS: u64 = 1_000_000;

    /// Writes a file whose stages are exchanges around a torus of these lengths, each with other partners, with sizes
    /// from 1 up.
    pub(crate) fn new(lengths: &[u64]) -> Self {
        let processes: u64 = lengths.iter().product();
        let mut rows = "stage,source,destination,units\n".to_owned();
        for row in 0..Self::ROWS {
            let (stage, source) = (row / processes, row % processes);
            let destination = (source + 1 + stage) % processes;
            writeln!(rows, "{stage},{source},{destination},{}", row + 1).expect("a text grows");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let scenario = folder.path().join("s.toml");
        let text = format!(
            "machine = {{ kind = \"torus\", shape = {lengths:?} }}\nprogram = {{ kind = \"stages\", file = \"p.csv\" }}\n"
        );
        fs::write(&scenario, text).expect("a scenario");
        fs::write(folder.path().join("p.csv"), rows).expect("a file of messages");
        Self { scenario, _folder: folder }
    }

    /// Reads and checks the scenario, and counts the messages of its program.
    pub(crate) fn read(&self) -> u64 {
        let scenarios = load(std::slice::from_ref(&self.scenario)).expect("nothing is wrong");
        let program = &scenarios[0].runs[0].program;
        let mut messages = 0;
        for stage in 0..program.stage_count() {
            program.visit_messages(stage, &mut |_, _| messages += 1);
        }
        messages
    }
}
