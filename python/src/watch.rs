//! Work on a thread of its own, and the interpreter that waits for it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use cubefold_runs::Progress;
use pyo3::prelude::*;

use crate::{CubefoldError, request::failed};

/// How often progress is reported, and the user asked.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// How long an interrupted call waits for the runs at work.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the thread at work and the one that waits share.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// How much is done.
    pub(crate) progress: Progress,
    /// How much there is to do; 0 before that is known.
    pub(crate) total: AtomicU64,
    /// Whether no further run is to begin.
    pub(crate) stop: AtomicBool,
}

/// What `work` comes to, done on another thread without the interpreter. Meanwhile `callback` is called with what is
/// done and all that there is to do.
///
/// # Errors
///
/// Those of the work; and when the user interrupts or the callback raises: then no further run begins, and those at work
/// that take longer than [`PATIENCE`] are left to end by themselves.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = mpsc::channel();
    let own = Arc::clone(&watch);
    let thread = thread::Builder::new().name("cubefold".to_owned());
    // Nobody receives what an interrupted call leaves behind.
    thread.spawn(move || drop(sender.send(work(&own)))).map_err(|error| failed(&error))?;
    let receiver = Mutex::new(receiver);
    let wait =
        |time| py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        let received = wait(TICK);
        let reported = py.check_signals().and_then(|()| report(callback, &watch));
        match (received, reported) {
            (Ok(result), reported) => return reported.and(result),
            (Err(RecvTimeoutError::Timeout), Ok(())) => {}
            (Err(RecvTimeoutError::Timeout), Err(interrupted)) => {
                watch.stop.store(true, Ordering::Relaxed);
                let _ = wait(PATIENCE);
                return Err(interrupted);
            }
            (Err(RecvTimeoutError::Disconnected), _) => {
                return Err(CubefoldError::new_err("stopped at a defect, which standard error shows"));
            }
        }
    }
}

fn report(callback: Option<&Bound<'_, PyAny>>, watch: &Watch) -> PyResult<()> {
    match (callback, watch.total.load(Ordering::Relaxed)) {
        (Some(callback), total @ 1..) => callback.call1((watch.progress.done(), total)).map(drop),
        _ => Ok(()),
    }
}
