//! The statements of Greenberg 1987 as tests, in the readings of the errata, and the golden data.

mod claims;
mod figure_6;
mod golden;
mod placements;
mod support;
