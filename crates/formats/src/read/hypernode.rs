//! Volcano `HyperNode`s: switches in tiers, each with the nodes or hypernodes below it.
//!
//! ```text
//! kind: HyperNode
//! metadata: { name: leaf-0 }
//! spec:
//!   tier: 1
//!   members:
//!   - type: Node
//!     selector: { exactMatch: { name: node-0 } }
//! ```

use std::collections::BTreeMap;

use crate::{
    format::{Complaint, FileText, Format, Read, wrong},
    launcher::fabric::{YamlNode, YamlTree},
    read::{networks::HOLDS, reads, schedulers::of_tree},
    value::Network,
};

pub(super) static HYPERNODE: Format = reads(
    "hypernode",
    "Volcano, kind: HyperNode",
    HOLDS,
    |file| {
        let is_kind = |line: &str| {
            let plain = line.trim().trim_start_matches("- ").trim_end_matches(',').replace('"', "");
            plain == "kind: HyperNode"
        };
        file.lines().any(|(_, line)| is_kind(line)).into()
    },
    read_hypernodes,
);

/// A network under construction.
#[derive(Default)]
struct Tree {
    network: Network,
    above: BTreeMap<String, String>, // the hypernode of each member
    /// Whether any members are selected by pattern or label.
    has_patterns: bool,
}

fn read_hypernodes(file: &FileText<'_>) -> Read {
    let mut tree = Tree::default();
    let mut first = 1;
    for document in documents(&file.text) {
        tree.add_document(document, first)?;
        // The separator line belongs to neither document.
        first += document.matches('\n').count() + 1;
    }
    let mut reading = of_tree(tree.network);
    if tree.has_patterns {
        reading.missing.push("members");
    }
    Ok(reading)
}

/// The documents of a text, separated by `---` lines.
fn documents(text: &str) -> Vec<&str> {
    let mut documents = vec![];
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            documents.push(&text[start..at]);
            start = at + line.len();
        }
        at += line.len();
    }
    documents.push(&text[start..]);
    documents
}

impl Tree {
    /// Adds a document, a hypernode or a list of them, that starts at line `first`, counted from 1.
    fn add_document(&mut self, text: &str, first: usize) -> Result<(), Vec<Complaint>> {
        let line = |at: usize| first + text.get(..at).map_or(0, |before| before.matches('\n').count());
        let tree = match YamlTree::read(text) {
            Ok(tree) => tree,
            Err(error) => return wrong(line(error.place.start), error.message),
        };
        let Some(root) = &tree.root else { return Ok(()) };
        let items = tree.get(root, "items").map_or(std::slice::from_ref(root), YamlTree::items);
        let is_hypernode = |item: &&YamlNode| word(&tree, item, &["kind"]) == Some("HyperNode");
        items.iter().filter(is_hypernode).try_for_each(|item| self.add(&tree, item, line))
    }

    fn add(
        &mut self,
        tree: &YamlTree<'_>,
        hypernode: &YamlNode,
        line: impl Fn(usize) -> usize,
    ) -> Result<(), Vec<Complaint>> {
        let Some(name) = word(tree, hypernode, &["metadata", "name"]) else {
            return wrong(line(hypernode.place.start), "a HyperNode without metadata.name");
        };
        let parent = self.network.node(name, false);
        let members = find(tree, hypernode, &["spec", "members"]).map_or(&[][..], YamlTree::items);
        for member in members {
            let Some(child) = word(tree, member, &["selector", "exactMatch", "name"]) else {
                self.has_patterns = true;
                continue;
            };
            if let Some(earlier) = self.above.insert(child.to_owned(), name.to_owned()) {
                return wrong(
                    line(member.place.start),
                    format!("{child} in {earlier} and in {name}, expected it in one"),
                );
            }
            let is_host = word(tree, member, &["type"]) != Some("HyperNode");
            let child = self.network.node(child, is_host);
            self.network.cable(child, parent);
        }
        Ok(())
    }
}

/// The value at the end of a path of keys.
fn find<'n>(tree: &YamlTree<'_>, node: &'n YamlNode, path: &[&str]) -> Option<&'n YamlNode> {
    path.iter().try_fold(node, |parent, key| tree.get(parent, key))
}

/// The scalar at the end of a path of keys.
fn word<'t>(tree: &'t YamlTree<'_>, node: &YamlNode, path: &[&str]) -> Option<&'t str> {
    find(tree, node, path).and_then(|value| tree.scalar(value))
}
