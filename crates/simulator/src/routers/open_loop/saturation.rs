//! The search for the load at which a network saturates (`docs/model.md` sections 27.4 and 30.7).

use cubefold_topology::Machine;

use super::{OpenLoop, OpenLoopError, OpenLoopOutcome, WantedRows, admission::out_of_range};
use crate::{Communication, routers::channel_load::ChannelLoads};

/// The interval in which a saturation load is searched for, and how closely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturationSearch {
    /// The lower end, in 0 to 1.
    pub low: f64,
    /// The upper end, above the lower, at most 1.
    pub high: f64,
    /// The interval at which the search ends, above 0.
    pub resolution: f64,
}

/// The result of a search for the saturation load.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturation {
    /// The highest load that was run without saturation; `None` if all that were run saturate.
    pub load: Option<f64>,
    /// The runs, in their order.
    pub runs: Vec<OpenLoopOutcome>,
}

impl SaturationSearch {
    /// Checks the interval and the resolution.
    ///
    /// # Errors
    ///
    /// When the interval is empty or not in 0 to 1, or the resolution is not above 0.
    pub fn check(&self) -> Result<(), OpenLoopError> {
        let Self { low, high, resolution } = *self;
        if !(0.0 <= low && low < high && high <= 1.0) {
            let what = format!("a search from {low} to {high}");
            return Err(out_of_range(what, "loads in 0 to 1, the first the lower"));
        }
        if resolution > 0.0 {
            return Ok(());
        }
        Err(out_of_range(format!("a resolution of {resolution}"), "above 0"))
    }
}

impl OpenLoop {
    /// Searches for the saturation load: a run in the middle of the interval moves its upper end there if it is saturated,
    /// otherwise the lower, until the interval is at most the resolution. The upper end is at most the limit of the channels,
    /// and what bursts can offer.
    /// Then an end of the whole interval is run if it has not moved, since its verdict was only assumed.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and when the interval is empty or not in 0 to 1, or the resolution is not above 0.
    pub fn saturation(
        &self,
        machine: &Machine,
        rules: Communication,
        mut search: SaturationSearch,
        known: &ChannelLoads,
    ) -> Result<Saturation, OpenLoopError> {
        if let Some(bursts) = self.bursts {
            search.high = search.high.min(bursts.greatest_load());
        }
        search.check()?;
        self.check(machine, rules, search.high)?;
        let routers = rules.router_rules().ok_or(OpenLoopError::NoRouters)?;
        let channel_load = known.load(self, machine, &routers);
        let run = |load| {
            self.run_at(machine, rules, load, channel_load, WantedRows::NONE).map(|(outcome, _)| outcome)
        };
        let highest = channel_load.limit().map_or(search.high, |limit| search.high.min(limit));
        let SaturationSearch { mut low, resolution, .. } = search;
        let mut high = highest;
        let mut runs: Vec<OpenLoopOutcome> = vec![];
        while high - low > resolution {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break; // no number is between them
            }
            let outcome = run(middle)?;
            if outcome.saturated.is_some() {
                high = middle;
            } else {
                low = middle;
            }
            runs.push(outcome);
        }
        if low > 0.0 && runs.iter().all(|run| run.saturated.is_some()) {
            runs.push(run(low)?);
        }
        if highest > search.low && runs.iter().all(|run| run.saturated.is_none()) {
            runs.push(run(highest)?);
        }
        let stable = runs.iter().filter(|run| run.saturated.is_none()).map(|run| run.load);
        Ok(Saturation { load: stable.max_by(f64::total_cmp), runs })
    }
}
