//! Statements of the theory about placements and runs, checked on the crates: every fact of `docs/model.md`
//! section 8, the theorems behind them, and cases worked by hand.

mod at_scale;
mod coordinated;
mod distances;
mod embeddings;
mod finish_times;
mod hand_worked;
mod least_dilation;
mod makespans;
pub(crate) mod setting;
