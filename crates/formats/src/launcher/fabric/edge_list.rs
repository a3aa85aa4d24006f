//! Lists of links: two nodes per line, or a table with a header.
//!
//! ```text
//! 0 1            from,to,links,bandwidth,latency
//! 0 2            node1,leaf1,1,50 GB/s,1 us
//! 1 2            leaf1,spine1,4,50 GB/s,1 us
//! ```
//!
//! Nodes are numbers from 0, or names, which are numbered in the order of their first mention. The columns are
//! `from` and `to`, and any of `links`, `bandwidth`, `latency`, `hop_cycles`, `latency_cycles` and `host`, which
//! says which end is a host: its name, `from`, `to` or `both`, or `yes` for the first. Cells are separated by the
//! comma or semicolon of the header, else by blanks. `#` starts a comment, and `%` comments out a whole line. A pair
//! that is listed several times has that many links (`docs/model.md` section 22).

use std::collections::BTreeSet;

use cubefold_topology::{MAX_NEIGHBOURS, narrow};

use super::{
    FabricReading, LinkSpeed, MAX_NODES, PlacedFormat,
    reading::{PairCount, Vertex},
};
use crate::input::{
    Ratio,
    quantity::Measure,
    text::{Remarks, counted, described, lines, span},
};

/// A table with a header.
pub(super) static WITH_HEADER: PlacedFormat =
    PlacedFormat { name: "a table of links", read: |reading| read(reading, Form::Table) };

/// Two nodes per line.
pub(super) static PLAIN: PlacedFormat =
    PlacedFormat { name: "a list of links", read: |reading| read(reading, Form::Pairs) };

/// Whether the first line of a text names the columns of a table of links.
pub(crate) fn has_header(text: &str) -> bool {
    let header = lines(text, Remarks::AfterHash).next().unwrap_or_default();
    let names: Vec<String> = cells(header, separator(header)).map(str::to_ascii_lowercase).collect();
    let is_known = |name: &String| COLUMNS.contains(&name.as_str());
    ENDS.iter().any(|ends| {
        let is_end = |name: &String| ends.contains(&name.as_str());
        // Tables of traffic may have the other names, and an amount.
        ends.iter().all(|end| names.iter().any(|name| name == end))
            && (*ends == ENDS[0] || names.iter().all(|name| is_end(name) || is_known(name)))
    })
}

/// The names of the columns of the two ends.
const ENDS: [[&str; 2]; 3] = [["from", "to"], ["source", "target"], ["src", "dst"]];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Pairs,
    Table,
}

const MAX_CYCLES: u64 = 1 << 32;

/// The columns, after the two ends.
const COLUMNS: [&str; 6] = ["links", "bandwidth", "latency", "hop_cycles", "latency_cycles", "host"];

/// The index of `host` among them.
const HOST: usize = 5;

#[derive(Debug, Default)]
struct Columns {
    from: usize,
    to: usize,
    others: [Option<usize>; COLUMNS.len()],
    count: usize,
    by: Separator,
}

/// The separator of cells: a comma or semicolon, or `None` for blanks.
type Separator = Option<char>;

fn separator(header: &str) -> Separator {
    [';', ','].into_iter().find(|sign| header.contains(*sign))
}

fn cells(row: &str, by: Separator) -> impl Iterator<Item = &str> {
    let by_sign = by.into_iter().flat_map(move |sign| row.split(sign).map(str::trim));
    let by_blank = by.is_none().then_some(row).into_iter().flat_map(str::split_whitespace);
    by_sign.chain(by_blank)
}

fn read(reading: &mut FabricReading<'_>, form: Form) {
    reading.pairs = PairCount::OneOrBothDirections;
    reading.knows_hosts = false;
    // Graph collections start comments with `%`.
    let mut rows = lines(reading.text, Remarks::AfterHash).filter(|line| !line.starts_with('%'));
    let columns = match form {
        Form::Table => {
            let Some(columns) = rows.next().and_then(|header| header_columns(reading, header)) else {
                return;
            };
            Some(columns)
        }
        Form::Pairs => None,
    };
    let mut told = vec![];
    for row in rows {
        if let Some(ends) = read_row(reading, row, columns.as_ref()) {
            told.push(ends);
        }
    }
    // Whether nodes are named depends on all ends of a table, but only the first line of a list, so that one wrong word
    // in a long list stays a single error.
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut ends = told.iter().flat_map(|row: &Row<'_>| row.ends);
    reading.is_named = match form {
        Form::Table => !ends.all(is_number),
        Form::Pairs => !ends.take(2).all(is_number),
    };
    let hosts = columns.as_ref().filter(|columns| columns.others[HOST].is_some()).map(|_| hosts(&told));
    if hosts.is_some() {
        (reading.is_named, reading.knows_hosts) = (true, true);
    }
    if !reading.is_named {
        reading.counts_from_1 = form == Form::Pairs && counts_from_1(&told);
        number_hosts(reading, &told);
    }
    for Row { ends, count, speed, part, .. } in told {
        let vertices = ends.map(|name| match &hosts {
            Some(hosts) if !hosts.contains(name) => reading.switch(name, name).map(|(switch, _)| switch),
            _ => vertex(reading, name),
        });
        if let [Some(from), Some(to)] = vertices {
            reading.link_at([from, to], count, speed, span(reading.text, part));
        }
    }
}

/// A row: two nodes, the number of links between them, and their speed.
struct Row<'t> {
    ends: [&'t str; 2],
    count: u64,
    speed: LinkSpeed,
    /// Whether the row calls each end a host.
    are_hosts: [bool; 2],
    part: &'t str,
}

/// The nodes that any row calls a host.
fn hosts<'t>(told: &[Row<'t>]) -> BTreeSet<&'t str> {
    let of_row = |row: &Row<'t>| row.ends.into_iter().zip(row.are_hosts).filter(|(_, is_host)| *is_host);
    told.iter().flat_map(of_row).map(|(name, _)| name).collect()
}

/// Which ends of a row are hosts, by the word in its column; reports an unknown word.
fn named_hosts<'t>(reading: &mut FabricReading<'t>, word: &'t str, ends: [&str; 2]) -> [bool; 2] {
    if ends.contains(&word) {
        return ends.map(|end| end == word);
    }
    match word.to_ascii_lowercase().as_str() {
        "" | "0" | "no" | "false" | "none" => [false; 2],
        "1" | "yes" | "true" | "from" => [true, false],
        "to" => [false, true],
        "both" => [true; 2],
        _ => {
            let expected = "the name of an end, from, to, both or nothing";
            reading.complain(word, || format!("host {}, expected {expected}", described(word)));
            [false; 2]
        }
    }
}

/// More nodes than twice the links plus this number cannot be connected: they are refused before they are allocated.
const SPARE_NODES: u64 = 1 << 16;

/// Adds a host for every number up to the greatest.
fn number_hosts(reading: &mut FabricReading<'_>, told: &[Row<'_>]) {
    let numbered = told.iter().flat_map(|row| row.ends).filter_map(|word| Some((word.parse().ok()?, word)));
    let greatest = numbered.filter(|&(node, _): &(u32, _)| node < MAX_NODES).max_by_key(|&(node, _)| node);
    let links = told.len();
    if let Some((node, word)) = greatest
        && u64::from(node) > 2 * links as u64 + SPARE_NODES
    {
        reading.complain(word, || {
            format!("node {node} in a list of {links} links, which leave most nodes apart")
        });
        return;
    }
    let count = greatest.map_or(0, |(node, _)| node) + u32::from(!reading.counts_from_1);
    for node in 0..count {
        reading.host(&node.to_string(), "");
    }
}

/// Whether the nodes of a list are exactly 1 to n, at least 3 of them.
fn counts_from_1(told: &[Row<'_>]) -> bool {
    let used: Option<BTreeSet<u32>> =
        told.iter().flat_map(|row| row.ends).map(|word| word.parse().ok()).collect();
    used.is_some_and(|used| used.len() > 2 && used.iter().copied().eq(1..=narrow(used.len() as u64)))
}

/// The node that a word names.
fn vertex(reading: &mut FabricReading<'_>, word: &str) -> Option<Vertex> {
    if reading.is_named {
        return reading.host(word, word).map(|(host, _)| host);
    }
    let node: Option<u32> = word.parse().ok().filter(|&node| node < MAX_NODES);
    if node.is_none() {
        let greatest = MAX_NODES - 1;
        reading
            .complain(word, || format!("node {}, expected an integer from 0 to {greatest}", described(word)));
    }
    node.map(|node| Vertex::Host(node.saturating_sub(u32::from(reading.counts_from_1))))
}

/// Finds the columns of a header; reports unknown ones.
fn header_columns(reading: &mut FabricReading<'_>, header: &str) -> Option<Columns> {
    let mut columns = Columns { by: separator(header), ..Columns::default() };
    let mut seen: Vec<String> = vec![];
    for (place, cell) in cells(header, columns.by).enumerate() {
        let name = cell.to_ascii_lowercase();
        match name.as_str() {
            name if ENDS.iter().any(|ends| ends[0] == name) => columns.from = place,
            name if ENDS.iter().any(|ends| ends[1] == name) => columns.to = place,
            _ => match COLUMNS.iter().position(|known| *known == name) {
                Some(known) => columns.others[known] = Some(place),
                None => reading.complain(cell, || {
                    format!("column {}, expected from, to and any of {}", described(cell), COLUMNS.join(", "))
                }),
            },
        }
        if seen.contains(&name) {
            reading.complain(cell, || format!("column {} a second time, expected it once", described(cell)));
        }
        seen.push(name);
        columns.count = place + 1;
    }
    let [_, bandwidth, latency, hop, latency_cycles, _] = columns.others;
    if (bandwidth.is_some() || latency.is_some()) && (hop.is_some() || latency_cycles.is_some()) {
        reading.complain(header, || {
            "links in seconds and in cycles, expected bandwidth and latency, or hop_cycles and latency_cycles".to_owned()
        });
    }
    reading.is_right().then_some(columns)
}

/// Reads the two ends of a link; reports errors.
fn read_pair<'t>(reading: &mut FabricReading<'t>, row: &'t str) -> Option<Row<'t>> {
    let separates = |character: char| character == ',' || character.is_whitespace();
    let words: Vec<&str> = row.split(separates).filter(|word| !word.is_empty()).collect();
    let &[from, to] = words.as_slice() else {
        reading.complain(row, || {
            let found = counted(words.len() as u64, "word");
            format!("{found}, expected 2: the nodes at the ends of a link")
        });
        return None;
    };
    Some(Row { ends: [from, to], count: 1, speed: LinkSpeed::default(), are_hosts: [false; 2], part: row })
}

/// Reads a row; reports errors.
fn read_row<'t>(reading: &mut FabricReading<'t>, row: &'t str, columns: Option<&Columns>) -> Option<Row<'t>> {
    let Some(columns) = columns else { return read_pair(reading, row) };
    let cells: Vec<&str> = cells(row, columns.by).collect();
    if cells.len() != columns.count || cells[columns.from].is_empty() || cells[columns.to].is_empty() {
        let (found, expected) = (cells.len(), columns.count);
        let found =
            if found == expected { "an empty cell".to_owned() } else { counted(found as u64, "cell") };
        reading.complain(row, || format!("{found}, expected {expected} with both ends of a link"));
        return None;
    }
    let ends = [cells[columns.from], cells[columns.to]];
    let are_hosts = columns.others[HOST].map(|place| named_hosts(reading, cells[place], ends));
    let [links, bandwidth, latency, hop, latency_cycles, _] =
        columns.others.map(|place| place.map(|place| cells[place]).filter(|cell| !cell.is_empty()));
    let mut number = |word: Option<&'t str>, name: &str, least: u64, greatest: u64| {
        let word = word?;
        let found = word.parse().ok().filter(|&number: &u64| (least..=greatest).contains(&number));
        if found.is_none() {
            reading.complain(word, || {
                format!("{name} {}, expected an integer from {least} to {greatest}", described(word))
            });
        }
        found
    };
    let count = number(links, "links", 1, MAX_NEIGHBOURS as u64);
    let speed_cycles =
        (number(hop, "hop_cycles", 1, MAX_CYCLES), number(latency_cycles, "latency_cycles", 0, MAX_CYCLES));
    let mut quantity = |word: Option<&'t str>, name: &str, measure: Measure| {
        let word = word?;
        let found =
            measure.parse(word).ok().filter(|&value| measure == Measure::Time || value != Ratio::ZERO);
        if found.is_none() {
            reading.complain(word, || format!("{name} {}, expected {}", described(word), measure.expected()));
        }
        found
    };
    let speed = LinkSpeed {
        bandwidth: quantity(bandwidth, "bandwidth", Measure::Bandwidth),
        latency: quantity(latency, "latency", Measure::Time),
        hop_cycles: speed_cycles.0,
        latency_cycles: speed_cycles.1,
        lanes: None,
    };
    let (count, are_hosts) = (count.unwrap_or(1), are_hosts.unwrap_or_default());
    Some(Row { ends, count, speed, are_hosts, part: row })
}
