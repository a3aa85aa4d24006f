//! What the theory says of placements and runs, asked of the crates: every fact of `docs/model.md`
//! section 8, the theorems behind them, and cases worked by hand. One idea a file.

mod at_scale;
mod bijections;
mod byweight;
mod constant_distances;
mod coordinated;
mod distances;
mod figures;
mod finish_times;
mod hand_worked;
mod least_dilation_by_coordinate;
mod least_total_dilation;
mod length_two;
mod loads;
mod lower_bound;
mod makespans;
mod setting;
mod theorem_10;
mod undisturbed;
