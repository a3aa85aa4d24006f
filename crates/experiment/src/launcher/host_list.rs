//! The names of hosts, in the order of the nodes of a machine.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostics;
use crate::text::{Remarks, described, lines, span};

/// The hosts of a machine by their place: the first has node 0. At least one, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostList {
    names: Vec<String>,
    places: BTreeMap<String, u64>, // the inverse
}

impl HostList {
    /// Reads a name a line; what follows a `#` and empty lines are skipped.
    ///
    /// # Errors
    ///
    /// When there is no name, a line has more than one word or a sign that no host name has, or a name comes a
    /// second time: each with its place in the text.
    pub(crate) fn parse(text: &str) -> Result<Self, Diagnostics> {
        let (mut list, mut diagnostics) =
            (Self { names: vec![], places: BTreeMap::new() }, Diagnostics::default());
        for name in lines(text, Remarks::AfterHash) {
            let at = span(text, name);
            if name.contains(|sign: char| sign.is_whitespace() || "=,;\"".contains(sign)) {
                diagnostics.add(at, || format!("line is {}, expected the name of one host", described(name)));
            } else if list.places.insert(name.to_owned(), list.names.len() as u64).is_some() {
                let message = || format!("host {} a second time, expected every host once", described(name));
                diagnostics.add(at, message);
            } else {
                list.names.push(name.to_owned());
            }
        }
        if list.names.is_empty() && diagnostics.is_empty() {
            diagnostics.add(0..0, || "no host, expected a name a line".to_owned());
        }
        if diagnostics.is_empty() { Ok(list) } else { Err(diagnostics) }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.names.len() as u64
    }

    /// The name at a place, counted from 0; empty when there is none.
    pub(super) fn name(&self, place: u64) -> &str {
        usize::try_from(place).ok().and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }

    /// The place of a name.
    pub(super) fn place(&self, name: &str) -> Option<u64> {
        self.places.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_on_lines_of_their_own() {
        let hosts = HostList::parse("# rack 1\nnode-1\r\n\n  node-2  # the slow one\nnode-3").unwrap();
        assert_eq!((hosts.count(), hosts.name(1), hosts.place("node-3")), (3, "node-2", Some(2)));
        assert_eq!((hosts.name(3), hosts.place("node-4")), ("", None));
    }

    #[test]
    fn every_line_that_is_no_name_is_told() {
        let diagnostics = HostList::parse("a\nb slots=2\na\n").unwrap_err();
        let told: Vec<_> = diagnostics.kept().iter().map(|one| (one.span.clone(), &*one.message)).collect();
        let line = "line is \"b slots=2\", expected the name of one host";
        assert_eq!(told, [(2..11, line), (12..13, "host \"a\" a second time, expected every host once")]);
        let empty = HostList::parse("# none\n").unwrap_err();
        assert_eq!(empty.kept()[0].message, "no host, expected a name a line");
    }
}
