//! The end of the program by a signal: a sentence on the kept runs, an exit code, and no remaining files except results
//! and journals.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
};

use cubefold_records::counted;

use crate::output::{obeys_escapes, printable_path};

/// The state to report and clean up.
static STATE: Mutex<State> = Mutex::new(State { kept: None, temporary: vec![] });

#[derive(Debug)]
struct State {
    kept: Option<Kept>,
    temporary: Vec<PathBuf>, // files under temporary names
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

/// Registers a journal, which already has `runs` of `of` runs.
pub(crate) fn keep_runs(journal: &Path, runs: usize, of: usize) {
    change(|state| state.kept = Some(Kept { journal: journal.to_owned(), runs, of }));
}

pub(crate) fn keep_run() {
    change(|state| {
        if let Some(kept) = &mut state.kept {
            kept.runs += 1;
        }
    });
}

/// Registers a file to remove when a signal ends the program.
pub(crate) fn add_temporary(path: &Path) {
    change(|state| state.temporary.push(path.to_owned()));
}

/// Unregisters a file that has its final name or no longer exists.
pub(crate) fn remove_temporary(path: &Path) {
    change(|state| state.temporary.retain(|known| known != path));
}

impl Kept {
    fn sentence(&self) -> String {
        let Self { journal, runs, of } = self;
        let all = counted(*of as u64, "run");
        format!("{runs} of {all} kept in {}; continue with --resume", printable_path(journal))
    }
}

/// The signal that requested the end; 0 before.
static STOP: AtomicI32 = AtomicI32::new(0);
/// Whether the next signal requests the end instead of ending the program.
static STOPS: AtomicBool = AtomicBool::new(false);

/// From now on the first signal is returned by [`stop_requested`]; the next one ends the program.
pub(crate) fn stop_instead() {
    STOPS.store(true, Ordering::Relaxed);
}

/// The signal that requested the end, after [`stop_instead`].
pub(crate) fn stop_requested() -> Option<i32> {
    Some(STOP.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// The exit code that shells give a program ended by a signal.
pub(crate) const fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// The number of SIGINT on every system.
const INTERRUPTED: i32 = 2;

/// Ends the program as SIGINT does.
pub(crate) fn interrupt() -> ! {
    end(INTERRUPTED)
}

/// Removes temporary files, reports the kept runs, and ends the program as a signal does.
pub(crate) fn end(signal: i32) -> ! {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    for path in &state.temporary {
        let _ = fs::remove_file(path);
    }
    let kept = state.kept.as_ref().map_or_else(|| "nothing is kept".to_owned(), Kept::sentence);
    let what = if signal == INTERRUPTED { "interrupted" } else { "terminated" };
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() && obeys_escapes() { "\r\u{1b}[2K\u{1b}[?25h" } else { "" };
    // If standard error is closed, the exit code still reports the end.
    let _ = writeln!(stderr, "{clear}{what}: {kept}");
    process::exit(exit_code(signal));
}

/// Waits on a separate thread for signals that end the program: SIGINT, SIGTERM, and SIGHUP of a closed terminal.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };

    // If signals cannot be watched, they end the program by default.
    let signals: &[i32] = if ignores_hangups() { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let Ok(mut signals) = Signals::new(signals) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if !STOPS.swap(false, Ordering::Relaxed) {
                end(signal);
            }
            STOP.store(signal, Ordering::Relaxed);
        }
    });
}

/// Whether the program was started with SIGHUP ignored, as `nohup` does, and is to stay so.
#[cfg(unix)]
fn ignores_hangups() -> bool {
    let ignored = fs::read_to_string("/proc/self/status").ok().and_then(|status| ignored_signals(&status));
    match ignored {
        // Signal 1 is the lowest bit.
        Some(ignored) => ignored & 1 == 1,
        // Without such a file, an ignored signal looks like any other: it counts if a terminal may close.
        None => !io::stdin().is_terminal(),
    }
}

/// The mask of ignored signals in the text of `/proc/self/status`.
#[cfg(unix)]
fn ignored_signals(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Does nothing on systems without such signals.
#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_counted_and_named() {
        let kept = Kept { journal: "r.csv.partial".into(), runs: 3, of: 8 };
        assert_eq!(kept.sentence(), "3 of 8 runs kept in r.csv.partial; continue with --resume");
        assert_eq!((exit_code(2), exit_code(15)), (130, 143));
    }

    #[cfg(unix)]
    #[test]
    fn ignored_signals_are_read_from_the_status_of_the_process() {
        assert_eq!(ignored_signals("Name:\tx\nSigIgn:\t0000000000001001\n"), Some(0x1001));
        assert_eq!(ignored_signals("Name:\tx\n"), None);
    }
}
