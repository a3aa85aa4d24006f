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

/// Does `work`, and meanwhile shows on standard error how much of `total` its progress has reached.
pub(crate) fn watch<T>(show: Show, total: u64, progress: &Progress, work: impl FnOnce() -> T) -> T {
    if show == Show::Never || !std::io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (done, over) = channel::<()>();
        scope.spawn(move || draw(total, progress, &over));
        let result = work();
        drop(done); // ends the drawing
        result
    })
}

/// Draws until the other end of `over` is gone.
fn draw(total: u64, progress: &Progress, over: &Receiver<()>) {
    // It counts time from the beginning, and is hidden at first.
    let bar = new_bar(total);
    for tick in 0_u32.. {
        if over.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        if tick == FIRST_DRAWN {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_position(progress.done());
    }
    bar.finish_and_clear();
}

fn new_bar(total: u64) -> ProgressBar {
    let template = "{wide_bar} {percent}%, {elapsed} so far, about {eta} to go";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()).with_style(style)
}
