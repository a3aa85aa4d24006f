//! The `cubefold` program. The library does the work, so tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    cubefold::main(std::env::args_os()).into()
}
