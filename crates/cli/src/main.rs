//! The `cubefold` program: the library does the work, so that tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    cubefold::main(std::env::args_os()).into()
}
