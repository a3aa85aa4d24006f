//! The compiled half of the Python package: scenarios in; rows as JSON, tables as Parquet and columns of numbers out.
//!
//! What a Python user sees is in `cubefold/__init__.py`. Scenarios are read and run on a thread of their own, which
//! never touches the interpreter; the caller's thread waits for it without holding the interpreter, reports progress,
//! and asks ten times a second whether the user has interrupted.

mod call;
mod column;
mod evaluator;
mod request;
mod search;
mod watch;

use std::{
    collections::BTreeMap,
    fmt::Display,
    sync::{Mutex, PoisonError, atomic::Ordering},
};

use cubefold_mapping::ProcessId;
use cubefold_records::{Provenance, Record, RunDigests, RunRecord, write_parquet};
use cubefold_runs::{
    KeepRecords, Means, Permit, Progress, Reference, check_placements, check_runs, execute_runs, measure_runs,
};
use cubefold_scenario::{Run, Scenario, Site};
use cubefold_topology::{Coordinates, Machine};
use pyo3::{
    create_exception,
    exceptions::PyException,
    prelude::*,
    types::{PyBytes, PyDict},
};
use serde::Serialize;

use crate::{
    column::{Column, ProcessColumns},
    evaluator::Evaluator,
    request::{Request, failed, pool},
    watch::{Watch, watched},
};

create_exception!(_cubefold, CubefoldError, PyException, "What cubefold refuses, or a run that failed.");
create_exception!(_cubefold, ScenarioError, CubefoldError, "What is wrong in a scenario, with its place.");

/// Records: JSON for rows, Parquet for tables, and columns of processes.
#[pyclass(frozen)]
struct Records {
    /// A list of one object a run.
    #[pyo3(get)]
    json: String,
    table: Table,
    /// Columns by name.
    #[pyo3(get)]
    processes: Py<PyDict>,
    /// The origin of the results of runs, an object.
    #[pyo3(get)]
    provenance: Option<String>,
}

#[pymethods]
impl Records {
    /// A Parquet file, made when it is asked for: many users read rows only.
    #[getter]
    fn parquet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let file = py.detach(|| (self.table)())?;
        Ok(PyBytes::new(py, &file))
    }
}

/// Makes the Parquet file of records.
type Table = Box<dyn Fn() -> PyResult<Vec<u8>> + Send + Sync>;

/// Records before the interpreter has them.
struct Written {
    json: String,
    table: Table,
    processes: ProcessColumns,
    provenance: Option<String>,
}

impl Written {
    fn new<R>(records: Vec<R>, processes: ProcessColumns) -> PyResult<Self>
    where
        R: Record + Clone + Serialize + Send + Sync + 'static,
    {
        let json = serde_json::to_string(&records).map_err(|error| failed(&error))?;
        let table = Box::new(move || {
            let mut parquet = vec![];
            write_parquet(&mut parquet, &[], || records.iter().cloned().map(Ok))
                .map_err(|error| failed(&error))?;
            Ok(parquet)
        });
        Ok(Self { json, table, processes, provenance: None })
    }

    /// The same with the origin of the results.
    fn made_by(self, provenance: &Provenance) -> PyResult<Self> {
        let text = serde_json::to_string(provenance).map_err(|error| failed(&error))?;
        Ok(Self { provenance: Some(text), ..self })
    }

    fn into_records(self, py: Python<'_>) -> PyResult<Records> {
        let processes = self.processes.into_dict(py)?.unbind();
        Ok(Records { json: self.json, table: self.table, processes, provenance: self.provenance })
    }
}

/// Runs all runs of a scenario; with their ratios to a reference where `compared` is true.
#[pyfunction]
fn run(
    py: Python<'_>,
    request: Request,
    processes: bool,
    compared: bool,
    reference: Option<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Records> {
    let keep = if processes { KeepRecords::Yes } else { KeepRecords::No };
    watched(py, progress, move |watch| {
        let scenario = request.scenario()?;
        let mut digests = RunDigests::default();
        scenario.runs.iter().for_each(|run| digests.add(run));
        let command = request.command(if compared { "compare" } else { "run" }, reference.as_deref());
        let provenance = Provenance::new(cubefold::BUILD, command, &digests);
        let reference = match compared {
            true => Some(Reference::of(&scenario, reference.as_deref()).map_err(|error| {
                CubefoldError::new_err(format!("{error}, expected one of {}", error.known.join(", ")))
            })?),
            false => None,
        };
        execute(&request, &scenario, keep, reference.as_ref(), watch)?.made_by(&provenance)
    })?
    .into_records(py)
}

fn execute(
    request: &Request,
    scenario: &Scenario,
    keep: KeepRecords,
    reference: Option<&Reference>,
    watch: &Watch,
) -> PyResult<Written> {
    let (runs, resources) = (all_runs(scenario), request.resources());
    check_runs(&runs, resources, keep).map_err(|error| failed(&error))?;
    watch.total.store(Progress::total(&runs), Ordering::Relaxed);
    let pool = pool(resources)?;
    let means = Means { pool: &pool, resources, keep, progress: &watch.progress };
    let asked: Vec<(usize, &Run)> = runs.iter().copied().enumerate().collect();
    let finished = Mutex::new(BTreeMap::new());
    let delivered = execute_runs(means, &asked, |place, result, _: Permit| {
        let result = result.map(|finished| (RunRecord::new(runs[place], place, &finished), finished.records));
        finished.lock().unwrap_or_else(PoisonError::into_inner).insert(place, result);
        if watch.stop.load(Ordering::Relaxed) { Err(CubefoldError::new_err("interrupted")) } else { Ok(()) }
    });
    delivered?;
    let (mut records, mut columns, mut errors) = (vec![], ProcessColumns::default(), vec![]);
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    for ((place, result), run) in finished.into_iter().zip(&runs) {
        match result {
            Ok((record, stages)) => {
                records.push(record);
                columns.add(place, run, &stages);
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    if !errors.is_empty() {
        errors.push(format!("{} of {} runs failed", errors.len(), runs.len()));
        return Err(CubefoldError::new_err(errors.join("\n")));
    }
    if let Some(reference) = reference {
        let makespans: Vec<Option<u64>> = records.iter().map(|record| record.makespan_cycles).collect();
        let makespans = reference.makespans(&scenario.runs, &makespans);
        records = records.into_iter().zip(makespans).map(|(record, own)| record.with_ratio(own)).collect();
    }
    Written::new(records, columns)
}

fn all_runs(scenario: &Scenario) -> Vec<&Run> {
    scenario.runs.iter().collect()
}

/// Measures the placements of all runs of a scenario.
#[pyfunction]
fn measure(py: Python<'_>, request: Request, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Records> {
    watched(py, progress, move |watch| {
        let (scenario, resources) = (request.scenario()?, request.resources());
        let runs = all_runs(&scenario);
        check_placements(&runs, resources).map_err(|error| failed(&error))?;
        watch.total.store(runs.len() as u64, Ordering::Relaxed);
        let entries = measure_runs(&pool(resources)?, &runs, resources, &watch.progress);
        Written::new(entries, ProcessColumns::default())
    })?
    .into_records(py)
}

/// The coordinates of the node of every process.
#[pyfunction]
fn place(py: Python<'_>, request: Request, embedding: Option<String>) -> PyResult<Column> {
    watched(py, None, move |_| {
        let scenario = request.scenario()?;
        let run = request::one_run(&scenario, embedding.as_deref())?;
        Ok(ranks(run))
    })
}

/// The coordinates of the node of each process of the job: the ranks of a collective, whatever shares they have.
fn ranks(run: &Run) -> Column {
    let ranks = ProcessId::first(run.program.rank_count());
    coordinates(&run.machine, ranks.map(|rank| run.address(run.placement.node(rank))))
}

/// The number of processes, and the coordinates of every node that they can be on, in the order of node numbers.
#[pyfunction]
fn nodes(py: Python<'_>, request: Request) -> PyResult<(u64, Column)> {
    watched(py, None, move |_| {
        let sites = request.sites()?;
        let [site, others @ ..] = &sites[..] else {
            return Err(CubefoldError::new_err("the scenario has no runs"));
        };
        let count = site.program.rank_count();
        let is_other = |other: &Site| other.machine != site.machine || other.program.rank_count() != count;
        if others.iter().any(is_other) {
            let message = "the sweep changes the machine or the number of processes, expected one of each: give \
                           coordinates for each process, or run the machines one by one";
            return Err(CubefoldError::new_err(message));
        }
        let nodes = (0..site.machine.node_count()).filter_map(|node| site.machine.node(node).ok());
        Ok((count, coordinates(&site.machine, nodes.map(|node| site.address(node)))))
    })
}

fn coordinates(machine: &Machine, all: impl Iterator<Item = Coordinates>) -> Column {
    let values = all.flat_map(|own| own.as_slice().iter().map(|&own| own.into()).collect::<Vec<i64>>());
    Column::table(values.collect(), machine.shape().dimension_count())
}

/// JSON of a TOML document.
#[pyfunction]
fn json_of_toml(text: &str) -> PyResult<String> {
    let value: toml::Table = toml::from_str(text).map_err(|error| failed(&error))?;
    serde_json::to_string(&value).map_err(|error| failed(&error as &dyn Display))
}

#[pymodule]
fn _cubefold(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CubefoldError", module.py().get_type::<CubefoldError>())?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_class::<Records>()?;
    module.add_class::<Column>()?;
    module.add_class::<Evaluator>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(place, module)?)?;
    module.add_function(wrap_pyfunction!(search::search, module)?)?;
    module.add_function(wrap_pyfunction!(call::call, module)?)?;
    module.add_function(wrap_pyfunction!(nodes, module)?)?;
    module.add_function(wrap_pyfunction!(json_of_toml, module)?)
}
