//! Tables of plain numbers, and graphs of partitioners.

use std::collections::BTreeSet;

use crate::{
    format::{FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{Ratio, text::described},
    read::{by_names, ranks::MAX_RANKS},
    value::{Content, Kind, Matrix, Network},
};

pub(super) static DENSE: Format = Format {
    name: "matrix-dense",
    tool: "rows of numbers",
    holds: &[Kind::Matrix],
    is_like: |file| maybe(file, |rows| rows.len() > 1 && rows.iter().all(|(_, row)| row.len() == rows.len())),
    reader: Reader::Reads(|file| {
        let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
        for (source, (line, row)) in table(file).iter().enumerate() {
            for (destination, word) in row.iter().enumerate() {
                matrix.add(source, destination, amount(*line, word)?, None);
            }
        }
        Ok(Content::Matrix(matrix).into())
    }),
};

pub(super) static TRIPLES: Format = Format {
    name: "matrix-triples",
    tool: "rows of source, destination and amount",
    holds: &[Kind::Matrix],
    is_like: |file| maybe(file, |rows| rows.iter().all(|(_, row)| row.len() == 3)),
    reader: Reader::Reads(|file| {
        let rows = ends(file)?;
        let is_from_1 = counts_from_1(&rows);
        let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
        for (line, [from, to], word) in rows {
            let less = usize::from(is_from_1);
            if matrix.add(from - less, to - less, amount(line, word)?, None) {
                return wrong(line, format!("the pair {from}, {to} a second time, expected it once"));
            }
        }
        Ok(based(Content::Matrix(matrix), is_from_1))
    }),
};

pub(super) static WEIGHTED_EDGES: Format = Format {
    name: "weighted-edge-list",
    tool: "rows of two nodes and a weight",
    holds: &[Kind::Network],
    is_like: |file| maybe(file, |rows| rows.iter().all(|(_, row)| row.len() == 3)),
    reader: Reader::Reads(|file| {
        let rows = ends(file)?;
        rows.iter().try_for_each(|(line, _, weight)| amount(*line, weight).map(|_| ()))?;
        let mut reading = edges(rows.iter().map(|(line, ends, _)| (*line, *ends)), counts_from_1(&rows))?;
        reading.notes.push("weights are not used".to_owned());
        Ok(reading)
    }),
};

pub(super) static METIS: Format = Format {
    name: "metis-graph",
    tool: "METIS, KaHIP, genGraph: a line of neighbours for each vertex",
    holds: &[Kind::Network, Kind::Matrix],
    is_like: |file| match metis_header(file) {
        Some(_) if read_metis(file).is_ok() => Likeness::Sure,
        Some(_) => Likeness::Maybe,
        None => Likeness::No,
    },
    reader: Reader::Reads(read_metis),
};

pub(super) static SCOTCH: Format = Format {
    name: "scotch-graph",
    tool: "Scotch (*.grf)",
    holds: &[Kind::Matrix, Kind::Network],
    is_like: |file| {
        let heads: Vec<Vec<&str>> =
            file.rows().take(3).map(|own| own.1.split_whitespace().collect()).collect();
        let is_like = matches!(&heads[..], [one, two, three] if one[..] == ["0"] && two.len() == 2 && three.len() == 2
            && three[1].len() == 3 && three[1].bytes().all(|byte| b"01".contains(&byte)));
        is_like.into()
    },
    reader: Reader::Reads(read_scotch),
};

pub(super) static ADJACENCY: Format = Format {
    name: "adjacency-list",
    tool: "NetworkX, a node and its neighbours a line",
    holds: &[Kind::Network],
    is_like: |file| {
        let rows = table(file);
        let firsts: BTreeSet<&str> = rows.iter().map(|row| row.1[0]).collect();
        let known = rows.iter().all(|row| row.1.iter().all(|word| firsts.contains(word)));
        let are_alike = rows.windows(2).all(|pair| pair[0].1.len() == pair[1].1.len());
        if rows.len() > 1 && firsts.len() == rows.len() && known && !are_alike {
            Likeness::Maybe
        } else {
            Likeness::No
        }
    },
    reader: Reader::Reads(|file| {
        let rows = table(file);
        let mut network = Network::default();
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (_, row) in &rows {
            network.node(row[0], true);
        }
        for (_, row) in &rows {
            let own = network.node(row[0], true);
            for word in &row[1..] {
                pairs.insert((own, network.node(word, true)));
            }
        }
        let is_both_ways = pairs.iter().all(|&(one, other)| pairs.contains(&(other, one)));
        for &(one, other) in &pairs {
            if one == other {
                network.loops += 1;
            } else if !is_both_ways || one < other {
                network.cable(one, other);
            }
        }
        Ok(by_names(network))
    }),
};

type Rows<'t> = Vec<(usize, Vec<&'t str>)>;

/// The rows without remarks, divided by commas or blanks.
fn table<'t>(file: &'t FileText<'_>) -> Rows<'t> {
    let content = |(line, row): (usize, &'t str)| {
        let row = row.split('#').next().unwrap_or_default();
        (line, row.split([',', ' ', '\t', ';']).filter(|own| !own.is_empty()).collect::<Vec<_>>())
    };
    file.rows().map(content).filter(|own| !own.1.is_empty()).collect()
}

fn is_number(word: &&str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

fn maybe(file: &FileText<'_>, fits: fn(&Rows<'_>) -> bool) -> Likeness {
    let rows = table(file);
    let is_like = !rows.is_empty() && rows.iter().all(|row| row.1.iter().all(is_number)) && fits(&rows);
    if is_like { Likeness::Maybe } else { Likeness::No }
}

pub(super) fn amount(line: usize, word: &str) -> Result<Ratio, Vec<crate::format::Complaint>> {
    Ratio::parse_decimal(word).map_or_else(
        || wrong(line, format!("an entry is {}, expected a number of at least 0", described(word))),
        Ok,
    )
}

type Edge<'t> = (usize, [usize; 2], &'t str);

fn ends<'t>(file: &'t FileText<'_>) -> Result<Vec<Edge<'t>>, Vec<crate::format::Complaint>> {
    let mut edges = vec![];
    for (line, row) in table(file) {
        let end = |word: &str| word.parse::<usize>().ok().filter(|own| (*own as u64) < MAX_RANKS);
        let (Some(from), Some(to)) = (end(row[0]), row.get(1).and_then(|own| end(own))) else {
            return wrong(line, "an end is no number below 2^20, expected two integers");
        };
        edges.push((line, [from, to], row.get(2).copied().unwrap_or("1")));
    }
    Ok(edges)
}

/// Whether the numbers are exactly 1 to n.
fn counts_from_1(rows: &[Edge<'_>]) -> bool {
    let used: BTreeSet<usize> = rows.iter().flat_map(|row| row.1).collect();
    !used.is_empty() && used.iter().copied().eq(1..=used.len())
}

fn based(content: Content, is_from_1: bool) -> Reading {
    let mut reading = Reading::from(content);
    if is_from_1 {
        reading.assumed.push("base-1");
    }
    reading
}

fn edges(rows: impl Iterator<Item = (usize, [usize; 2])>, is_from_1: bool) -> Read {
    let rows: Vec<(usize, [usize; 2])> = rows.collect();
    let less = usize::from(is_from_1);
    let greatest = rows.iter().flat_map(|row| row.1).max().unwrap_or(0);
    if greatest > 2 * rows.len() + (1 << 16) {
        return wrong(
            0,
            format!("node {greatest} in a list of {} links, which leave most nodes apart", rows.len()),
        );
    }
    let mut network = Network::default();
    for node in 0..=greatest.saturating_sub(less) {
        network.node(&node.to_string(), true);
    }
    let pairs: BTreeSet<[usize; 2]> = rows.iter().map(|row| row.1).collect();
    let is_both_ways = pairs.iter().all(|&[one, other]| pairs.contains(&[other, one]));
    for (line, [one, other]) in rows {
        if one == other {
            return wrong(line, format!("a link of node {one} to itself, expected two nodes"));
        }
        if !is_both_ways || one < other {
            network.cable(one - less, other - less);
        }
    }
    let mut reading = by_names(network);
    if is_from_1 {
        reading.assumed.push("base-1");
    }
    Ok(reading)
}

/// Vertices, edges, whether vertices have sizes, weights and edges weights, and the number of weights.
struct MetisHeader {
    vertices: usize,
    edges: usize,
    before: usize, // sizes and weights of a vertex
    has_weights: bool,
}

fn metis_lines<'t>(file: &'t FileText<'_>) -> Vec<(usize, &'t str)> {
    let lines = file.lines().filter(|own| !own.1.trim_start().starts_with('%'));
    lines.skip_while(|own| own.1.trim().is_empty()).collect()
}

fn metis_header(file: &FileText<'_>) -> Option<MetisHeader> {
    let lines = metis_lines(file);
    let words: Vec<&str> = lines.first()?.1.split_whitespace().collect();
    if !(2..=4).contains(&words.len()) {
        return None;
    }
    let (vertices, edges) = (words[0].parse::<usize>().ok()?, words[1].parse::<usize>().ok()?);
    let form = words.get(2).copied().unwrap_or("0");
    if form.len() > 3 || !form.bytes().all(|byte| b"01".contains(&byte)) {
        return None;
    }
    let form = format!("{form:0>3}");
    let weights = words.get(3).map_or(Some(1), |own| own.parse::<usize>().ok().filter(|own| *own < 64))?;
    let before = usize::from(form.starts_with('1')) + if &form[1..2] == "1" { weights } else { 0 };
    let rest = lines.get(1..)?;
    let last = rest.iter().rposition(|own| !own.1.trim().is_empty()).map_or(0, |own| own + 1);
    let fits =
        vertices > 1 && vertices >= last && rest.len() >= vertices.min(last) && vertices as u64 <= MAX_RANKS;
    let exact = last == vertices || last < vertices && rest.len() + 1 >= vertices;
    (fits && exact).then_some(MetisHeader { vertices, edges, before, has_weights: form.ends_with('1') })
}

fn read_metis(file: &FileText<'_>) -> Read {
    let Some(header) = metis_header(file) else {
        return wrong(1, "no header of a graph: vertices and edges");
    };
    let mut matrix = Matrix { unit: "weight", size: header.vertices, ..Matrix::default() };
    let lines = metis_lines(file);
    let mut rows: Vec<(usize, Vec<(usize, Ratio)>)> = vec![];
    for vertex in 0..header.vertices {
        let (line, text) = lines.get(vertex + 1).copied().unwrap_or((0, ""));
        let mut words = text.split_whitespace().skip(header.before);
        let mut row = vec![];
        while let Some(word) = words.next() {
            let Some(neighbour) = word.parse::<usize>().ok().filter(|own| *own <= header.vertices) else {
                return wrong(
                    line,
                    format!(
                        "a neighbour is {}, expected a vertex up to {}",
                        described(word),
                        header.vertices
                    ),
                );
            };
            let weight = if header.has_weights {
                let Some(word) = words.next() else { return wrong(line, "a neighbour without its weight") };
                amount(line, word)?
            } else {
                Ratio::from(1)
            };
            row.push((neighbour, weight));
        }
        rows.push((line, row));
    }
    let is_from_0 = rows.iter().flat_map(|row| &row.1).any(|own| own.0 == 0);
    let less = usize::from(!is_from_0);
    let mut count = 0;
    for (vertex, (line, row)) in rows.iter().enumerate() {
        for &(neighbour, weight) in row {
            if neighbour - less >= header.vertices {
                return wrong(*line, format!("vertex {neighbour}, expected 0 to {}", header.vertices - 1));
            }
            count += 1;
            if matrix.add(vertex, neighbour - less, weight, None) {
                return wrong(*line, format!("neighbour {neighbour} a second time, expected it once"));
            }
        }
    }
    graph(&matrix, count, header.edges * 2, is_from_0, header.has_weights)
}

/// Checks that a graph has as many entries as announced in both directions, and makes a matrix or a network of it.
fn graph(matrix: &Matrix, count: usize, expected: usize, is_from_0: bool, is_matrix: bool) -> Read {
    if count != expected {
        return wrong(1, format!("{count} neighbours, expected {expected}: each edge from both ends"));
    }
    for (&(one, other), own) in &matrix.entries {
        if matrix.entries.get(&(other, one)) != Some(own) {
            return wrong(
                0,
                format!(
                    "the edge of vertices {one} and {other} differs from its other end, expected equal ones"
                ),
            );
        }
    }
    let mut reading = if is_matrix {
        Reading::from(Content::Matrix(matrix.clone()))
    } else {
        let mut network = Network::default();
        for node in 0..matrix.size {
            network.node(&node.to_string(), true);
        }
        for &(one, other) in matrix.entries.keys().filter(|pair| pair.0 < pair.1) {
            network.cable(one, other);
        }
        by_names(network)
    };
    if is_from_0 {
        reading.assumed.push("base-0");
    }
    Ok(reading)
}

fn read_scotch(file: &FileText<'_>) -> Read {
    let rows = table(file);
    let integer = |row: usize, column: usize| {
        rows.get(row).and_then(|own| own.1.get(column)).and_then(|own| own.parse::<usize>().ok())
    };
    let flags = rows.get(2).and_then(|own| own.1.get(1)).filter(|own| own.len() == 3);
    let (Some(vertices), Some(arcs), Some(base), Some(flags)) =
        (integer(1, 0), integer(1, 1), integer(2, 0), flags)
    else {
        return wrong(2, "no numbers of vertices and arcs");
    };
    let flags: Vec<bool> = flags.bytes().map(|byte| byte == b'1').collect();
    if rows.len() != vertices + 3 || vertices as u64 > MAX_RANKS || base > 1 {
        return wrong(2, format!("{} vertices, expected {vertices}, counted from 0 or 1", rows.len() - 3));
    }
    let mut matrix = Matrix { unit: "weight", size: vertices, ..Matrix::default() };
    let mut count = 0;
    for (vertex, (line, row)) in rows[3..].iter().enumerate() {
        let mut words = row.iter().skip(usize::from(flags[0]) + usize::from(flags[2]));
        let degree = words.next().and_then(|own| own.parse::<usize>().ok());
        let rest: Vec<&&str> = words.collect();
        let width = 1 + usize::from(flags[1]);
        if degree.is_none_or(|degree| degree.checked_mul(width) != Some(rest.len())) {
            return wrong(
                *line,
                format!("{} numbers after the degree, expected {width} for each neighbour", rest.len()),
            );
        }
        for pair in rest.chunks(width) {
            let neighbour = pair[width - 1].parse::<usize>().ok().and_then(|own| own.checked_sub(base));
            let Some(neighbour) = neighbour.filter(|neighbour| *neighbour < vertices) else {
                return wrong(
                    *line,
                    format!("a neighbour is {}, expected a vertex", described(pair[width - 1])),
                );
            };
            let weight = if flags[1] { amount(*line, pair[0])? } else { Ratio::from(1) };
            count += 1;
            if matrix.add(vertex, neighbour, weight, None) {
                return wrong(*line, "a neighbour a second time, expected it once");
            }
        }
    }
    graph(&matrix, count, arcs, false, flags[1])
}
