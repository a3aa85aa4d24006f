//! A text composed of pieces of a file, with the places of its parts in the file.

use std::{borrow::Cow, ops::Range};

use crate::input::text::span;

/// Concatenated pieces of a file.
#[derive(Debug)]
pub(crate) struct MappedText<'t> {
    source: &'t str,
    pub(crate) text: Cow<'t, str>,
    pieces: Vec<(usize, usize)>, // the start of each, in this text and in the file; ascending
}

impl<'t> MappedText<'t> {
    pub(crate) fn whole(source: &'t str) -> Self {
        Self { source, text: Cow::Borrowed(source), pieces: vec![(0, 0)] }
    }

    /// No pieces yet.
    pub(crate) fn empty(source: &'t str) -> Self {
        Self { source, text: Cow::Owned(String::new()), pieces: vec![] }
    }

    /// Adds a piece that starts at a byte of the file, and returns its range in this text.
    pub(crate) fn push(&mut self, piece: &str, begin: usize) -> Range<usize> {
        let start = self.text.len();
        self.pieces.push((start, begin));
        self.text.to_mut().push_str(piece);
        start..self.text.len()
    }

    /// The text without comments after `#`; lines that end in `\` are joined with the next.
    pub(crate) fn without_continuations(source: &'t str) -> Self {
        if !source.contains(['#', '\\']) {
            return Self::whole(source);
        }
        let mut joined = Self::empty(source);
        for line in source.split('\n') {
            let content = line.split_once('#').map_or(line, |(content, _)| content).trim_end();
            let begin = span(source, line).start;
            if let Some(part) = content.strip_suffix('\\') {
                joined.push(part, begin)
            } else {
                joined.push(content, begin);
                joined.push("\n", begin + content.len())
            };
        }
        joined
    }

    /// The place in the file of a part of the text; a part from several lines is placed in the first.
    pub(crate) fn place(&self, part: &str) -> Range<usize> {
        let in_text = span(&self.text, part);
        let after = self.pieces.partition_point(|&(start, _)| start <= in_text.start);
        let (start, begin) = after.checked_sub(1).map_or((0, 0), |piece| self.pieces[piece]);
        let begin = (in_text.start - start + begin).min(self.source.len());
        let Some(rest) = self.source.get(begin..) else { return 0..0 };
        let mut end = rest.find('\n').unwrap_or(rest.len()).min(in_text.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        begin..begin + end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_places_in_the_file() {
        let source = "# a\nkey=one,\\\ntwo last # end\nnext\n";
        let mapped = MappedText::without_continuations(source);
        assert_eq!(mapped.text, "\nkey=one,two last\nnext\n\n");
        let part = |word: &str| {
            let start = mapped.text.find(word).unwrap();
            &source[mapped.place(&mapped.text[start..start + word.len()])]
        };
        assert_eq!(["two", "last", "next", "key"].map(part), ["two", "last", "next", "key"]);
        assert_eq!(part("one,two"), "one,\\");
    }
}
