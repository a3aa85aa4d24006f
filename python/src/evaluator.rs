//! One placement after another of a program, for searches written in Python.
//!
//! An evaluator borrows its program and machine, which objects of the interpreter cannot: it lives on a thread of its own,
//! which ends with the object.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
};

use cubefold_runs::{KeepRecords, check_runs};
use cubefold_scenario::{ExecutionMode, Run, ScenarioProgram};
use cubefold_simulator::{Cycles, Evaluator as Engine};
use cubefold_topology::NodeId;
use pyo3::prelude::*;

use crate::{
    CubefoldError,
    request::{Request, failed, one_combination},
    watch::{TICK, watched},
};

/// The makespans of a scenario's program on its machine under one placement after another.
#[pyclass(frozen)]
pub(crate) struct Evaluator {
    questions: Mutex<Sender<Question>>,
    /// The processes that are placed.
    #[pyo3(get)]
    processes: u64,
}

/// A placement to be evaluated.
struct Question {
    nodes: Vec<NodeId>, // by rank
    limit: Option<Cycles>,
    answer: Sender<PyResult<Option<u64>>>,
}

#[pymethods]
impl Evaluator {
    /// Prepares the first run of a scenario of one combination.
    #[new]
    fn new(py: Python<'_>, request: Request) -> PyResult<Self> {
        let run = watched(py, None, move |_| {
            let scenario = request.scenario()?;
            let run = one_combination(&scenario)?[0].clone();
            check_runs(&[&run], request.resources(), KeepRecords::No).map_err(|error| failed(&error))?;
            Ok(Arc::new(run))
        })?;
        if run.execution.mode != ExecutionMode::Asynchronous {
            let message = "an evaluator of a coordinated run, expected execution.mode = \"asynchronous\"";
            return Err(CubefoldError::new_err(message));
        }
        let (questions, asked) = mpsc::channel();
        let (ready, begun) = mpsc::channel();
        let own = Arc::clone(&run);
        let thread = thread::Builder::new().name("cubefold evaluator".to_owned());
        thread.spawn(move || serve(&own, &ready, &asked)).map_err(|error| failed(&error))?;
        wait(py, begun)?;
        Ok(Self { questions: Mutex::new(questions), processes: run.program.rank_count() })
    }

    /// The makespan with the processes on these nodes, little-endian numbers of 32 bits; `None` if it is at least `below`.
    #[pyo3(signature = (nodes, below))]
    fn evaluate(&self, py: Python<'_>, nodes: &[u8], below: Option<u64>) -> PyResult<Option<u64>> {
        let (answer, answered) = mpsc::channel();
        let numbers = nodes.as_chunks().0.iter().map(|&own| u32::from_le_bytes(own));
        let nodes = numbers.map(NodeId::new).collect();
        let question = Question { nodes, limit: below.map(Cycles::new), answer };
        let sent = self.questions.lock().unwrap_or_else(PoisonError::into_inner).send(question);
        sent.map_err(|_| stopped())?;
        wait(py, answered)
    }
}

/// The answer to a question, or the user's interruption.
fn wait<T: Send>(py: Python<'_>, answers: Receiver<PyResult<T>>) -> PyResult<T> {
    let answers = Mutex::new(answers);
    let next = || py.detach(|| answers.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
    loop {
        match next() {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
        }
    }
}

fn stopped() -> PyErr {
    CubefoldError::new_err("the evaluator stopped at a defect, which standard error shows")
}

/// Answers questions about a run until nobody can ask any more.
fn serve<'run>(run: &'run Run, ready: &Sender<PyResult<()>>, asked: &Receiver<Question>) {
    let engine = |program: &'run ScenarioProgram| {
        Engine::new(&*program.body, &run.machine, run.communication).map_err(|error| failed(&error))
    };
    // Of equivalent programs the fastest counts.
    let mut engines: Vec<Engine<'_>> = match run.program.with_others().map(engine).collect() {
        Ok(engines) => engines,
        Err(error) => return drop(ready.send(Err(error))),
    };
    // Who no longer waits was interrupted.
    let _ = ready.send(Ok(()));
    for Question { nodes, limit, answer } in asked {
        let _ = answer.send(makespan(run, &mut engines, &nodes, limit));
    }
}

/// The smallest makespan of the equivalent programs of a run.
fn makespan(
    run: &Run,
    engines: &mut [Engine<'_>],
    ranks: &[NodeId],
    limit: Option<Cycles>,
) -> PyResult<Option<u64>> {
    let expected = run.program.rank_count();
    if ranks.len() as u64 != expected {
        let message = format!("a placement of {} processes, expected {expected}", ranks.len());
        return Err(CubefoldError::new_err(message));
    }
    let is_node =
        |node: NodeId| u64::from(node.index()) < run.machine.node_count() && run.machine.is_host(node);
    if let Some(process) = ranks.iter().position(|&node| !is_node(node)) {
        let message =
            format!("process {process} on node {}, which takes no processes", ranks[process].index());
        return Err(CubefoldError::new_err(message));
    }
    let mut best: Option<Cycles> = None;
    for (engine, program) in engines.iter_mut().zip(run.program.with_others()) {
        let processes = usize::try_from(program.body.process_count()).unwrap_or(usize::MAX);
        // The shares of a rank are on its node.
        let nodes: Vec<NodeId> = ranks.iter().copied().cycle().take(processes).collect();
        let limit = best.or(limit);
        best = engine.makespan(&nodes, limit).map_err(|error| failed(&error))?.or(best);
    }
    Ok(best.map(Cycles::get))
}
