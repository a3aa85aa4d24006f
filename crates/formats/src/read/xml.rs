//! Elements and attributes of XML files. Documents that define entities are refused; nesting is limited.

use std::collections::BTreeMap;

use memchr::memchr_iter;

use crate::format::{Complaint, wrong};

const MAX_DEPTH: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Element<'t> {
    pub(super) name: &'t str,
    pub(super) children: Vec<Self>,
    pub(super) line: usize,
    attributes: &'t str,                       // undecoded, since a file may have millions
    decoded: Option<BTreeMap<String, String>>, // present if they contain references such as `&amp;`
}

impl Element<'_> {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        match &self.decoded {
            Some(decoded) => decoded.get(name).map(String::as_str),
            None => {
                attributes(self.attributes).flatten().find(|(key, _)| *key == name).map(|(_, value)| value)
            }
        }
    }

    /// All descendants with a name, in the order of the file.
    pub(super) fn all(&self, name: &str) -> Vec<&Self> {
        let mut found = vec![];
        for child in &self.children {
            if child.name == name {
                found.push(child);
            }
            found.extend(child.all(name));
        }
        found
    }
}

/// Whether the first element of a text is called `name`.
pub(super) fn begins_with(text: &str, name: &str) -> bool {
    let mut rest = text.trim_start();
    while rest.starts_with("<?") || rest.starts_with("<!") {
        let is_subset = rest.starts_with("<!DOCTYPE")
            && rest.split('>').next().is_some_and(|declaration| declaration.contains('['));
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if is_subset {
            "]>"
        } else {
            ">"
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
    let after = rest.strip_prefix('<').and_then(|after| after.strip_prefix(name));
    after.is_some_and(|after| after.starts_with(|sign: char| sign.is_whitespace() || "/>".contains(sign)))
}

/// Parses a document; its root is a child of the returned element.
pub(super) fn parse(text: &str) -> Result<Element<'_>, Vec<Complaint>> {
    if text.contains("<!ENTITY") || text.contains("<!DOCTYPE") && doctype_has_subset(text) {
        return wrong(0, "the XML file defines entities, which are not read");
    }
    let mut open: Vec<Element<'_>> = vec![Element::default()];
    let mut rest = text;
    let (mut line, mut counted) = (1, text.len());
    while let Some(at) = rest.find('<') {
        let here = &rest[at..];
        let from = text.len() - counted;
        let to = text.len() - here.len();
        line += memchr_iter(b'\n', &text.as_bytes()[from..to]).count();
        counted = here.len();
        let (end, skip) = if here.starts_with("<!--") {
            ("-->", true)
        } else {
            (">", here.starts_with("<?") || here.starts_with("<!"))
        };
        let Some(length) = tag_end(here, end) else {
            return wrong(line, "a tag without its end, expected >");
        };
        let tag = &here[1..length - 1];
        rest = &here[length..];
        if skip {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let closed = if open.len() > 1 { open.pop() } else { None };
            match (closed, open.last_mut()) {
                (Some(child), Some(parent)) if child.name == name.trim() => parent.children.push(child),
                _ => return wrong(line, format!("</{}> without its begin", name.trim())),
            }
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let element = element(tag, line)?;
        if is_empty {
            if let Some(parent) = open.last_mut() {
                parent.children.push(element);
            }
        } else {
            open.push(element);
        }
        if open.len() > MAX_DEPTH {
            return wrong(line, format!("elements {MAX_DEPTH} levels deep, expected fewer"));
        }
    }
    match open.pop() {
        Some(root) if open.is_empty() && !root.children.is_empty() => Ok(root),
        _ => wrong(0, "elements that are not closed"),
    }
}

fn doctype_has_subset(text: &str) -> bool {
    let after = text.split_once("<!DOCTYPE").map_or("", |(_, after)| after);
    after.split('>').next().is_some_and(|declaration| declaration.contains('['))
}

/// The length of the tag at the start of `here`; quoted values may contain `>`.
fn tag_end(here: &str, end: &str) -> Option<usize> {
    if end.len() > 1 {
        return here.find(end).map(|at| at + end.len());
    }
    let mut quote = None;
    for (at, byte) in here.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn element(tag: &str, line: usize) -> Result<Element<'_>, Vec<Complaint>> {
    let tag = tag.trim();
    let (name, written) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    if let Some(Err(key)) = attributes(written).find(Result::is_err) {
        return wrong(line, format!("attribute {key} without a value"));
    }
    let decode =
        || attributes(written).flatten().map(|(key, value)| (key.to_owned(), unescaped(value))).collect();
    let decoded = written.contains('&').then(decode);
    Ok(Element { name, attributes: written, line, decoded, ..Element::default() })
}

/// The keys and values of `key="value" ..`; ends at a key without a value, which is an error.
fn attributes(written: &str) -> impl Iterator<Item = Result<(&str, &str), &str>> {
    let mut rest = written;
    std::iter::from_fn(move || {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| "\"'".contains(*quote));
        let value = quote.and_then(|quote| after[1..].split_once(quote));
        rest = value.map_or("", |(_, next)| next);
        Some(value.map(|(value, _)| (key.trim(), value)).ok_or(key.trim()))
    })
}

fn unescaped(value: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    named.iter().fold(value.to_owned(), |text, (from, to)| text.replace(from, to))
}
