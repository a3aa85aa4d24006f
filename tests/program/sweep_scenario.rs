//! The sweep that tests interrupt and divide: a few hundred small runs.

use super::command::Scratch;

/// A folder with `sweep.toml`: 2 kinds of links, `computations` computation times, 2 executions and 3 embeddings.
pub(super) fn folder(computations: usize) -> Scratch {
    let times: Vec<String> = (0..computations).map(|time| time.to_string()).collect();
    let text = format!(
        "name = \"small runs\"\n[machine]\nkind = \"torus\"\nshape = [4, 4]\n[sweep]\n\
         \"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n\
         \"program.compute_cycles\" = [{}]\n\"execution.mode\" = [\"asynchronous\", \"coordinated\"]\n",
        times.join(", ")
    );
    Scratch::with(&[("sweep.toml", text)])
}
