//! Graphs of partitioners and generators: one line of neighbours per vertex.

use std::collections::BTreeSet;

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{
        Ratio,
        text::{counted, described},
    },
    read::{
        by_names,
        numbers::{amount, is_number, rows, words},
        ranks::MAX_RANKS,
    },
    value::{Content, Kind, Matrix, Network},
};

pub(super) static METIS: Format = Format {
    name: "metis-graph",
    tool: "METIS, KaHIP, genGraph: a line of neighbours for each vertex",
    holds: &[Kind::Network, Kind::Matrix],
    is_like: |file| {
        let has_numbers =
            || metis_lines(&file.text).all(|(_, line)| line.split_whitespace().all(|word| is_number(&word)));
        match metis_header(file.whole()) {
            _ if file.text.starts_with("%%MatrixMarket") => Likeness::No,
            Some(_) if file.is_sample() && has_numbers() => Likeness::Sure,
            Some(header)
                if !file.is_sample()
                    && metis_graph(file, &header).is_ok_and(|mut graph| graph.is_whole()) =>
            {
                Likeness::Sure
            }
            Some(_) => Likeness::Maybe,
            None => Likeness::No,
        }
    },
    reader: Reader::Reads(read_metis),
};

pub(super) static SCOTCH: Format = Format {
    name: "scotch-graph",
    tool: "Scotch (*.grf)",
    holds: &[Kind::Matrix, Kind::Network],
    is_like: |file| {
        let heads: Vec<Vec<&str>> =
            file.rows().take(3).map(|(_, row)| row.split_whitespace().collect()).collect();
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
        let rows: Vec<Vec<&str>> = rows(file).map(|(_, row)| nodes_of(row).collect()).collect();
        let firsts: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
        let all = || rows.iter().flatten();
        // A sample lacks the lines of most neighbours.
        let are_known = if file.is_sample() {
            all().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
                || all().filter(|word| firsts.contains(*word)).count() * 2 >= all().count()
        } else {
            all().all(|word| firsts.contains(word))
        };
        let has_colons = self::rows(file)
            .all(|(_, row)| words(row).next().is_some_and(|word| word.len() > 1 && word.ends_with(':')));
        let lists_itself = |row: &Vec<&str>| row[1..].contains(&row[0]);
        let are_alike = rows.windows(2).all(|pair| pair[0].len() == pair[1].len());
        if rows.len() < 2 || firsts.len() < rows.len() || !are_known {
            Likeness::No
        } else if has_colons && !rows.iter().any(lists_itself) {
            Likeness::Sure
        } else if is_regular(&rows) {
            // As many numbers as rows may be a matrix.
            if rows.len() == rows[0].len() { Likeness::Maybe } else { Likeness::Sure }
        } else if are_alike {
            Likeness::No
        } else {
            Likeness::Maybe
        }
    },
    reader: Reader::Reads(read_adjacency),
};

/// The nodes of a row of an adjacency list, in which a colon may follow the first.
fn nodes_of(row: &str) -> impl Iterator<Item = &str> {
    words(row)
        .zip(0..)
        .map(|(word, place)| if place == 0 { word.strip_suffix(':').unwrap_or(word) } else { word })
}

/// Whether all nodes have as many neighbours, two or more different ones, and every link is listed from both ends.
fn is_regular(rows: &[Vec<&str>]) -> bool {
    let width = rows[0].len();
    let links: BTreeSet<[&str; 2]> =
        rows.iter().flat_map(|row| row[1..].iter().map(|neighbour| [row[0], neighbour])).collect();
    let is_back = |[node, neighbour]: &[&str; 2]| node != neighbour && links.contains(&[*neighbour, *node]);
    width > 2
        && rows.iter().all(|row| row.len() == width)
        && links.len() == rows.len() * (width - 1)
        && links.iter().all(is_back)
}

fn read_adjacency(file: &FileText<'_>) -> Read {
    let mut network = Network::default();
    for (line, row) in rows(file) {
        let name = nodes_of(row).next().unwrap_or_default();
        let known = network.nodes.len();
        if network.node(name, true) != known {
            return wrong(line, format!("node {} a second time, expected a line for each", described(name)));
        }
    }
    let mut pairs: Vec<[usize; 2]> = vec![];
    for (line, row) in rows(file) {
        let mut nodes = nodes_of(row).map(|word| network.place(word).ok_or(word));
        let Some(Ok(node)) = nodes.next() else { continue };
        for neighbour in nodes {
            match neighbour {
                Ok(neighbour) => pairs.push([node, neighbour]),
                Err(word) => {
                    return wrong(line, format!("neighbour {}, expected a line of its own", described(word)));
                }
            }
        }
    }
    network.add_listed(pairs);
    let twice = network.links.iter().filter(|link| link.listed == Some([true; 2])).count();
    let is_mixed = twice > 0 && twice < network.links.len();
    let mut reading = by_names(network);
    if is_mixed {
        reading.notes.push(format!(
            "{} listed from both ends, which other links are not: each counts as two",
            counted(twice as u64, "pair")
        ));
    }
    Ok(reading)
}

struct MetisHeader {
    vertices: usize,
    edges: usize,
    before: usize, // numbers before the neighbours: size and weights of the vertex
    has_weights: bool,
}

/// The header and the lines after it, without comments.
fn metis_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('%'));
    lines.skip_while(|(_, line)| line.trim().is_empty())
}

fn metis_header(text: &str) -> Option<MetisHeader> {
    let mut lines = metis_lines(text);
    let words: Vec<&str> = lines.next()?.1.split_whitespace().take(5).collect();
    if !(2..=4).contains(&words.len()) {
        return None;
    }
    let (vertices, edges) = (words[0].parse::<usize>().ok()?, words[1].parse::<usize>().ok()?);
    let form = words.get(2).copied().unwrap_or("0");
    if form.len() > 3 || !form.bytes().all(|byte| b"01".contains(&byte)) {
        return None;
    }
    let form = format!("{form:0>3}");
    let weights =
        words.get(3).map_or(Some(1), |word| word.parse::<usize>().ok().filter(|count| *count < 64))?;
    let before = usize::from(form.starts_with('1')) + if &form[1..2] == "1" { weights } else { 0 };
    let (mut count, mut last) = (0, 0); // lines, and the number of the last non-empty one
    for (_, line) in lines {
        count += 1;
        if !line.trim().is_empty() {
            last = count;
        }
    }
    let fits =
        vertices > 1 && vertices >= last && count >= vertices.min(last) && vertices as u64 <= MAX_RANKS;
    let exact = last == vertices || last < vertices && count + 1 >= vertices;
    (fits && exact).then_some(MetisHeader { vertices, edges, before, has_weights: form.ends_with('1') })
}

/// A graph, with the number of its entries and that in its header.
struct ListedGraph {
    matrix: Matrix,
    count: usize,
    expected: usize,
    is_from_0: bool,
    has_weights: bool,
}

fn read_metis(file: &FileText<'_>) -> Read {
    let Some(header) = metis_header(&file.text) else {
        return wrong(1, "no header of a graph: vertices and edges");
    };
    let mut graph = metis_graph(file, &header)?;
    if graph.is_doubled() {
        let ends = graph.count;
        return wrong(
            1,
            format!("{ends} edges, which are counted from both ends, expected {}: each edge once", ends / 2),
        );
    }
    graph.checked()
}

fn metis_graph(file: &FileText<'_>, header: &MetisHeader) -> Result<ListedGraph, Vec<Complaint>> {
    let vertices = header.vertices;
    let rows = || metis_lines(&file.text).skip(1).take(vertices);
    let width = if header.has_weights { 2 } else { 1 };
    let mut neighbours =
        rows().flat_map(|(_, line)| line.split_whitespace().skip(header.before).step_by(width));
    let is_from_0 = neighbours.any(|word| word.parse() == Ok(0));
    let mut matrix = Matrix::new("weight", vertices);
    let mut count = 0;
    for (vertex, (line, text)) in rows().enumerate() {
        let mut words = text.split_whitespace().skip(header.before);
        while let Some(word) = words.next() {
            let number = word.parse::<usize>().ok().filter(|number| *number <= vertices);
            let Some(number) = number else {
                let found = described(word);
                return wrong(line, format!("a neighbour is {found}, expected a vertex up to {vertices}"));
            };
            let neighbour = number - usize::from(!is_from_0);
            if neighbour >= vertices {
                return wrong(line, format!("vertex {number}, expected 0 to {}", vertices - 1));
            }
            let weight = if header.has_weights {
                let Some(word) = words.next() else { return wrong(line, "a neighbour without its weight") };
                amount(line, word)?
            } else {
                Ratio::from(1)
            };
            count += 1;
            if matrix.add(vertex, neighbour, weight, None) {
                return wrong(line, format!("neighbour {neighbour} a second time, expected it once"));
            }
        }
    }
    let expected = header.edges.saturating_mul(2);
    Ok(ListedGraph { matrix, count, expected, is_from_0, has_weights: header.has_weights })
}

impl ListedGraph {
    /// Whether every edge is listed from both ends, and the header counts edges or, by mistake, their ends.
    fn is_whole(&mut self) -> bool {
        (self.count == self.expected || self.is_doubled()) && self.matrix.first_asymmetry().is_none()
    }

    /// Whether the header counts every edge from both ends, a common mistake.
    fn is_doubled(&mut self) -> bool {
        self.count > 0 && self.expected == 2 * self.count && self.matrix.first_asymmetry().is_none()
    }

    /// The graph as a matrix or a network, if it is symmetric and has the announced size.
    fn checked(mut self) -> Read {
        let Self { count, expected, .. } = self;
        if count != expected {
            return wrong(1, format!("{count} neighbours, expected {expected}: each edge from both ends"));
        }
        if let Some([one, other]) = self.matrix.first_asymmetry() {
            let message = "differs from its other end, expected equal ones";
            return wrong(0, format!("the edge of vertices {one} and {other} {message}"));
        }
        let matrix = self.matrix;
        let mut reading = if self.has_weights {
            Reading::from(Content::Matrix(matrix))
        } else {
            let mut network = Network::default();
            for node in 0..matrix.size {
                network.node(&node.to_string(), true);
            }
            for entry in matrix.entries().filter(|entry| entry.source < entry.destination) {
                network.cable(entry.source, entry.destination);
            }
            by_names(network)
        };
        if self.is_from_0 {
            reading.assumed.push("base-0");
        }
        Ok(reading)
    }
}

/// The numbers of vertices and arcs, the number of the first vertex, and whether there are labels, edge
/// weights and vertex weights.
fn scotch_header(file: &FileText<'_>) -> Option<(usize, usize, usize, [bool; 3])> {
    let heads: Vec<Vec<&str>> = rows(file).take(3).map(|(_, row)| words(row).take(3).collect()).collect();
    let integer = |row: usize, column: usize| heads.get(row)?.get(column)?.parse::<usize>().ok();
    let flags = heads.get(2)?.get(1)?.as_bytes();
    let &[labels, edge_weights, vertex_weights] = flags else { return None };
    Some((
        integer(1, 0)?,
        integer(1, 1)?,
        integer(2, 0)?,
        [labels, edge_weights, vertex_weights].map(|flag| flag == b'1'),
    ))
}

fn read_scotch(file: &FileText<'_>) -> Read {
    let Some((vertices, arcs, base, [labels, edge_weights, vertex_weights])) = scotch_header(file) else {
        return wrong(2, "no numbers of vertices and arcs");
    };
    let found = rows(file).skip(3).count();
    if found != vertices || vertices as u64 > MAX_RANKS || base > 1 {
        return wrong(2, format!("{found} vertices, expected {vertices}, counted from 0 or 1"));
    }
    let mut matrix = Matrix::new("weight", vertices);
    let mut count = 0;
    for (vertex, (line, row)) in rows(file).skip(3).enumerate() {
        let mut numbers = words(row).skip(usize::from(labels) + usize::from(vertex_weights));
        let degree = numbers.next().and_then(|word| word.parse::<usize>().ok());
        let rest: Vec<&str> = numbers.collect();
        let width = 1 + usize::from(edge_weights);
        if degree.is_none_or(|degree| degree.checked_mul(width) != Some(rest.len())) {
            let found = rest.len();
            return wrong(
                line,
                format!("{found} numbers after the degree, expected {width} for each neighbour"),
            );
        }
        for pair in rest.chunks(width) {
            let neighbour = pair[width - 1].parse::<usize>().ok().and_then(|number| number.checked_sub(base));
            let Some(neighbour) = neighbour.filter(|neighbour| *neighbour < vertices) else {
                let found = described(pair[width - 1]);
                return wrong(line, format!("a neighbour is {found}, expected a vertex"));
            };
            let weight = if edge_weights { amount(line, pair[0])? } else { Ratio::from(1) };
            count += 1;
            if matrix.add(vertex, neighbour, weight, None) {
                return wrong(line, "a neighbour a second time, expected it once");
            }
        }
    }
    ListedGraph { matrix, count, expected: arcs, is_from_0: false, has_weights: edge_weights }.checked()
}
