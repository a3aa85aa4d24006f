//! Graphviz graphs and `NetworkX` edge lists; attributes are ignored.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::text::described,
    read::{networks::HOLDS, reads},
    value::{Link, Network},
};

pub(super) static DOT: Format = reads(
    "graphviz-dot",
    "Graphviz (*.dot, *.gv)",
    HOLDS,
    |file| {
        let mut words = without_leading_remarks(&file.text).split_whitespace();
        let first = words
            .next()
            .map(|word| if is_keyword(word, "strict") { words.next().unwrap_or_default() } else { word });
        let is_graph = first.is_some_and(|first| {
            let word = first.split('{').next().unwrap_or_default();
            is_keyword(word, "graph") || is_keyword(word, "digraph")
        });
        (is_graph && file.text.contains('{')).into()
    },
    read_dot,
);

/// Whether a word is a keyword, which may be in capitals.
fn is_keyword(word: &str, keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword)
}

/// The text after its leading comments.
fn without_leading_remarks(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(remark) = rest.strip_prefix("/*") {
            remark.split_once("*/")
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest.split_once('\n')
        } else {
            return rest;
        };
        let Some((_, after)) = after else { return "" };
        rest = after.trim_start();
    }
}

/// The line and text of a Graphviz token; a quoted word keeps its opening quote.
type Token<'t> = (usize, Cow<'t, str>);

/// Splits a Graphviz graph into tokens.
fn dot_tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut line) = (vec![], 1);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut end = 1;
                let bytes = rest.as_bytes();
                while end < bytes.len() && bytes[end] != b'"' {
                    end += 1 + usize::from(bytes[end] == b'\\');
                }
                let end = end.min(bytes.len());
                let word = rest.get(..end).unwrap_or_default();
                let word = if word.contains('\\') { word.replace("\\\"", "\"").into() } else { word.into() };
                tokens.push((line, word));
                (end + 1).min(rest.len())
            }
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '-' if rest.starts_with("--") || rest.starts_with("->") => {
                tokens.push((line, rest[..2].into()));
                2
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ if "{}[];,=:".contains(first) => {
                tokens.push((line, rest[..1].into()));
                1
            }
            _ => {
                let is_end = |(at, sign): (usize, char)| {
                    sign.is_whitespace()
                        || "{}[];,=:\"".contains(sign)
                        || rest[at..].starts_with("--")
                        || rest[at..].starts_with("->")
                };
                let end = rest
                    .char_indices()
                    .skip(1)
                    .find(|indexed| is_end(*indexed))
                    .map_or(rest.len(), |(at, _)| at);
                tokens.push((line, rest[..end].into()));
                end
            }
        };
        let length = (length..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

struct Dot<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    network: Network,
    pairs: BTreeMap<[usize; 2], [u64; 2]>, // key: ends in ascending order; value: links forward and backward
    links: usize,
    depth: usize,
}

/// The maximum number of links that edges between node sets may expand to.
const MAX_LINKS: usize = 1 << 22;

impl Dot<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |token| &token.1)
    }

    /// Reads statements up to the closing brace; returns their nodes.
    fn statements(&mut self) -> Result<Vec<usize>, Vec<Complaint>> {
        let mut all = vec![];
        self.depth += 1;
        let line = self.tokens.get(self.at).map_or(0, |token| token.0);
        if self.depth > 64 {
            return wrong(line, "subgraphs 64 levels deep, expected fewer");
        }
        loop {
            match self.peek() {
                "" => return wrong(line, "a { without its }"),
                "}" => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(all);
                }
                ";" | "," => self.at += 1,
                "[" => self.skip_attributes(),
                _ => all.extend(self.chain()?),
            }
        }
    }

    fn skip_attributes(&mut self) {
        while !matches!(self.peek(), "]" | "") {
            self.at += 1;
        }
        self.at += 1;
    }

    /// Reads a chain of nodes and node sets joined by edges; returns its nodes.
    fn chain(&mut self) -> Result<Vec<usize>, Vec<Complaint>> {
        let mut all = vec![];
        let mut before = self.group()?;
        all.extend(&before);
        while matches!(self.peek(), "--" | "->") {
            let line = self.tokens[self.at].0;
            self.at += 1;
            let next = self.group()?;
            self.links = self.links.saturating_add(before.len().saturating_mul(next.len()));
            if self.links > MAX_LINKS {
                return wrong(line, format!("more than {MAX_LINKS} links, expected fewer"));
            }
            for &from in &before {
                for &to in &next {
                    if from == to {
                        self.network.loops += 1;
                        continue;
                    }
                    self.pairs.entry([from.min(to), from.max(to)]).or_default()[usize::from(from > to)] += 1;
                }
            }
            all.extend(&next);
            before = next;
        }
        Ok(all)
    }

    /// Reads a node, a set or a subgraph; default attributes yield no nodes.
    fn group(&mut self) -> Result<Vec<usize>, Vec<Complaint>> {
        let (line, word) = self.tokens.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        if is_keyword(&word, "subgraph") {
            if self.peek() != "{" {
                self.at += 1;
            }
            if self.peek() != "{" {
                return Ok(vec![]);
            }
            self.at += 1;
            return self.statements();
        }
        if word == "{" {
            return self.statements();
        }
        if ["node", "edge", "graph"].iter().any(|keyword| is_keyword(&word, keyword)) && self.peek() == "[" {
            return Ok(vec![]);
        }
        if self.peek() == "=" {
            self.at += 2;
            return Ok(vec![]);
        }
        if word.is_empty() || matches!(&*word, "--" | "->" | "]" | "=" | ":" | "[") {
            return wrong(line, format!("{} in the place of a node", described(&word)));
        }
        while self.peek() == ":" {
            self.at += 2;
        }
        Ok(vec![self.network.node(word.strip_prefix('"').unwrap_or(&word), true)])
    }
}

fn read_dot(file: &FileText<'_>) -> Read {
    let tokens = dot_tokens(&file.text);
    let open = tokens.iter().position(|token| token.1 == "{").map_or(tokens.len(), |at| at + 1);
    let is_directed = tokens.iter().take(open).any(|token| is_keyword(&token.1, "digraph"));
    let is_strict = tokens.first().is_some_and(|token| is_keyword(&token.1, "strict"));
    let mut dot = Dot {
        tokens: &tokens,
        at: open,
        network: Network::default(),
        pairs: BTreeMap::new(),
        links: 0,
        depth: 0,
    };
    dot.statements()?;
    let mut network = dot.network;
    if is_strict || is_directed {
        network.links.extend(dot.pairs.into_iter().map(|(ends, [along, back])| Link {
            ends,
            // Both arrows of a pair are one link.
            count: if is_strict { 1 } else { along.max(back) },
            listed: is_directed.then_some([along > 0, back > 0]),
            ..Link::default()
        }));
    } else {
        network.add_counted(dot.pairs.into_iter().collect());
        network.links.iter_mut().for_each(|link| link.listed = None);
    }
    Ok(without_attributes(network))
}

/// A network identified by its node names, with a note that attributes are ignored.
fn without_attributes(network: Network) -> Reading {
    let mut reading = super::by_names(network);
    reading.notes.push("attributes are not used".to_owned());
    reading
}

pub(super) static NETWORKX: Format = reads(
    "networkx-edge-list",
    "NetworkX, write_edgelist",
    HOLDS,
    |file| {
        let mut rows = file.rows().filter(|(_, row)| !row.starts_with('#')).peekable();
        (rows.peek().is_some() && rows.all(|row| nx_row(row.1).is_some())).into()
    },
    |file| {
        let (mut network, mut pairs) = (Network::default(), vec![]);
        for (line, text) in file.rows().filter(|(_, text)| !text.starts_with('#')) {
            let Some(ends) = nx_row(text) else { return wrong(line, "no two nodes and attributes") };
            pairs.push(ends.map(|name| network.node(name, true)));
        }
        network.add_listed(pairs);
        Ok(without_attributes(network))
    },
);

fn nx_row(line: &str) -> Option<[&str; 2]> {
    let (ends, rest) = line.split_once('{')?;
    let words: Vec<&str> = ends.split_whitespace().collect();
    let attributes = rest.trim_end().strip_suffix('}')?.trim();
    (attributes.is_empty() || attributes.starts_with(['\'', '"']) && attributes.contains(':'))
        .then_some(())?;
    <[&str; 2]>::try_from(words).ok()
}
