//! Files of other tools against what was read from them by hand, and against damage.
//!
//! `given` has 86 inputs, each beside what `inspect` says of it: excerpts of public logs, files of public
//! repositories, and small files in the forms that the tools' sources write ([the sources](SOURCES.md)).

#![cfg(test)]

mod given;
mod large;
mod mutations;
mod siblings;
mod support;
mod versions;
