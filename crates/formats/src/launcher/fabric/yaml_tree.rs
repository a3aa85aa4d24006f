//! YAML documents as trees whose nodes have places in the file. Aliases are refused, since they could stand for any
//! amount of text.

use std::ops::Range;

use saphyr_parser::{Event, Parser, Span};

use super::mapped_text::MappedText;

/// Deepest nesting of lists and tables.
const MAX_DEPTH: usize = 64;

/// A value of a document.
#[derive(Debug)]
pub(crate) struct YamlNode {
    /// Its bytes in the file.
    pub(crate) place: Range<usize>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Its bytes in the text of the document.
    Scalar(Range<usize>),
    List(Vec<YamlNode>),
    /// Keys and values.
    Table(Vec<(YamlNode, YamlNode)>),
}

#[derive(Debug)]
pub(crate) struct YamlTree<'t> {
    /// All scalars, with their places.
    pub(crate) text: MappedText<'t>,
    /// `None` for an empty document.
    pub(crate) root: Option<YamlNode>,
}

/// An error in a text, with its place.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) place: Range<usize>,
    pub(crate) message: String,
}

/// An incomplete list or table.
struct Open {
    begin: usize,
    is_table: bool,
    values: Vec<YamlNode>,
}

impl<'t> YamlTree<'t> {
    /// Reads the only document of a text.
    ///
    /// # Errors
    ///
    /// The first error of the text, an alias, a second document, or too many levels.
    pub(crate) fn read(source: &'t str) -> Result<Self, YamlError> {
        let bytes = ByteIndex::new(source);
        let mut tree = Self { text: MappedText::empty(source), root: None };
        let mut open: Vec<Open> = vec![];
        for event in Parser::new_from_str(source) {
            let (event, span) = event.map_err(|error| {
                let begin = bytes.of(error.marker().index());
                YamlError { place: begin..begin, message: format!("not YAML: {}", error.info()) }
            })?;
            let place = bytes.place(span);
            let wrong = |message: &str| YamlError { place: place.clone(), message: message.to_owned() };
            let complete = match event {
                Event::Scalar(text, ..) => {
                    let scalar = tree.text.push(&text, place.start);
                    Some(Content::Scalar(scalar))
                }
                Event::SequenceStart(..) | Event::MappingStart(..) => {
                    if open.len() == MAX_DEPTH {
                        return Err(wrong("more than 64 lists and tables in one another, expected fewer"));
                    }
                    let is_table = matches!(event, Event::MappingStart(..));
                    open.push(Open { begin: place.start, is_table, values: vec![] });
                    None
                }
                Event::SequenceEnd | Event::MappingEnd => open.pop().map(|ended| {
                    open.push(Open { begin: ended.begin, is_table: false, values: vec![] });
                    ended.content()
                }),
                Event::Alias(_) => return Err(wrong("an alias, expected the value itself")),
                Event::DocumentStart(_) if tree.root.is_some() => {
                    return Err(wrong("a second document, expected one"));
                }
                _ => None,
            };
            let Some(content) = complete else { continue };
            let begin = match content {
                Content::Scalar(_) => place.start,
                Content::List(_) | Content::Table(_) => open.pop().map_or(place.start, |begun| begun.begin),
            };
            let node = YamlNode { place: begin..place.end.max(begin), content };
            match open.last_mut() {
                Some(outer) => outer.values.push(node),
                None => tree.root = Some(node),
            }
        }
        Ok(tree)
    }

    /// The text of a scalar; `None` for lists and tables.
    pub(crate) fn scalar(&self, node: &YamlNode) -> Option<&str> {
        match &node.content {
            Content::Scalar(place) => Some(&self.text.text[place.clone()]),
            Content::List(_) | Content::Table(_) => None,
        }
    }

    /// The values of a list; any other value counts as a list of one.
    pub(crate) fn items(node: &YamlNode) -> &[YamlNode] {
        match &node.content {
            Content::List(values) => values,
            Content::Scalar(_) | Content::Table(_) => std::slice::from_ref(node),
        }
    }

    /// The value of a key, ignoring case; `None` if it is missing, or `node` is not a table.
    pub(crate) fn get<'n>(&self, node: &'n YamlNode, key: &str) -> Option<&'n YamlNode> {
        let Content::Table(pairs) = &node.content else { return None };
        let is_key = |name: &YamlNode| self.scalar(name).is_some_and(|word| word.eq_ignore_ascii_case(key));
        pairs.iter().find(|(name, _)| is_key(name)).map(|(_, value)| value)
    }
}

impl Open {
    fn content(self) -> Content {
        if !self.is_table {
            return Content::List(self.values);
        }
        let mut values = self.values.into_iter();
        let pairs = std::iter::from_fn(|| Some((values.next()?, values.next()?)));
        Content::Table(pairs.collect())
    }
}

/// The bytes at which the characters of a text start.
struct ByteIndex {
    starts: Option<Vec<usize>>, // `None` for ASCII text
    end: usize,
}

impl ByteIndex {
    fn new(text: &str) -> Self {
        let starts = (!text.is_ascii()).then(|| text.char_indices().map(|(byte, _)| byte).collect());
        Self { starts, end: text.len() }
    }

    fn of(&self, character: usize) -> usize {
        match &self.starts {
            Some(starts) => starts.get(character).copied().unwrap_or(self.end),
            None => character.min(self.end),
        }
    }

    fn place(&self, span: Span) -> Range<usize> {
        let begin = self.of(span.start.index());
        begin..self.of(span.end.index()).max(begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_with_their_places() {
        let source = "# å\ntop:\n  - name: a\n    Nodes: n[1-2]\n  - [1, 2]\n";
        let tree = YamlTree::read(source).unwrap();
        let top = tree.get(tree.root.as_ref().unwrap(), "top").unwrap();
        let [first, second] = YamlTree::items(top) else { panic!("two items") };
        let nodes = tree.get(first, "nodes").unwrap();
        assert_eq!((tree.scalar(nodes), &source[nodes.place.clone()]), (Some("n[1-2]"), "n[1-2]"));
        assert_eq!(YamlTree::items(second).len(), 2);
        let part = &tree.scalar(nodes).unwrap()[1..];
        assert_eq!(&source[tree.text.place(part)], "[1-2]");
    }

    #[test]
    fn what_could_grow_is_refused() {
        let message = |source: &str| YamlTree::read(source).unwrap_err().message;
        assert_eq!(message("a: &x [1]\nb: *x\n"), "an alias, expected the value itself");
        assert_eq!(message("a: 1\n---\nb: 2\n"), "a second document, expected one");
        assert!(message(&"[".repeat(100)).starts_with("more than 64"));
        assert!(message("a: [1, 2\n").starts_with("not YAML"));
    }
}
