//! Numbers that numpy reads where they are.

use cubefold_records::{ProcessStage, RankOfProcess};
use cubefold_scenario::Run;
use cubefold_simulator::StageRecord;
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

/// An array of signed 64-bit integers, which numpy reads without a copy. It never changes.
#[pyclass(frozen)]
pub(crate) struct Column {
    values: Vec<i64>,
    shape: Vec<usize>,
}

impl Column {
    /// A row of numbers.
    fn row(values: Vec<i64>) -> Self {
        Self { shape: vec![values.len()], values }
    }

    /// A table with so many columns, at least one, row by row.
    pub(crate) fn table(values: Vec<i64>, columns: usize) -> Self {
        Self { shape: vec![values.len() / columns, columns], values }
    }
}

#[pymethods]
impl Column {
    /// Where the numbers are, as numpy's array interface (version 3) has it; read only.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", if cfg!(target_endian = "little") { "<i8" } else { ">i8" })?;
        interface.set_item("data", (self.values.as_ptr().addr(), true))?;
        Ok(interface)
    }
}

/// The names of the columns of processes: those of the rows of `cubefold run --processes` that are numbers.
const PROCESS_COLUMNS: [&str; 16] = [
    "run",
    "process",
    "stage",
    "ready",
    "start",
    "finish",
    "sharing_cycles",
    "waiting_cycles",
    "transfer_cycles",
    "blocked_cycles",
    "overlapped_cycles",
    "overhead_cycles",
    "iteration",
    "step",
    "rank",
    "share",
];

/// The columns of processes, an entry for every run, process and stage.
#[derive(Debug, Default)]
pub(crate) struct ProcessColumns {
    values: [Vec<i64>; PROCESS_COLUMNS.len()],
}

impl ProcessColumns {
    /// Adds what is recorded of the run at a place of the results.
    pub(crate) fn add(&mut self, place: usize, run: &Run, stages: &[StageRecord]) {
        for record in stages {
            let stage = ProcessStage::from(record);
            let rank = RankOfProcess::new(&run.program, record.process);
            let step = run.program.job.as_deref().map(|job| job.locate(record.stage));
            let of_job = |number: Option<usize>| number.map_or(-1, |number| signed(number as u64));
            let or_none = |number: Option<u32>| number.map_or(-1, i64::from);
            let row = [
                signed(place as u64),
                stage.process.into(),
                signed(stage.stage as u64),
                signed(stage.ready),
                signed(stage.start),
                signed(stage.finish),
                signed(stage.sharing_cycles),
                signed(stage.waiting_cycles),
                signed(stage.transfer_cycles),
                signed(stage.blocked_cycles),
                signed(stage.overlapped_cycles),
                signed(stage.overhead_cycles),
                of_job(step.map(|own| own.iteration)),
                of_job(step.map(|own| own.step)),
                or_none(rank.rank),
                or_none(rank.share),
            ];
            for (column, value) in self.values.iter_mut().zip(row) {
                column.push(value);
            }
        }
    }

    /// The columns by their names.
    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let columns = PyDict::new(py);
        for (name, values) in PROCESS_COLUMNS.into_iter().zip(self.values) {
            columns.set_item(name, Py::new(py, Column::row(values))?)?;
        }
        Ok(columns)
    }
}

/// No number of a run passes 2^63.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
