//! The theorems of chapters 3 and 5 as tests.

mod refusals;
