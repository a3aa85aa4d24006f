//! The theorems of chapters 3 and 5 as tests, and the golden data.

mod contractions;
mod embeddings;
mod figures;
mod golden;
mod refusals;
mod support;
