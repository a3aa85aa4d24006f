//! Whether another exchange of a pattern is faster than the one of the scenarios: whole messages suit short vectors, halves
//! long ones.

use std::str::FromStr;

use cubefold_records::RunRecord;
use cubefold_runs::{KeepRecords, check_runs};
use cubefold_scenario::{Run, Scenario, Setting};

use super::execution;
use crate::{
    arguments::{CompareOptions, SharedOptions},
    failure::Failure,
    grouping::all_runs,
};

/// The setting that selects the better exchange.
const BEST: &str = "program.exchange=\"best\"";

/// The most runs that are tried.
const MAX_RUNS: usize = 64;

/// A sentence on the runs that `exchange = "best"` makes faster; `None` if there are none, if the scenarios sweep the
/// exchange, or if the runs are many.
///
/// # Errors
///
/// If a run fails.
pub(super) fn in_words(
    compared: &[Scenario],
    records: &[RunRecord],
    options: &CompareOptions,
    shared: &SharedOptions,
) -> Result<Option<String>, Failure> {
    let runs = all_runs(compared);
    let is_swept = |run: &&Run| run.combination.iter().any(|(path, _)| &**path == "program.exchange");
    if runs.len() > MAX_RUNS || runs.iter().any(is_swept) {
        return Ok(None);
    }
    let mut set = options.sweep.scenarios.set.clone();
    set.settings.extend(Setting::from_str(BEST));
    // Programs without a choice refuse the key.
    let Ok(others) = shared.given.scenarios(&options.sweep.scenarios.files, &set, shared) else {
        return Ok(None);
    };
    let others = all_runs(&others);
    if others.len() != runs.len() {
        return Ok(None);
    }
    let has_choice =
        |place: &usize| runs[*place].program.others.is_empty() && !others[*place].program.others.is_empty();
    let places: Vec<usize> = (0..runs.len()).filter(has_choice).collect();
    let tried: Vec<&Run> = places.iter().map(|&place| others[place]).collect();
    if tried.is_empty() || check_runs(&tried, shared.resources(), KeepRecords::No).is_err() {
        return Ok(None);
    }
    let finished = execution::finished(&tried, KeepRecords::No, shared)?;
    let mut faster: Vec<(f64, String)> = vec![];
    for (&place, finished) in places.iter().zip(&finished) {
        let best = finished.outcome.summary.makespan().get();
        let Some(makespan) = records[place].makespan_cycles.filter(|&makespan| makespan > best) else {
            continue;
        };
        let ratio = cubefold_formats::input::exact_mean::exact_mean(makespan.into(), best.into());
        let name = runs[place]
            .algorithm()
            .map_or_else(|| records[place].program.kind.to_string(), std::borrow::Cow::into_owned);
        faster.extend(ratio.map(|ratio| (ratio, name)));
    }
    let most = faster.iter().max_by(|one, other| one.0.total_cmp(&other.0));
    Ok(most.map(|(ratio, name)| {
        let (count, all) = (faster.len(), runs.len());
        format!("exchange = \"best\" is faster in {count} of {all} runs, by up to {ratio:.2}x ({name}).")
    }))
}
