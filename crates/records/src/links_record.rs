//! The link mode and the times of links in the record of a machine: one for all links, or one for each class.

use cubefold_formats::input::text::counted;
use cubefold_scenario::Run;
use serde::{Deserialize, Serialize};

use super::Word;

/// The link mode and the times of links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LinksRecord {
    /// All links are alike.
    Alike {
        /// The link mode.
        links: Word,
        /// `T_c`, or `u` \[cycles\].
        hop_cycles: u64,
        /// `l` \[cycles\].
        latency_cycles: u64,
    },
    /// Links differ by class.
    ByClass {
        /// The link mode.
        link_mode: Word,
        /// The classes, class 0 first.
        links: Vec<LinkClassRecord>,
    },
}

/// The links of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkClassRecord {
    /// The name of the class.
    pub class: String,
    /// The cycles for which a unit occupies a link.
    pub u: u64,
    /// The latency of a link \[cycles\].
    pub l: u64,
}

impl LinksRecord {
    pub(super) fn new(run: &Run) -> Self {
        let rules = run.communication;
        let mode = rules.links().name().into();
        let Some(times) = run.machine.link_times() else {
            let (hop_cycles, latency_cycles) = (rules.hop().get(), rules.latency().get());
            return Self::Alike { links: mode, hop_cycles, latency_cycles };
        };
        let classes = run.machine.link_class_names().into_iter().zip(times);
        let links = classes.map(|(class, time)| LinkClassRecord { class, u: time.unit, l: time.latency });
        Self::ByClass { link_mode: mode, links: links.collect() }
    }

    /// The link mode.
    #[must_use]
    pub fn mode(&self) -> &Word {
        match self {
            Self::Alike { links, .. } => links,
            Self::ByClass { link_mode, .. } => link_mode,
        }
    }

    /// `u` and `l` of all links; `None` if links differ \[cycles\].
    #[must_use]
    pub fn cycles(&self) -> Option<(u64, u64)> {
        match self {
            Self::Alike { hop_cycles, latency_cycles, .. } => Some((*hop_cycles, *latency_cycles)),
            Self::ByClass { .. } => None,
        }
    }

    /// The times of the links in words.
    #[must_use]
    pub fn times_in_words(&self) -> Vec<String> {
        match self {
            Self::Alike { hop_cycles, latency_cycles, .. } => {
                let latency = format!("latency {}", counted(*latency_cycles, "cycle"));
                let hop = Some(format!("{} a link", counted(*hop_cycles, "cycle")));
                hop.into_iter().chain((*latency_cycles > 0).then_some(latency)).collect()
            }
            Self::ByClass { links, .. } => {
                let class = |LinkClassRecord { class, u, l }: &LinkClassRecord| {
                    format!("{class}: {}, latency {l}", counted(*u, "cycle"))
                };
                links.iter().map(class).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use crate::MachineRecord;
    use cubefold_scenario::load_text;

    #[test]
    fn links_that_differ_are_listed_by_class() {
        let record = |keys: &str| {
            let text = format!(
                "[machine]\nkind = \"torus\"\nshape = [4, 4]\n{keys}\n[mapping]\nembeddings = [\"xor\"]\n"
            );
            MachineRecord::new(&load_text(Path::new("a test"), &text).unwrap().runs[0])
        };
        let machine = record("hop_cycles = [1, 3]\nlatency_cycles = 7");
        let value = serde_json::to_value(&machine).unwrap();
        assert_eq!(value["link_mode"], "full-duplex");
        let class = |class: &str, unit: u64| json!({ "class": class, "u": unit, "l": 7 });
        assert_eq!(value["links"], json!([class("dimension 1", 1), class("dimension 2", 3)]));
        assert!(value["hop_cycles"].is_null());
        assert_eq!(serde_json::from_value::<MachineRecord>(value).unwrap(), machine);
        let alike = serde_json::to_value(record("hop_cycles = 2")).unwrap();
        assert_eq!((&alike["links"], &alike["hop_cycles"]), (&json!("full-duplex"), &json!(2)));
    }
}
