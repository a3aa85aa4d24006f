//! Networks as sites and other tools describe them: lists of links, switch trees, dumps of fabrics.
//!
//! Each format is a file with its recogniser and its reader, and a line in [`FORMATS`]. A reader tells the
//! [`FabricReading`] hosts, switches and links by their names; hosts are numbered first, then switches, each in the order
//! in which the file has them (`docs/model.md` section 22).

mod booksim_anynet;
mod edge_list;
mod ibnetdiscover;
mod link_list;
mod logical_network;
mod mapped_text;
mod of_network;
mod path_tree;
mod reading;
mod slurm_topology;
mod slurm_yaml;
mod yaml_tree;

#[cfg(test)]
mod tests;

pub(crate) use self::ibnetdiscover::{host_of_adapter, rate_of_lanes};
pub use self::reading::FabricReading;
pub(crate) use self::yaml_tree::{YamlNode, YamlTree};
use crate::input::{Ratio, diagnostic::Diagnostics};

/// The most nodes that a file may describe.
pub const MAX_NODES: u32 = 1 << 20;

/// A network that was read from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fabric {
    /// The name of the file's format.
    pub format: &'static str,
    /// The names of all nodes; empty if they are numbered.
    pub names: Vec<String>,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of hosts, which are the first nodes; `None` if the file does not say which nodes are hosts.
    pub hosts: Option<u32>,
    /// The links, each pair of nodes once, the lower first, ascending.
    pub links: Vec<FabricLink>,
    /// Pairs of nodes that have no link of their own, by class (`PIX`, `SYS`), the nearest class first.
    pub paths: Vec<(String, Vec<(u32, u32)>)>,
    /// Notes on parts of the file that were left out or interpreted.
    pub notes: Vec<String>,
}

/// The links between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabricLink {
    /// Its ends, the lower first.
    pub ends: (u32, u32),
    /// Whether it is listed from the lower end to the other, and whether the other way round.
    pub directions: [bool; 2],
    /// The number of links side by side, at least 1.
    pub count: u64,
    /// The speed of the links, if it is known.
    pub speed: LinkSpeed,
}

/// The speed of a link, as far as a file gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkSpeed {
    /// Bytes a second in each direction.
    pub bandwidth: Option<Ratio>,
    /// Seconds.
    pub latency: Option<Ratio>,
    /// The cycles for which a unit occupies it.
    pub hop_cycles: Option<u64>,
    /// The cycles on the wire and in the router.
    pub latency_cycles: Option<u64>,
    /// The number of lanes that carry a message together, or its speed in another unit that the file does not say.
    pub lanes: Option<u64>,
}

/// A format of files that describe networks.
#[derive(Debug)]
pub struct FabricFormat {
    /// Its name in messages, without an article.
    pub name: &'static str,
    /// Whether a text looks like it.
    pub is_like: fn(&str) -> bool,
    /// Reads a text.
    pub read: fn(&mut FabricReading<'_>),
}

/// The formats that a text can be recognised by, in the order in which it is compared with them; any other text is read
/// as a plain list of links.
pub static FORMATS: [FabricFormat; 7] = [
    slurm_topology::FORMAT,
    logical_network::FORMAT,
    slurm_yaml::FORMAT,
    ibnetdiscover::FORMAT,
    booksim_anynet::FORMAT,
    edge_list::WITH_HEADER,
    link_list::FORMAT,
];

/// The format that a text looks like; `None` if nothing but a list of links is left to try.
#[must_use]
pub fn recognised(text: &str) -> Option<&'static FabricFormat> {
    FORMATS.iter().find(|format| (format.is_like)(text))
}

/// The format that a text is read in.
#[must_use]
pub fn format_of(text: &str) -> &'static FabricFormat {
    recognised(text).unwrap_or(&edge_list::PLAIN)
}

impl Fabric {
    /// Reads a network in any format.
    ///
    /// # Errors
    ///
    /// Lists the parts of the text that cannot be read, with their places.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut reading = Self::reading(text);
        reading.check_machine();
        reading.finish()
    }

    /// Reads a network in any format whose links lead in one direction, from the first node of a line to the second.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for links that are listed in one direction beside others in both.
    pub fn parse_directed(text: &str) -> Result<Self, Diagnostics> {
        let mut reading = Self::reading(text);
        reading.pairs = reading::PairCount::Lines;
        reading.check_machine();
        reading.finish()
    }

    /// Reads a text that may hold only a part of a network, or several networks.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for links and hosts that are missing.
    pub fn parse_part(text: &str) -> Result<Self, Diagnostics> {
        Self::reading(text).finish()
    }

    fn reading(text: &str) -> FabricReading<'_> {
        let format = format_of(text);
        let mut reading = FabricReading::new(text, format.name);
        (format.read)(&mut reading);
        reading
    }

    /// The name of a node, or its number.
    #[must_use]
    pub fn name(&self, node: u32) -> String {
        self.names.get(node as usize).cloned().unwrap_or_else(|| node.to_string())
    }

    /// The names of its hosts, in their order; empty if nodes are numbered.
    #[must_use]
    pub fn host_names(&self) -> &[String] {
        let hosts = self.hosts.unwrap_or(self.nodes) as usize;
        &self.names[..hosts.min(self.names.len())]
    }

    /// The number of links, each of parallel ones counted.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        self.links.iter().fold(0, |sum: u64, link| sum.saturating_add(link.count))
    }
}
