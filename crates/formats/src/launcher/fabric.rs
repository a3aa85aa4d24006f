//! Networks as sites and other tools describe them: lists of links, switch trees, fabric dumps.
//!
//! The open set of formats recognises a text. Readers here add hosts, switches and links by name to a
//! [`FabricReading`], with the places of errors; all others return a neutral value. Hosts are numbered first, then
//! switches, both in file order (`docs/model.md` section 22).

mod edge_list;
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

pub(crate) use self::edge_list::has_header;
pub(crate) use self::reading::COUNTED_FROM_1;
pub use self::reading::FabricReading;
use self::reading::PairCount;
pub(crate) use self::yaml_tree::{YamlNode, YamlTree};
use crate::{
    format::{Format, Reader, Recognised, Recogniser},
    input::{Ratio, diagnostic::Diagnostics},
    value::{Content, Kind},
};

/// Largest number of nodes that a file may describe.
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
    /// The links: each pair of nodes once, the lower node first, in ascending order.
    pub links: Vec<FabricLink>,
    /// Pairs of nodes without a direct link, by class (`PIX`, `SYS`), the nearest class first.
    pub paths: Vec<(String, Vec<(u32, u32)>)>,
    /// Whether the format never says how many cables join two switches, like those of Slurm.
    pub assumes_cables: bool,
    /// Notes on parts of the file that were left out or interpreted.
    pub notes: Vec<String>,
}

/// The links between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabricLink {
    /// Its ends, the lower first.
    pub ends: (u32, u32),
    /// Whether it is listed from the lower end to the higher one, and in the opposite direction.
    pub directions: [bool; 2],
    /// The number of parallel links, at least 1.
    pub count: u64,
    /// The speed of the links, if it is known.
    pub speed: LinkSpeed,
}

/// The parts of a link's speed that a file gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkSpeed {
    /// Bytes a second in each direction.
    pub bandwidth: Option<Ratio>,
    /// Seconds.
    pub latency: Option<Ratio>,
    /// The cycles that a unit occupies it.
    pub hop_cycles: Option<u64>,
    /// The cycles on the wire and in the router.
    pub latency_cycles: Option<u64>,
    /// The number of lanes that carry a message together, or a speed in a unit that the file does not give.
    pub lanes: Option<u64>,
}

/// The directions in which links lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    BothWays,
    OneWay,
}

/// The error of a network whose links are to lead in one direction, in a format that does not give it.
fn without_directions(format: &str) -> String {
    format!(
        "{format} does not say in which direction links lead, expected a list or table of links, or a digraph"
    )
}

/// A format whose errors have exact places.
#[derive(Debug)]
pub(crate) struct PlacedFormat {
    /// Its name in messages.
    pub(crate) name: &'static str,
    pub(crate) read: fn(&mut FabricReading<'_>),
}

/// The reader of a format that gives exact places, if it has one.
pub(crate) fn placed(format: &Format, text: &str) -> Option<&'static PlacedFormat> {
    Some(match format.name {
        "slurm-topology" if slurm_topology::is_like(text) => &slurm_topology::FORMAT,
        "slurm-topology" => &slurm_yaml::FORMAT,
        "astra-network" => &logical_network::FORMAT,
        "link-table" => &edge_list::WITH_HEADER,
        "edge-list" => &edge_list::PLAIN,
        _ => return None,
    })
}

/// Whether a text looks like a Slurm topology, in either form.
pub(crate) fn is_slurm(text: &str) -> bool {
    slurm_topology::is_like(text) || slurm_yaml::is_like(text)
}

impl Fabric {
    /// Reads a network in any format.
    ///
    /// # Errors
    ///
    /// Lists the parts of the text that cannot be read, with their places.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        Self::parse_whole(text, Links::BothWays)
    }

    /// Reads a network whose links lead in one direction, from the first node of a line to the second.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), except that some links may be listed in one direction and others in both, and that the
    /// format has to tell the directions apart.
    pub fn parse_directed(text: &str) -> Result<Self, Diagnostics> {
        Self::parse_whole(text, Links::OneWay)
    }

    /// Whether a text looks like a network in a supported format.
    #[must_use]
    pub fn is_like(text: &str) -> bool {
        let like = Recogniser::new(text.as_bytes()).likely(Some(Kind::Network));
        like.iter().any(|format| matches!(format.reader, Reader::Reads(_)))
    }

    fn parse_whole(text: &str, links: Links) -> Result<Self, Diagnostics> {
        let mut file = Recogniser::new(text.as_bytes());
        let like = file.likely(Some(Kind::Network));
        let format = match like[..] {
            [only] => Some(only),
            _ => match file.recognise(Some(Kind::Network)) {
                Recognised::Read(format, ..) | Recognised::Wrong(format, _) => Some(format),
                _ => like.first().copied(),
            },
        };
        // A text of no known format is taken for a list of links with errors.
        match format.map_or(Some(&edge_list::PLAIN), |format| placed(format, &file.file.text)) {
            Some(placed) => file.read_plain(text, |plain| Self::read_placed(plain, placed, links)),
            None => Self::read_neutral(text, &mut file, links),
        }
    }

    fn read_placed(text: &str, format: &'static PlacedFormat, links: Links) -> Result<Self, Diagnostics> {
        let mut reading = FabricReading::new(text, format.name);
        (format.read)(&mut reading);
        if links == Links::OneWay {
            if reading.pairs != PairCount::OneOrBothDirections {
                reading.complain_at(0..0, || without_directions(format.name));
            }
            reading.pairs = PairCount::Lines;
        }
        reading.check_machine();
        reading.finish()
    }

    /// Reads a text that may hold only a part of a network, or several networks.
    pub(crate) fn parse_part(text: &str, format: &'static PlacedFormat) -> Result<Self, Diagnostics> {
        let mut reading = FabricReading::new(text, format.name);
        (format.read)(&mut reading);
        reading.finish()
    }

    /// Reads a text in a format that gives a neutral value; errors point to lines.
    fn read_neutral(text: &str, file: &mut Recogniser<'_>, links: Links) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        match file.recognise(Some(Kind::Network)) {
            Recognised::Read(format, reading, _) => match &reading.content {
                Content::Network(network)
                    if links == Links::OneWay && network.links.iter().any(|link| link.listed.is_none()) =>
                {
                    diagnostics.add(0..0, || without_directions(format.tool));
                }
                Content::Network(network) => match Self::of_network(network, format, &reading) {
                    Ok(fabric) => return Ok(fabric),
                    Err(message) => diagnostics.add(0..0, || message),
                },
                _ => diagnostics.add(0..0, || format!("no network in one of {}", format.tool)),
            },
            Recognised::Wrong(_, complaints) => {
                complaints.into_iter().for_each(|complaint| complaint.add_to(&mut diagnostics, text));
            }
            _ => diagnostics.add(0..0, || "a file that could be several networks".to_owned()),
        }
        Err(diagnostics)
    }

    /// The name of a node, or its number.
    #[must_use]
    pub fn name(&self, node: u32) -> String {
        self.names.get(node as usize).cloned().unwrap_or_else(|| node.to_string())
    }

    /// The names of its hosts, in order; empty if nodes are numbered.
    #[must_use]
    pub fn host_names(&self) -> &[String] {
        let hosts = self.hosts.unwrap_or(self.nodes) as usize;
        &self.names[..hosts.min(self.names.len())]
    }

    /// The number of links, counting parallel ones.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        self.links.iter().fold(0, |sum: u64, link| sum.saturating_add(link.count))
    }
}
