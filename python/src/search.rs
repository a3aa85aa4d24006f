//! Searches of a placement.

use std::{ops::ControlFlow, sync::atomic::Ordering};

use cubefold_records::SearchRecord;
use cubefold_scenario::{PlacementSearch, SearchRequest};
use cubefold_search::Objective;
use pyo3::prelude::*;

use crate::{
    CubefoldError,
    column::Column,
    ranks,
    request::{Request, failed, one_combination, pool},
    watch::watched,
};

/// Searches the placement of a scenario of one combination; its row as JSON, and the coordinates of every process.
#[pyfunction]
pub(crate) fn search(
    py: Python<'_>,
    request: Request,
    objective: &str,
    evaluations: Option<u64>,
    seed: Option<u64>,
    starts: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Column)> {
    let known = Objective::ALL.iter().find(|own| own.name() == objective);
    let objective = *known.ok_or_else(|| {
        let names = Objective::ALL.map(Objective::name).join(", ");
        CubefoldError::new_err(format!("objective {objective:?}, expected one of {names}"))
    })?;
    let wanted = SearchRequest { objective, evaluations, seed, starts };
    watched(py, progress, move |watch| {
        let scenario = request.scenario()?;
        let runs = one_combination(&scenario)?;
        let mut before = 0;
        let mut report = |own: cubefold_search::Progress| {
            watch.total.store(own.of, Ordering::Relaxed);
            watch.progress.add(own.evaluations.saturating_sub(before));
            before = own.evaluations;
            match watch.stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let resources = request.resources();
        let found =
            pool(resources)?.install(|| PlacementSearch::of(runs, &wanted, resources.memory, &mut report));
        let found = found.map_err(|error| failed(&error))?;
        let record = SearchRecord::new(&found.run, objective, [&found.reference, &found.named], &found.found);
        let row = serde_json::to_string(&record).map_err(|error| failed(&error))?;
        Ok((row, ranks(&found.run)))
    })
}
