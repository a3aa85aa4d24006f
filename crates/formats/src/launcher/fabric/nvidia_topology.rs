//! `nvidia-smi topo -m`: how the GPUs of one node are connected.
//!
//! ```text
//!         GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
//! GPU0     X      NV18    PXB     0-47            0
//! GPU1    NV18     X      SYS     0-47            0
//! NIC0    PXB     SYS      X
//! ```
//!
//! `NV` and a number give the number of `NVLinks`. A GPU has at most 18: if the numbers to all others are equal and add
//! up to more, they are the links of a GPU to a switch. GPUs without a link are joined by bridges (`PIX`, `PXB`), the
//! host (`PHB`), a NUMA node (`NODE`) and the system (`SYS`), each a switch over the nearer ones. NICs carry nothing
//! inside a node and are left out.

use std::borrow::Cow;

use super::{FabricFormat, FabricReading, LinkSpeed, reading::Vertex};
use crate::input::text::{Remarks, described, lines};

pub(super) const FORMAT: FabricFormat = FabricFormat {
    name: "a table of nvidia-smi topo -m",
    is_like: |text| {
        lines(text, Remarks::None).any(|line| {
            let mut words = line.split_whitespace().map(bare);
            words.next().as_deref() == Some("GPU0")
                && words.next().is_some_and(|word| word == "X" || is_gpu(&word))
        })
    },
    read,
};

/// The most links that a GPU has.
const MOST_LINKS: u64 = 18;

/// The connections of GPUs without a link between them, the nearest first.
const LEVELS: [&str; 5] = ["PIX", "PXB", "PHB", "NODE", "SYS"];

/// The connection of two GPUs, as a cell gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Own,
    Links(u64),
    /// An index into [`LEVELS`].
    Level(usize),
}

/// A word without the escapes that underline it.
fn bare(word: &str) -> Cow<'_, str> {
    if !word.contains('\x1b') {
        return Cow::Borrowed(word);
    }
    let mut parts = word.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    Cow::Owned(parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest)))
}

fn is_gpu(word: &str) -> bool {
    word.strip_prefix("GPU").is_some_and(|number| number.parse::<u32>().is_ok())
}

fn read(reading: &mut FabricReading<'_>) {
    let rows: Vec<&str> = lines(reading.text, Remarks::None)
        .filter(|line| {
            let mut words = line.split_whitespace().map(bare);
            words.next().is_some_and(|word| is_gpu(&word)) && words.next().is_some_and(|word| !is_gpu(&word))
        })
        .collect();
    let mut cells: Vec<Vec<Cell>> = vec![];
    for row in &rows {
        let mut words = row.split_whitespace();
        let name = words.next().unwrap_or_default();
        let Some((_, is_new)) = reading.host(&bare(name), name) else { return };
        if !is_new {
            reading.complain(name, || format!("{} a second time, expected one row each", bare(name)));
        }
        let mut own = vec![];
        for _ in &rows {
            let word = words.next().unwrap_or(*row);
            if let Some(cell) = cell(&bare(word)) {
                own.push(cell);
            } else {
                reading.complain(word, || {
                    format!(
                        "cell {}, expected X, NV and a number, or one of {}",
                        described(word),
                        LEVELS.join(", ")
                    )
                });
                break;
            }
        }
        cells.push(own);
    }
    if !reading.is_right() {
        return;
    }
    for (one, own) in cells.iter().enumerate() {
        for (other, &cell) in own.iter().enumerate() {
            if (cell == Cell::Own) != (one == other) || cells[other][one] != cell {
                reading.complain(rows[one], || {
                    "cells of two GPUs differ, expected a symmetric table with X on its diagonal".to_owned()
                });
                return;
            }
        }
    }
    link(reading, &cells, &rows);
    if reading.text.contains("NIC0") || reading.text.contains("mlx5_0") {
        reading.note("network adapters are left out: they carry nothing inside a node".to_owned());
    }
}

fn cell(word: &str) -> Option<Cell> {
    if word == "X" {
        return Some(Cell::Own);
    }
    if let Some(links) = word.strip_prefix("NV") {
        return links.parse().ok().filter(|&links| (1..=1000).contains(&links)).map(Cell::Links);
    }
    LEVELS.iter().position(|&level| level == word).map(Cell::Level)
}

fn link(reading: &mut FabricReading<'_>, cells: &[Vec<Cell>], rows: &[&str]) {
    let vertices: Vec<Vertex> = (0..).take(cells.len()).map(Vertex::Host).collect();
    let others = (cells.len() as u64).saturating_sub(1);
    let between: Vec<Cell> = cells.iter().flatten().copied().filter(|&cell| cell != Cell::Own).collect();
    if let Some(&Cell::Links(links)) = between.first()
        && between.iter().all(|&cell| cell == Cell::Links(links))
        && links.saturating_mul(others) > MOST_LINKS
    {
        let Some((switch, _)) = reading.switch("NVSwitch", "") else { return };
        for (&gpu, row) in vertices.iter().zip(rows) {
            reading.link([gpu, switch], links, LinkSpeed::default(), row);
        }
        reading.note(format!("NV{links} between all GPUs is read as {links} links of each to a switch"));
        return;
    }
    for (one, own) in cells.iter().enumerate() {
        for (other, &cell) in own.iter().enumerate().skip(one + 1) {
            if let Cell::Links(links) = cell {
                reading.link([vertices[one], vertices[other]], links, LinkSpeed::default(), rows[one]);
            }
        }
    }
    if between.iter().any(|cell| matches!(cell, Cell::Level(_))) {
        join(reading, cells, &vertices);
        reading.note(
            "GPUs without NVLink are joined by PCIe switches, whose links are as fast as all others"
                .to_owned(),
        );
    }
}

/// Joins GPUs level by level.
fn join(reading: &mut FabricReading<'_>, cells: &[Vec<Cell>], vertices: &[Vertex]) {
    // The highest vertex over each GPU so far.
    let mut tops = vertices.to_vec();
    for (level, name) in LEVELS.iter().enumerate() {
        let mut is_done = vec![false; cells.len()];
        for first in 0..cells.len() {
            if is_done[first] {
                continue;
            }
            // All GPUs reached from the first over this level and the nearer ones.
            let mut group = vec![first];
            is_done[first] = true;
            let mut next = 0;
            while let Some(&at) = group.get(next) {
                next += 1;
                for other in 0..cells.len() {
                    let is_near = matches!(cells[at][other], Cell::Level(own) if own <= level)
                        || tops[at] == tops[other]
                        || level + 1 == LEVELS.len();
                    if is_near && !is_done[other] {
                        is_done[other] = true;
                        group.push(other);
                    }
                }
            }
            let mut below: Vec<Vertex> = group.iter().map(|&gpu| tops[gpu]).collect();
            below.sort_unstable();
            below.dedup();
            if below.len() < 2 {
                continue;
            }
            let Some((switch, _)) = reading.switch(&format!("{name} of GPU{first}"), "") else { return };
            for own in below {
                reading.link_at([own, switch], 1, LinkSpeed::default(), 0..0);
            }
            for gpu in group {
                tops[gpu] = switch;
            }
        }
    }
}
