//! A progress bar for work of more than about a second.

use std::{
    fmt,
    io::IsTerminal,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use cubefold_runs::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::{arguments::SharedOptions, output::obeys_escapes};

/// The interval between drawings.
const TICK: Duration = Duration::from_millis(100);
/// The number of ticks before it appears, since shorter work needs no bar.
const FIRST_DRAWN: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    total: u64,                   // final count of the progress
    unit: &'static str,           // noun of the count, in the plural
    runs: Option<(usize, usize)>, // finished before, and in total
}

impl Work {
    /// Work with this final count of the progress; `unit` is its noun.
    pub(crate) fn of(total: u64, unit: &'static str) -> Self {
        Self { total, unit, runs: None }
    }

    /// Runs with this number of pairs of process and stage. Of `runs` in total, `before` were finished before.
    pub(crate) fn runs(pairs: u64, before: usize, runs: usize) -> Self {
        Self { total: pairs, unit: "stages", runs: Some((before, runs)) }
    }

    /// Searches of this number of combinations, in permille of each.
    pub(crate) fn searches(combinations: usize) -> Self {
        Self { total: 1000 * combinations as u64, unit: "permille", runs: Some((0, combinations)) }
    }

    /// The number of finished runs, if runs are counted.
    fn run_counts(self, progress: &Progress) -> String {
        self.runs.map_or_else(String::new, |(before, runs)| {
            format!("{} of {runs} runs, ", before as u64 + progress.runs_done())
        })
    }
}

/// Runs a closure, and meanwhile shows on standard error the progress of `work`, if that is a terminal that obeys escape
/// sequences and `--quiet` is not given.
pub(crate) fn watch<T>(
    shared: &SharedOptions,
    work: Work,
    progress: &Progress,
    does: impl FnOnce() -> T,
) -> T {
    if shared.quiet || !std::io::stderr().is_terminal() || !obeys_escapes() {
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

/// Draws until the sender of `over` is dropped.
fn draw(work: Work, progress: &Progress, over: &Receiver<()>) {
    // The bar counts time from the start, and is hidden at first.
    let bar = new_bar(work);
    for tick in 0_u32.. {
        if over.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        if tick == FIRST_DRAWN {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_position(progress.done());
        bar.set_message(work.run_counts(progress));
    }
    bar.finish_and_clear();
}

fn new_bar(work: Work) -> ProgressBar {
    let template = "{wide_bar} {msg}{percent}%, {rate}, {elapsed} so far, about {eta} to go";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("rate", move |state: &ProgressState, text: &mut dyn fmt::Write| {
        // If the bar cannot be drawn, the work continues.
        let _ = write!(text, "{}", rate(state.per_sec(), work.unit));
    });
    ProgressBar::with_draw_target(Some(work.total), ProgressDrawTarget::hidden()).with_style(style)
}

/// A rate in about three digits.
fn rate(a_second: f64, unit: &str) -> String {
    const STEPS: [(f64, &str); 3] = [(1e9, " billion"), (1e6, " million"), (1e3, " thousand")];
    match STEPS.iter().find(|(step, _)| a_second >= *step) {
        Some((step, word)) => format!("{:.1}{word} {unit}/s", a_second / step),
        None => format!("{a_second:.1} {unit}/s"),
    }
}

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    #[test]
    fn runs_that_were_over_before_count_as_done() {
        let progress = Progress::default();
        assert_eq!(Work::runs(100, 3, 8).run_counts(&progress), "3 of 8 runs, ");
        assert_eq!(Work::of(100, "cases").run_counts(&progress), "");
    }

    #[test]
    fn rates_are_short_whatever_they_are() {
        assert_eq!(rate(0.04, "cases"), "0.0 cases/s");
        assert_eq!(rate(999.0, "stages"), "999.0 stages/s");
        assert_eq!(rate(12_345.0, "stages"), "12.3 thousand stages/s");
        assert_eq!(rate(5e6, "stages"), "5.0 million stages/s");
        assert_eq!(rate(2.5e12, "stages"), "2500.0 billion stages/s");
    }

    #[test]
    fn a_bar_says_how_far_how_fast_and_how_long() {
        let terminal = InMemoryTerm::new(2, 100);
        let bar = new_bar(Work::of(1000, "cases"));
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        bar.set_position(500);
        bar.force_draw();
        let drawn = terminal.contents();
        for part in ["50%, ", " cases/s, ", " so far, about ", " to go"] {
            assert!(drawn.contains(part), "{drawn}");
        }
    }
}
