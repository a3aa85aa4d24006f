//! The time of measured messages on the written machine, by running it: two nodes, and the links between them.

use std::path::Path;

use cubefold_scenario::load_text;

use super::{SeriesKind, message_cost};
use crate::{KeepRecords, Progress, execute};

/// The messages in flight of a benchmark that sends many at once.
const MANY: u32 = 16;

/// A machine of two nodes with `hops` links between them.
#[derive(Debug, Clone)]
pub(super) struct TwoNodes {
    pub(super) link: String,
    pub(super) startup_seconds: Option<f64>,
    pub(super) hops: u32,
}

impl TwoNodes {
    /// The time of a message \[seconds\]: alone, or between two of many. `None` for collectives, and for messages that a
    /// scenario does not take.
    pub(super) fn seconds(&self, kind: SeriesKind, bytes: u64) -> Option<f64> {
        match kind {
            SeriesKind::Single => self.makespan(1, bytes),
            SeriesKind::Streaming => {
                let between = (self.makespan(MANY, bytes)? - self.makespan(1, bytes)?) / f64::from(MANY - 1);
                // Steps have a core each; one process pays the cost of a message after that of the one before.
                Some(between.max(self.startup_seconds.unwrap_or(0.0)))
            }
            SeriesKind::Collective { .. } => None,
        }
    }

    /// The time of some messages side by side \[seconds\].
    fn makespan(&self, messages: u32, bytes: u64) -> Option<f64> {
        let (nodes, hops) = (u64::from(self.hops) + 1, self.hops);
        let cost = message_cost(self.startup_seconds);
        let step = |place: u32| {
            format!(
                "[[program.steps]]\nname = \"{place}\"\nkind = \"send\"\nover = [0]\nby = {hops}\nbytes = {bytes}\n\
                 after = []\n"
            )
        };
        let steps: String = (0..messages).map(step).collect();
        let text = format!(
            "[machine]\nkind = \"line\"\nshape = [{nodes}]\nlink = {}\nswitching = \"cut-through\"\n[program]\n\
             shape = [{nodes}]\n{cost}{steps}",
            self.link
        );
        let scenario = load_text(Path::new("calibration"), &text).ok()?;
        let run = scenario.runs.first()?;
        let finished = execute(run, 0, KeepRecords::No, &Progress::default()).ok()?;
        Some(run.scale?.seconds(finished.outcome.summary.makespan().get()))
    }
}
