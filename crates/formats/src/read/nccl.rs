//! NCCL dump files: the topology of a node, and the selected rings and trees.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{
    format::{Complaint, FileText, Format, Read, Reader, wrong},
    input::{Ratio, text::described},
    read::xml::{self, Element},
    value::{Content, Kind, Link, Network},
};

const HOLDS: &[Kind] = &[Kind::Network, Kind::Hosts];

pub(super) static NCCL_TOPOLOGY: Format = Format {
    name: "nccl-topology",
    tool: "NCCL_TOPO_DUMP_FILE of NCCL",
    holds: HOLDS,
    is_like: |file| xml::begins_with(&file.text, "system").into(),
    reader: Reader::Reads(read_nccl),
};

pub(super) static NCCL_GRAPH: Format = Format {
    name: "nccl-graph",
    tool: "NCCL_GRAPH_DUMP_FILE of NCCL",
    holds: &[Kind::Settings],
    is_like: |file| xml::begins_with(&file.text, "graphs").into(),
    reader: Reader::Reads(read_graphs),
};

/// The bandwidth of a bus, for example of 16 lanes at `16.0 GT/s PCIe` \[bytes/s\].
fn pci_bandwidth(bus: &Element<'_>) -> Option<Ratio> {
    let rate = bus.get("link_speed")?.split_whitespace().next()?;
    let (rate, number) = (Ratio::parse_decimal(rate)?, rate.parse::<f64>().ok()?);
    let width = bus.get("link_width")?.parse::<u64>().ok().filter(|width| *width > 0)?;
    let code = match number {
        _ if number <= 5.0 => Ratio::new(8, 10),
        _ if number < 64.0 => Ratio::new(128, 130),
        _ => Ratio::new(242, 256),
    };
    rate.times(Ratio::new(1_000_000_000 * u128::from(width), 8))?
        .times(code)
        .filter(|bandwidth| *bandwidth != Ratio::ZERO)
}

fn pcie(ends: [usize; 2], bandwidth: Option<Ratio>) -> Link {
    Link { ends, count: 1, bandwidth, class: Some("PCIe"), ..Link::default() }
}

/// A link that a GPU lists: `nvlink` of NCCL, or `xgmi` of RCCL.
struct GpuLink {
    gpu: usize,
    line: usize,
    lanes: u64,
    target: String,
    device: String, // the PCI class of the target
    class: &'static str,
}

struct Nccl {
    network: Network,
    by_bus: BTreeMap<String, usize>,
    links: Vec<GpuLink>,
    first_cpu: Option<usize>,
}

fn read_nccl(file: &FileText<'_>) -> Read {
    let document = xml::parse(&file.text)?;
    let mut topology =
        Nccl { network: Network::default(), by_bus: BTreeMap::new(), links: vec![], first_cpu: None };
    let mut gpus: Vec<&Element<'_>> = document.all("gpu");
    gpus.sort_by_key(|gpu| gpu.get("dev").and_then(|device| device.parse::<u64>().ok()));
    for gpu in gpus {
        let Some(device) = gpu.get("dev").filter(|device| device.parse::<u64>().is_ok()) else {
            return wrong(gpu.line, "a gpu without dev");
        };
        if topology.network.place(&format!("GPU{device}")).is_some() {
            return wrong(gpu.line, format!("gpu {device} a second time, expected each once"));
        }
        topology.network.node(&format!("GPU{device}"), true);
    }
    let mut cpus = vec![];
    for cpu in document.all("cpu") {
        let node = topology.network.node(&format!("CPU{}", cpu.get("numaid").unwrap_or("0")), false);
        topology.first_cpu = topology.first_cpu.or(Some(node));
        cpus.push(node);
        topology.add_children(cpu, node);
    }
    topology.link_gpus()?;
    let mut network = topology.network;
    for (place, &one) in cpus.iter().enumerate() {
        for &other in cpus[place + 1..].iter().filter(|other| **other != one) {
            network.links.push(Link { ends: [one, other], count: 1, class: Some("SYS"), ..Link::default() });
        }
    }
    if network.nodes.is_empty() {
        return wrong(0, "no cpu and no gpu");
    }
    Ok(Content::Network(network.finish(true)).into())
}

impl Nccl {
    /// Adds the links of GPUs to each other, to switches and to the processor. Each GPU lists its own links,
    /// so that a link between two GPUs is in the file twice.
    fn link_gpus(&mut self) -> Result<(), Vec<Complaint>> {
        let mut lanes_by_pair: BTreeMap<(usize, usize, &'static str), u64> = BTreeMap::new();
        for GpuLink { gpu, line, lanes, target, device, class } in std::mem::take(&mut self.links) {
            let node = match device.as_str() {
                "0x068000" => Some(self.network.node("NVSwitch", false)),
                "0x068001" => self.first_cpu,
                _ => self.by_bus.get(&target.to_ascii_lowercase()).copied(),
            };
            let Some(node) = node.filter(|node| *node != gpu) else {
                return wrong(line, format!("a link to {}, which is no gpu of the file", described(&target)));
            };
            let sum = lanes_by_pair.entry((gpu, node, class)).or_default();
            *sum = lanes.saturating_add(*sum);
        }
        for (&(from, to, class), &lanes) in &lanes_by_pair {
            let back = lanes_by_pair.get(&(to, from, class)).copied();
            if from > to && back.is_some() {
                continue;
            }
            let lanes = Some(lanes.max(back.unwrap_or(0)));
            let class = Some(class);
            self.network.links.push(Link { ends: [from, to], count: 1, lanes, class, ..Link::default() });
        }
        Ok(())
    }

    /// Adds the buses and adapters below a node.
    fn add_children(&mut self, element: &Element<'_>, above: usize) {
        for child in &element.children {
            match child.name {
                "pci" => {
                    let bandwidth = pci_bandwidth(child);
                    let gpu = child.children.iter().find(|child| child.name == "gpu");
                    let nets: Vec<&Element<'_>> =
                        child.children.iter().filter(|child| child.name == "nic").collect();
                    let bus = child.get("busid").unwrap_or_default();
                    if let Some(gpu) = gpu {
                        let node =
                            self.network.node(&format!("GPU{}", gpu.get("dev").unwrap_or_default()), true);
                        self.by_bus.insert(bus.to_ascii_lowercase(), node);
                        let of = |name, class| gpu.all(name).into_iter().map(move |link| (link, class));
                        for (link, class) in of("nvlink", "NVLink").chain(of("xgmi", "XGMI")) {
                            let get = |name: &str| link.get(name).unwrap_or_default().to_owned();
                            self.links.push(GpuLink {
                                gpu: node,
                                line: link.line,
                                lanes: get("count").parse().unwrap_or(1),
                                target: get("target"),
                                device: get("tclass"),
                                class,
                            });
                        }
                        self.network.links.push(pcie([above, node], bandwidth));
                    } else if nets.is_empty() {
                        let node = self.network.node(bus, false);
                        self.network.links.push(pcie([above, node], bandwidth));
                        self.add_children(child, node);
                    } else {
                        for net in nets {
                            self.add_adapters(net, above, bandwidth);
                        }
                    }
                }
                "nic" => self.add_adapters(child, above, None),
                _ => {}
            }
        }
    }

    fn add_adapters(&mut self, nic: &Element<'_>, above: usize, bandwidth: Option<Ratio>) {
        for net in nic.all("net") {
            let node = self.network.node(net.get("name").unwrap_or_default(), false);
            if node != above {
                self.network.links.push(pcie([above, node], bandwidth));
            }
        }
    }
}

fn read_graphs(file: &FileText<'_>) -> Read {
    let document = xml::parse(&file.text)?;
    let mut graphs = vec![];
    for graph in document.all("graph") {
        let number = |name: &str| graph.get(name).and_then(|value| value.parse::<i64>().ok());
        let channels: Vec<Vec<i64>> = graph
            .all("channel")
            .iter()
            .map(|channel| channel.all("gpu").iter().filter_map(|gpu| gpu.get("dev")?.parse().ok()).collect())
            .collect();
        graphs.push(json!({"id": number("id"), "pattern": number("pattern"), "channels": channels}));
    }
    Ok(Content::setting("graphs", json!(graphs)).into())
}
