//! A progress bar for work over about a second.

use std::{
    io::IsTerminal,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use cubefold_experiment::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(100);
/// After how many ticks it appears: what is over by then needs none.
const FIRST_DRAWN: u32 = 10;

/// Whether a bar may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// On a terminal.
    OnTerminal,
    /// Never.
    Never,
}

impl Show {
    /// On a terminal, but not where quiet is asked for.
    pub(crate) fn unless(quiet: bool) -> Self {
        if quiet { Self::Never } else { Self::OnTerminal }
    }
}

/// How much there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    pairs: u64,                   // of a process and a stage, or whatever the progress counts
    runs: Option<(usize, usize)>, // over before, and in all
}

impl Work {
    /// So much of whatever the progress counts.
    pub(crate) fn pairs(pairs: u64) -> Self {
        Self { pairs, runs: None }
    }

    /// Runs with so many pairs of a process and a stage; of `runs` runs in all, `before` were over before.
    pub(crate) fn runs(pairs: u64, before: usize, runs: usize) -> Self {
        Self { pairs, runs: Some((before, runs)) }
    }

    /// How many runs are over, where runs are counted.
    fn told(self, progress: &Progress) -> String {
        self.runs.map_or_else(String::new, |(before, runs)| {
            format!("{} of {runs} runs, ", before as u64 + progress.runs_done())
        })
    }
}

/// Does something, and meanwhile shows on standard error how much of `work` its progress has reached.
pub(crate) fn watch<T>(show: Show, work: Work, progress: &Progress, does: impl FnOnce() -> T) -> T {
    if show == Show::Never || !std::io::stderr().is_terminal() {
        return does();
    }
    thread::scope(|scope| {
        let (done, over) = channel::<()>();
        scope.spawn(move || draw(work, progress, &over));
        let result = does();
        drop(done); // ends the drawing
        result
    })
}

/// Draws until the other end of `over` is gone.
fn draw(work: Work, progress: &Progress, over: &Receiver<()>) {
    // It counts time from the beginning, and is hidden at first.
    let bar = new_bar(work.pairs);
    for tick in 0_u32.. {
        if over.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        if tick == FIRST_DRAWN {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_position(progress.done());
        bar.set_message(work.told(progress));
    }
    bar.finish_and_clear();
}

fn new_bar(total: u64) -> ProgressBar {
    let template = "{wide_bar} {msg}{percent}%, {elapsed} so far, about {eta} to go";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_were_over_before_count_as_done() {
        let progress = Progress::default();
        assert_eq!(Work::runs(100, 3, 8).told(&progress), "3 of 8 runs, ");
        assert_eq!(Work::pairs(100).told(&progress), "");
    }
}
