//! Reads the lines of a GOAL file in order.

use std::ops::Range;

use cubefold_mapping::ProcessId;
use cubefold_simulator::{
    MAX_OPERATIONS, MAX_PROCESSOR, MAX_REQUIREMENTS, Operation, OperationKind, Requirement,
    TaskScheduleBuilder,
};

use super::{
    super::stages_file::MAX_PROCESSES,
    MAX_SHOWN,
    labels::Labels,
    line_cursor::{Cursor, LineError},
    plain_lines::{LinesRead, PlainLines},
};

/// Largest time or size: sums of two fit 64 bits.
const MAX_AMOUNT: u64 = (1 << 63) - 1;

/// Location of an operation.
#[derive(Debug, Clone)]
pub(super) struct Location {
    pub(super) rank: u32,
    pub(super) line_number: usize, // counted from 0
    pub(super) line: String,
    pub(super) span: Range<usize>,
}

/// The smallest number of ranks: a single one sends no messages.
const LEAST_RANKS: u64 = 2;

/// A GOAL file while it is read.
#[derive(Debug, Default)]
pub(super) struct GoalReader {
    builder: Option<TaskScheduleBuilder>, // from `num_ranks` on
    ranks: u32,
    seen: Vec<bool>,    // by rank, whether its operations have been read
    rank: Option<Rank>, // the rank whose operations are being read
    labels: Labels,
    later: Vec<Later>, // requirements with an undefined label
    line: usize,
    comment: Option<Comment>, // that has not ended yet
    further: Vec<LineError>,  // errors of the line besides the first
    wanted: Vec<u32>,         // operations whose locations are wanted, in descending order
    locations: Vec<(u32, Location)>,
}

/// The rank whose operations are being read.
#[derive(Debug, Clone, Copy)]
struct Rank {
    label: ProcessId,
    is_open: bool, // whether its brace has been read
    line: usize,
}

/// The start of a comment.
#[derive(Debug)]
struct Comment {
    line: usize,
    text: Vec<u8>,
    span: Range<usize>,
}

/// A requirement between labels, at least one of which is undefined so far.
#[derive(Debug)]
struct Later {
    labels: [Vec<u8>; 2], // the operation, and its requirement
    requirement: Requirement,
    line: usize,
    text: Vec<u8>,
    spans: [Range<usize>; 2],
}

impl GoalReader {
    /// Number of requirements that wait for a label to be defined.
    pub(super) fn pending(&self) -> usize {
        self.later.len()
    }

    /// Number of ranks; 0 before it is read.
    pub(super) fn rank_count(&self) -> u32 {
        self.ranks
    }

    /// A reader that keeps the locations of these operations.
    pub(super) fn locating(operations: &[u32]) -> Self {
        let mut wanted = operations.to_vec();
        wanted.sort_unstable_by(|one, other| other.cmp(one));
        wanted.dedup();
        Self { wanted, ..Self::default() }
    }

    /// Locations of the operations in the requested order; fewer if some have none.
    pub(super) fn located(self, operations: &[u32]) -> Vec<Location> {
        let find = |operation: &u32| self.locations.iter().find(|location| location.0 == *operation);
        operations.iter().filter_map(find).map(|location| location.1.clone()).collect()
    }

    /// The schedule of all lines; `None` if the file has no `num_ranks`.
    ///
    /// # Errors
    ///
    /// If a comment or the operations of a rank have no end, with the number of their first line.
    pub(super) fn finish(self) -> Result<Option<TaskScheduleBuilder>, (usize, LineError)> {
        if let Some(Comment { line, text, span }) = self.comment {
            let message = "the comment has no end, expected \"*/\"".to_owned();
            return Err((line, LineError { span, message, line: Some((line, text)) }));
        }
        match self.rank {
            None => Ok(self.builder),
            Some(rank) => {
                let message = format!("the operations of rank {} have no end, expected \"}}\"", rank.label);
                Err((rank.line, LineError::new(0..0, message)))
            }
        }
    }

    /// Reads the plain and correct lines, if any, at the start of `bytes`, on the fast path.
    pub(super) fn read_plain_lines(&mut self, bytes: &[u8]) -> LinesRead {
        let rank = self.rank.filter(|rank| rank.is_open && self.comment.is_none() && self.wanted.is_empty());
        let (Some(rank), Some(builder)) = (rank, &mut self.builder) else { return LinesRead::default() };
        let (ranks, labels) = (self.ranks, &mut self.labels);
        let read = PlainLines { rank: rank.label, ranks, labels, builder }.read(bytes);
        self.line += read.lines;
        read
    }

    /// Takes the errors of the lines read so far, except the first of each line.
    pub(super) fn further_errors(&mut self) -> Vec<LineError> {
        std::mem::take(&mut self.further)
    }

    /// Reads the next line.
    ///
    /// # Errors
    ///
    /// The first error of the line; the rest of the line is ignored. The end of a rank may have
    /// [further errors](Self::further_errors).
    pub(super) fn read_line(&mut self, line: &[u8]) -> Result<(), LineError> {
        let mut cursor = Cursor { line, at: 0 };
        let result = self.read_statements(&mut cursor);
        self.line += 1;
        result
    }

    fn read_statements(&mut self, cursor: &mut Cursor<'_>) -> Result<(), LineError> {
        loop {
            if self.comment.is_some() {
                match memchr::memmem::find(&cursor.line[cursor.at..], b"*/") {
                    None => return Ok(()),
                    Some(end) => {
                        cursor.at += end + 2;
                        self.comment = None;
                    }
                }
            }
            match cursor.peek() {
                None => return Ok(()),
                Some(b'/') => match cursor.line.get(cursor.at + 1) {
                    Some(b'/') => return Ok(()),
                    Some(b'*') => {
                        let span = cursor.at..cursor.at + 2;
                        cursor.at += 2;
                        let text = cursor.line[..cursor.line.len().min(MAX_SHOWN)].to_vec();
                        self.comment = Some(Comment { line: self.line, text, span });
                    }
                    _ => return Err(cursor.unexpected("an operation or a comment")),
                },
                Some(b'{') if self.rank.is_some_and(|rank| !rank.is_open) => {
                    cursor.at += 1;
                    if let Some(rank) = &mut self.rank {
                        rank.is_open = true;
                    }
                }
                Some(b'}') if self.rank.is_some_and(|rank| rank.is_open) => {
                    self.end_rank()?;
                    cursor.at += 1;
                }
                Some(_) => match self.rank {
                    None => self.read_head(cursor)?,
                    Some(rank) if rank.is_open => {
                        self.read_operation(rank.label, cursor)?;
                        match cursor.peek() {
                            None | Some(b'}' | b'/') => {}
                            Some(_) => return Err(cursor.unexpected("the end of the line")),
                        }
                    }
                    Some(_) => return Err(cursor.unexpected("\"{\"")),
                },
            }
        }
    }

    /// `num_ranks N`, or `rank N` up to its brace.
    fn read_head(&mut self, cursor: &mut Cursor<'_>) -> Result<(), LineError> {
        let start = cursor.at;
        match cursor.word() {
            b"num_ranks" if self.builder.is_none() => {
                let before = *cursor;
                let ranks = cursor.number("a number of ranks", MAX_PROCESSES)?;
                if ranks < LEAST_RANKS {
                    *cursor = before;
                    return Err(cursor.unexpected(&format!("from {LEAST_RANKS} to {MAX_PROCESSES} ranks")));
                }
                self.ranks = u32::try_from(ranks).unwrap_or(u32::MAX);
                self.seen = vec![false; self.ranks as usize];
                self.builder = Some(TaskScheduleBuilder::new(self.ranks));
                Ok(())
            }
            b"rank" if self.builder.is_some() => {
                let before = *cursor;
                let rank = self.rank_number(cursor)?;
                if std::mem::replace(&mut self.seen[rank as usize], true) {
                    *cursor = before;
                    return Err(cursor.unexpected("a rank that has had no operations yet"));
                }
                self.rank = Some(Rank { label: ProcessId::new(rank), is_open: false, line: self.line });
                self.labels.clear();
                Ok(())
            }
            _ => {
                cursor.at = start;
                let expected = if self.builder.is_some() { "\"rank N {\"" } else { "\"num_ranks N\"" };
                Err(cursor.unexpected(expected))
            }
        }
    }

    /// Reads a rank below the number of ranks.
    #[inline]
    fn rank_number(&self, cursor: &mut Cursor<'_>) -> Result<u32, LineError> {
        cursor.number("a rank", u64::from(self.ranks) - 1).map(|rank| u32::try_from(rank).unwrap_or(u32::MAX))
    }

    /// Reads an operation with or without a label, or a requirement.
    #[inline]
    fn read_operation(&mut self, rank: ProcessId, cursor: &mut Cursor<'_>) -> Result<(), LineError> {
        let start = cursor.at;
        let word = cursor.word();
        let kind = kind(word).filter(|_| cursor.peek() != Some(b':'));
        if let Some(kind) = kind {
            return self.add(rank, kind, start, None, cursor);
        }
        if !word.first().is_some_and(u8::is_ascii_alphabetic) {
            cursor.at = start;
            return Err(cursor.unexpected("an operation, a label or \"}\""));
        }
        let label = start..cursor.at.min(start + word.len());
        if cursor.peek() == Some(b':') {
            cursor.at += 1;
            let before = *cursor;
            let Some(kind) = self::kind(cursor.word()) else {
                *cursor = before;
                return Err(cursor.unexpected("\"calc\", \"send\" or \"recv\""));
            };
            return self.add(rank, kind, start, Some(label), cursor);
        }
        let before = *cursor;
        let requirement = match cursor.word() {
            b"requires" => Requirement::Over,
            b"irequires" => Requirement::Begun,
            _ => {
                *cursor = before;
                return Err(cursor.unexpected("\":\", \"requires\" or \"irequires\""));
            }
        };
        cursor.skip_blanks();
        let other = cursor.at;
        let required = cursor.word();
        if !required.first().is_some_and(u8::is_ascii_alphabetic) {
            cursor.at = other;
            return Err(cursor.unexpected("a label"));
        }
        if self.builder.as_ref().is_some_and(|builder| builder.requirement_count() >= MAX_REQUIREMENTS) {
            let message = format!("more than {MAX_REQUIREMENTS} requirements");
            return Err(LineError::new(start..cursor.at, message));
        }
        self.require([word, required], requirement, [label, other..cursor.at], cursor.line);
        Ok(())
    }

    #[inline]
    fn require(
        &mut self,
        labels: [&[u8]; 2],
        requirement: Requirement,
        spans: [Range<usize>; 2],
        line: &[u8],
    ) {
        let Some(builder) = &mut self.builder else { return };
        // Not `labels.map(..)`: it is not inlined, and most lines of a file are requirements.
        let [operation, required] = labels;
        if let (Some(operation), Some(required)) = (self.labels.get(operation), self.labels.get(required)) {
            builder.require(operation, required, requirement);
        } else {
            self.later.push(Later {
                labels: labels.map(<[u8]>::to_vec),
                requirement,
                line: self.line,
                text: line.to_vec(),
                spans,
            });
        }
    }

    /// Reads the rest of an operation, after its kind.
    #[inline]
    fn add(
        &mut self,
        process: ProcessId,
        kind: OperationKind,
        start: usize,
        label: Option<Range<usize>>,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), LineError> {
        let amount = match kind {
            OperationKind::Calc => cursor.number("a time", MAX_AMOUNT)?,
            OperationKind::Send | OperationKind::Receive => cursor.number("a size", MAX_AMOUNT)?,
        };
        let mut operation =
            Operation { amount, process, peer: process, tag: 0, processor: 0, kind, is_awaited: true };
        if kind != OperationKind::Calc {
            self.read_peer(&mut operation, cursor)?;
        }
        loop {
            match cursor.peek() {
                None | Some(b'}' | b'/') => break,
                Some(_) => read_option(&mut operation, cursor)?,
            }
        }
        let Some(builder) = &mut self.builder else { return Ok(()) };
        if builder.len() == MAX_OPERATIONS {
            let message = format!("more than {MAX_OPERATIONS} operations");
            return Err(LineError::new(start..cursor.at, message));
        }
        let number = builder.add(operation);
        if self.wanted.last() == Some(&number) {
            self.wanted.pop();
            let line = String::from_utf8_lossy(cursor.line).into_owned();
            let end = line.trim_end().len().min(cursor.at);
            let location =
                Location { rank: process.label(), line_number: self.line, line, span: start..end.max(start) };
            self.locations.push((number, location));
        }
        if let Some(span) = label
            && !self.labels.insert(&cursor.line[span.clone()], number)
        {
            let text = String::from_utf8_lossy(&cursor.line[span.clone()]);
            let message = format!("a second operation {text} of rank {process}, expected one");
            return Err(LineError::new(span, message));
        }
        Ok(())
    }

    /// `b to R` or `b from R`.
    #[inline]
    fn read_peer(&self, operation: &mut Operation, cursor: &mut Cursor<'_>) -> Result<(), LineError> {
        let word = if operation.kind == OperationKind::Send { "to" } else { "from" };
        let before = *cursor;
        let mut unit = cursor.word();
        if unit == b"b" {
            unit = cursor.word();
        } else {
            *cursor = before;
            return Err(cursor.unexpected("\"b\" after the size"));
        }
        if unit != word.as_bytes() {
            cursor.at -= unit.len();
            return Err(cursor.unexpected(&format!("\"{word}\" and a rank")));
        }
        if cursor.peek() == Some(b'-') {
            return Err(cursor.unexpected("a rank: messages of any rank are not supported"));
        }
        operation.peer = ProcessId::new(self.rank_number(cursor)?);
        Ok(())
    }

    /// Completes the operations of a rank.
    fn end_rank(&mut self) -> Result<(), LineError> {
        self.rank = None;
        let mut unknown = vec![];
        for later in std::mem::take(&mut self.later) {
            let numbers = [0, 1].map(|at: usize| self.labels.get(&later.labels[at]).ok_or(at));
            match (numbers, &mut self.builder) {
                // Memory ends before that many requirements wait for labels.
                ([Ok(operation), Ok(required)], Some(builder))
                    if builder.requirement_count() < MAX_REQUIREMENTS =>
                {
                    builder.require(operation, required, later.requirement);
                }
                ([Err(at), _] | [_, Err(at)], _) => {
                    unknown.push((at, later));
                }
                _ => {}
            }
        }
        let error = |(at, later): (usize, Later)| {
            let label = String::from_utf8_lossy(&later.labels[at]).into_owned();
            let message = format!("{label} names no operation of this rank, expected one of its labels");
            let Later { line, text, spans, .. } = later;
            let [span, other] = spans;
            let span = if at == 0 { span } else { other };
            LineError { span, message, line: Some((line, text)) }
        };
        let mut unknown = unknown.into_iter().map(error);
        let first = unknown.next();
        self.further.extend(unknown);
        first.map_or(Ok(()), Err)
    }
}

/// The kind of operation that a word names.
#[inline]
fn kind(word: &[u8]) -> Option<OperationKind> {
    match word {
        b"calc" => Some(OperationKind::Calc),
        b"send" => Some(OperationKind::Send),
        b"recv" => Some(OperationKind::Receive),
        _ => None,
    }
}

/// Reads `tag T`, `cpu C` or `nic N`.
#[inline]
fn read_option(operation: &mut Operation, cursor: &mut Cursor<'_>) -> Result<(), LineError> {
    let before = *cursor;
    let is_message = operation.kind != OperationKind::Calc;
    match cursor.word() {
        b"tag" if is_message => {
            if cursor.peek() == Some(b'-') {
                return Err(cursor.unexpected("a tag: messages of any tag are not supported"));
            }
            let tag = cursor.number("a tag", u32::MAX.into())?;
            operation.tag = u32::try_from(tag).unwrap_or(u32::MAX);
        }
        b"cpu" => {
            let processor = cursor.number("a processor", MAX_PROCESSOR.into())?;
            operation.processor = u16::try_from(processor).unwrap_or(MAX_PROCESSOR);
        }
        // Network interfaces are ignored: the network of the machine replaces them.
        b"nic" => {
            cursor.number("a network interface", u64::MAX)?;
        }
        _ => {
            *cursor = before;
            let options = if is_message { "\"tag\", \"cpu\", \"nic\"" } else { "\"cpu\"" };
            return Err(cursor.unexpected(&format!("{options} or the end of the line")));
        }
    }
    Ok(())
}
