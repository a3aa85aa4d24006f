//! `cray-rank-order`: the rank in each slot, the inverse of the other formats.
//!
//! Cray MPICH, `intro_mpi(3)`, `MPICH_RANK_REORDER_METHOD=3`: the file `MPICH_RANK_ORDER` lists ranks,
//! separated by commas, over any number of lines; the first goes into the first slot of the first node of the
//! job. `a-b` stands for all ranks from `a` to `b`, and comments start with `#`. No slot can be left out.
//!
//! ```text
//! 0,1,3,2,
//! 6,7,5,4
//! ```

use std::io::{self, Write};

use super::{FormatDescriptor, HostNaming, file::LauncherFile, reading::Reading};
use crate::input::text::{Remarks, lines};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "cray-rank-order",
    summary: "Rank of every slot, for MPICH_RANK_REORDER_METHOD=3",
    hosts: HostNaming::Nodes,
    has_slots: true,
    check: |file| file.check_even_load(),
    write,
    read,
};

const RANKS_A_LINE: u64 = 16;

fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    let by_node = file.region.nodes_of_job().flat_map(|node| file.placement.processes(node));
    for (slot, process) in (0_u64..).zip(by_node) {
        let before = match slot {
            0 => "",
            slot if slot % RANKS_A_LINE == 0 => ",\n",
            _ => ",",
        };
        write!(output, "{before}{process}")?;
    }
    writeln!(output)
}

/// Reads the ranks; all nodes have equally many.
fn read(reading: &mut Reading<'_>) {
    let (processes, nodes) = (reading.processes, reading.region.job_nodes());
    if !processes.is_multiple_of(nodes) {
        reading.complain_of_all(|| {
            format!("{processes} processes, expected a multiple of {nodes}: a rank order fills every node")
        });
        return;
    }
    let mut slot = 0;
    for line in lines(reading.text, Remarks::AfterHash) {
        // A line may end with the comma before the next one.
        let words = line.strip_suffix(',').unwrap_or(line).split(',').map(str::trim);
        for word in words {
            let Some((first, last)) = range(reading, word) else {
                slot += 1;
                continue;
            };
            for label in first..=last {
                fill(reading, slot, label, word);
                slot += 1;
            }
        }
    }
}

/// The first and last rank of `a` or `a-b`.
fn range(reading: &mut Reading<'_>, word: &str) -> Option<(u32, u32)> {
    let Some((first, last)) = word.split_once('-') else {
        let label = reading.process(word)?.label();
        return Some((label, label));
    };
    let first = reading.process(first.trim())?.label();
    let last = reading.process(last.trim())?.label();
    if last < first {
        reading.complain_of_rank(word, || format!("ranks {word}, expected the lower rank first"));
        return None;
    }
    Some((first, last))
}

/// Puts a rank into a slot of the job.
fn fill(reading: &mut Reading<'_>, slot: u64, label: u32, word: &str) {
    let load = reading.processes / reading.region.job_nodes();
    let node = reading.region.job_node(slot / load);
    reading.seat(cubefold_mapping::ProcessId::new(label), node, word);
}
