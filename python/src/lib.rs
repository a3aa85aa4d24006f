//! The compiled half of the Python package: scenarios as text, results as JSON, Parquet and columns.
//!
//! Everything that a Python user sees is in `cubefold/__init__.py`. Here the interpreter is released while scenarios are read
//! and run, and asked every tenth of a second whether the user has interrupted.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use cubefold_experiment::{
    KeepRecords, Means, Permit, Progress, Resources, Run, RunError, Scenario,
    check_placements, check_runs, execute_runs,
    export::{ProcessStage, RankOfProcess, RunRecord, write_parquet},
    load_text, measure_runs,
};
use cubefold_mapping::ProcessId;
use pyo3::{
    create_exception,
    exceptions::{PyException, PyKeyboardInterrupt},
    prelude::*,
    types::{PyBytes, PyDict},
};

create_exception!(_cubefold, CubefoldError, PyException, "What cubefold refuses, or a run that failed.");
create_exception!(_cubefold, ScenarioError, CubefoldError, "What is wrong in a scenario, with its place.");

/// What records hold: JSON for rows, Parquet for tables.
#[pyclass(frozen)]
struct Records {
    json: String,
    parquet: Vec<u8>,
    processes: BTreeMap<&'static str, Vec<i64>>,
}

#[pymethods]
impl Records {
    #[getter]
    fn json(&self) -> &str {
        &self.json
    }

    #[getter]
    fn parquet<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.parquet)
    }

    /// The columns of processes, each the bytes of signed 64-bit integers; -1 where there is no value.
    fn processes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (name, values) in &self.processes {
            let bytes = PyBytes::new_with(py, 8 * values.len(), |bytes| {
                for (place, value) in bytes.chunks_exact_mut(8).zip(values) {
                    place.copy_from_slice(&value.to_ne_bytes());
                }
                Ok(())
            })?;
            columns.set_item(*name, bytes)?;
        }
        Ok(columns)
    }
}

/// What a call is about.
struct Work {
    scenario: Scenario,
    threads: usize,
    memory: u64,
}

impl Work {
    fn new(text: &str, path: &str, threads: Option<usize>, memory: Option<u64>) -> PyResult<Self> {
        let scenario = load_text(Path::new(path), text).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            ScenarioError::new_err(lines.join("\n"))
        })?;
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self {
            scenario,
            threads: threads.unwrap_or_else(processors).max(1),
            memory: memory.unwrap_or(u64::MAX),
        })
    }

    fn runs(&self) -> Vec<&Run> {
        self.scenario.runs.iter().collect()
    }

    fn resources(&self) -> Resources {
        Resources { threads: self.threads, memory: self.memory }
    }
}

fn failed(error: &dyn std::fmt::Display) -> PyErr {
    CubefoldError::new_err(error.to_string())
}

/// Does `work` on another thread without the interpreter; meanwhile reports its progress and asks whether the user has
/// interrupted, which `stop` then says.
fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    progress: &Progress,
    total: usize,
    stop: &AtomicBool,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || drop(sender.send(work())));
        let receiver = Mutex::new(receiver);
        loop {
            let received = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(Duration::from_millis(100))
            });
            match received {
                Ok(result) => {
                    report(callback, progress, total)?;
                    return if stop.load(Ordering::Relaxed) {
                        Err(PyKeyboardInterrupt::new_err("the runs were interrupted"))
                    } else {
                        result
                    };
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let asked = py.check_signals().and_then(|()| report(callback, progress, total));
                    if let Err(error) = asked {
                        // Runs at work are completed, no other is begun.
                        stop.store(true, Ordering::Relaxed);
                        drop(py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv()));
                        return Err(error);
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(CubefoldError::new_err("the runs stopped at a defect"));
                }
            }
        }
    })
}

fn report(callback: Option<&Bound<'_, PyAny>>, progress: &Progress, total: usize) -> PyResult<()> {
    match callback {
        Some(callback) => callback.call1((progress.runs_done(), total)).map(drop),
        None => Ok(()),
    }
}

/// Runs all runs of a scenario.
#[pyfunction]
#[pyo3(signature = (text, path, processes, threads, memory, progress))]
fn run(
    py: Python<'_>,
    text: &str,
    path: &str,
    processes: bool,
    threads: Option<usize>,
    memory: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Records> {
    let work = py.detach(|| Work::new(text, path, threads, memory))?;
    let (stop, counter) = (AtomicBool::new(false), Progress::default());
    let total = work.scenario.runs.len();
    watched(py, progress, &counter, total, &stop, || execute(&work, processes, &counter, &stop))
}

fn execute(work: &Work, processes: bool, progress: &Progress, stop: &AtomicBool) -> PyResult<Records> {
    let (runs, resources) = (work.runs(), work.resources());
    let keep = if processes { KeepRecords::Yes } else { KeepRecords::No };
    check_runs(&runs, resources, keep).map_err(|error| failed(&error))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(work.threads).build();
    let pool = pool.map_err(|error| failed(&error))?;
    let finished = Mutex::new(BTreeMap::new());
    let means = Means { pool: &pool, resources, keep, progress };
    let places: Vec<usize> = (0..runs.len()).collect();
    execute_runs(means, &runs, &places, |place, result, _: Permit| {
        let result = result.map(|finished| {
            let rows = process_rows(place, runs[place], &finished.records);
            (RunRecord::new(runs[place], place, &finished), rows)
        });
        finished.lock().unwrap_or_else(PoisonError::into_inner).insert(place, result);
        if stop.load(Ordering::Relaxed) { Err(()) } else { Ok(()) }
    })
    .ok();
    let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (mut records, mut rows) = (vec![], BTreeMap::<&'static str, Vec<i64>>::new());
    for (record, own) in finished.into_values().collect::<Result<Vec<_>, RunError>>().map_err(|error| failed(&error))? {
        records.push(record);
        for (name, values) in own {
            rows.entry(name).or_default().extend(values);
        }
    }
    let parquet = parquet(&records)?;
    let json = serde_json::to_string(&records).map_err(|error| failed(&error))?;
    Ok(Records { json, parquet, processes: rows })
}

fn parquet<R: cubefold_experiment::export::Record + Clone>(records: &[R]) -> PyResult<Vec<u8>> {
    let mut bytes = vec![];
    write_parquet(&mut bytes, || records.iter().cloned().map(Ok)).map_err(|error| failed(&error))?;
    Ok(bytes)
}

/// The columns of the rows of processes.
fn process_rows(
    place: usize,
    run: &Run,
    records: &[cubefold_simulator::StageRecord],
) -> BTreeMap<&'static str, Vec<i64>> {
    let mut columns: BTreeMap<&'static str, Vec<i64>> = BTreeMap::new();
    // No number of a run passes 2^63.
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    for record in records {
        let own = ProcessStage::from(record);
        let rank = RankOfProcess::new(&run.program, record.process);
        let optional = |number: Option<u32>| number.map_or(-1, i64::from);
        let cells = [
            ("run", signed(place as u64)),
            ("process", own.process.into()),
            ("stage", signed(own.stage as u64)),
            ("ready", signed(own.ready)),
            ("start", signed(own.start)),
            ("finish", signed(own.finish)),
            ("sharing_cycles", signed(own.sharing_cycles)),
            ("waiting_cycles", signed(own.waiting_cycles)),
            ("transfer_cycles", signed(own.transfer_cycles)),
            ("blocked_cycles", signed(own.blocked_cycles)),
            ("overlapped_cycles", signed(own.overlapped_cycles)),
            ("rank", optional(rank.rank)),
            ("share", optional(rank.share)),
        ];
        for (name, value) in cells {
            columns.entry(name).or_default().push(value);
        }
    }
    columns
}

/// Measures the placements of all runs of a scenario.
#[pyfunction]
#[pyo3(signature = (text, path, threads, memory))]
fn measure(
    py: Python<'_>,
    text: &str,
    path: &str,
    threads: Option<usize>,
    memory: Option<u64>,
) -> PyResult<Records> {
    py.detach(|| {
        let work = Work::new(text, path, threads, memory)?;
        let (runs, resources) = (work.runs(), work.resources());
        check_placements(&runs, resources).map_err(|error| failed(&error))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(work.threads).build();
        let pool = pool.map_err(|error| failed(&error))?;
        let entries = measure_runs(&pool, &runs, resources, &Progress::default());
        let json = serde_json::to_string(&entries).map_err(|error| failed(&error))?;
        Ok(Records { json, parquet: parquet(&entries)?, processes: BTreeMap::new() })
    })
}

/// The coordinates of the nodes of all processes, process by process, as unsigned 32-bit integers, and the number of
/// dimensions.
#[pyfunction]
fn place<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    embedding: Option<&str>,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    let (bytes, dimensions) = py.detach(|| {
        let work = Work::new(text, path, None, None)?;
        let names: Vec<String> = work.scenario.runs.iter().map(|run| run.embedding.to_string()).collect();
        let run = match (embedding, &work.scenario.runs[..]) {
            (None, [run]) => run,
            (None, _) => {
                let message =
                    format!("the scenario has {} runs, expected one: name one of {}", names.len(), names.join(", "));
                return Err(CubefoldError::new_err(message));
            }
            (Some(name), runs) => {
                let found = names.iter().position(|own| own == name).map(|place| &runs[place]);
                found.ok_or_else(|| {
                    CubefoldError::new_err(format!("embedding {name:?} is none of {}", names.join(", ")))
                })?
            }
        };
        let mut bytes = vec![];
        for process in ProcessId::first(run.program.process_count()) {
            for coordinate in run.address(run.placement.node(process)).as_slice() {
                bytes.extend(coordinate.to_ne_bytes());
            }
        }
        Ok((bytes, run.machine.shape().dimension_count()))
    })?;
    Ok((PyBytes::new(py, &bytes), dimensions))
}

/// TOML of a JSON document.
#[pyfunction]
fn toml_of_json(json: &str) -> PyResult<String> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(|error| failed(&error))?;
    toml::to_string(&toml_value(&value)?).map_err(|error| failed(&error))
}

fn toml_value(value: &serde_json::Value) -> PyResult<toml::Value> {
    use serde_json::Value;
    Ok(match value {
        Value::Null => return Err(ScenarioError::new_err("None in a scenario, expected a value or no key")),
        Value::Bool(truth) => toml::Value::Boolean(*truth),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => toml::Value::Integer(integer),
            (None, Some(real)) if number.is_f64() => toml::Value::Float(real),
            _ => return Err(ScenarioError::new_err(format!("{number} in a scenario, expected below 2^63"))),
        },
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(items) => toml::Value::Array(items.iter().map(toml_value).collect::<PyResult<_>>()?),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| Ok((name.clone(), toml_value(value)?));
            toml::Value::Table(members.iter().map(member).collect::<PyResult<_>>()?)
        }
    })
}

/// JSON of a TOML document.
#[pyfunction]
fn json_of_toml(text: &str) -> PyResult<String> {
    let value: toml::Value = toml::from_str(text).map_err(|error| ScenarioError::new_err(error.to_string()))?;
    serde_json::to_string(&value).map_err(|error| failed(&error))
}

#[pymodule]
fn _cubefold(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CubefoldError", module.py().get_type::<CubefoldError>())?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add_class::<Records>()?;
    for function in [
        wrap_pyfunction!(run, module)?,
        wrap_pyfunction!(measure, module)?,
        wrap_pyfunction!(place, module)?,
        wrap_pyfunction!(toml_of_json, module)?,
        wrap_pyfunction!(json_of_toml, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
