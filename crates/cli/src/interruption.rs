//! What a signal that ends the program leaves: a sentence on what is kept, an exit code, and no files but results and
//! journals.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use cubefold_experiment::printable;

/// What is to be said and removed.
static STATE: Mutex<State> = Mutex::new(State { kept: None, temporary: vec![] });

#[derive(Debug)]
struct State {
    kept: Option<Kept>,
    temporary: Vec<PathBuf>, // files under names that are not theirs yet
}

/// The runs in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    journal: PathBuf,
    runs: usize,
    of: usize,
}

fn change(change: impl FnOnce(&mut State)) {
    change(&mut STATE.lock().unwrap_or_else(PoisonError::into_inner));
}

/// From now on runs are kept in a journal, which has `runs` of `of` already.
pub(crate) fn keep_runs(journal: &Path, runs: usize, of: usize) {
    change(|state| state.kept = Some(Kept { journal: journal.to_owned(), runs, of }));
}

/// One more run is kept.
pub(crate) fn keep_run() {
    change(|state| {
        if let Some(kept) = &mut state.kept {
            kept.runs += 1;
        }
    });
}

/// A file that is to go when the program is ended.
pub(crate) fn add_temporary(path: &Path) {
    change(|state| state.temporary.push(path.to_owned()));
}

/// A file that has its name, or is gone.
pub(crate) fn remove_temporary(path: &Path) {
    change(|state| state.temporary.retain(|known| known != path));
}

impl Kept {
    fn sentence(&self) -> String {
        let Self { journal, runs, of } = self;
        let journal = journal.display().to_string();
        let noun = if *of == 1 { "run" } else { "runs" };
        format!("{runs} of {of} {noun} kept in {}; go on with --resume", printable(&journal))
    }
}

/// The exit code of a program that a signal ends, as shells have it.
pub(crate) const fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// The number of an interruption from the keyboard, everywhere.
const INTERRUPTED: i32 = 2;

/// Ends the program as an interruption from the keyboard does.
pub(crate) fn interrupt() -> ! {
    end(INTERRUPTED)
}

/// Removes what has no name of its own yet, says what is kept, and ends the program as a signal does.
fn end(signal: i32) -> ! {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    for path in &state.temporary {
        let _ = fs::remove_file(path);
    }
    let kept = state.kept.as_ref().map_or_else(|| "nothing is kept".to_owned(), Kept::sentence);
    let what = if signal == INTERRUPTED { "interrupted" } else { "terminated" };
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() { "\r\u{1b}[2K\u{1b}[?25h" } else { "" };
    // Where standard error is closed the exit code still says it.
    let _ = writeln!(stderr, "{clear}{what}: {kept}");
    process::exit(exit_code(signal));
}

/// Waits, beside the work, for signals that end the program: an interruption from the keyboard, the request of the system
/// or of a batch queue, and a terminal that is closed.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };

    // Where signals cannot be watched they end the program as they always do. A signal that the program was started to
    // ignore, as nohup does with SIGHUP, cannot be told from others here: it is watched only where a terminal may close.
    let signals: &[i32] =
        if io::stdin().is_terminal() { &[SIGINT, SIGTERM, SIGHUP] } else { &[SIGINT, SIGTERM] };
    let Ok(mut signals) = Signals::new(signals) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(signal);
        }
    });
}

/// Systems without such signals end the program as they always do.
#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_counted_and_named() {
        let kept = Kept { journal: "r.csv.partial".into(), runs: 3, of: 8 };
        assert_eq!(kept.sentence(), "3 of 8 runs kept in r.csv.partial; go on with --resume");
        assert_eq!((exit_code(2), exit_code(15)), (130, 143));
    }
}
