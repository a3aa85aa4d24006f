//! `SimGrid` platforms: flat and torus clusters, and hosts connected by one-link routes.

use std::collections::BTreeMap;

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::{Ratio, quantity::Measure, text::described},
    read::{
        networks::HOLDS,
        reads,
        xml::{self, Element},
    },
    value::{Content, Link, Network},
};

pub(super) static SIMGRID_PLATFORM: Format = reads(
    "simgrid-platform",
    "SimGrid platform (XML)",
    HOLDS,
    |file| xml::begins_with(&file.text, "platform").into(),
    read_platform,
);

/// Parses `125MBps`, `1Gbps` or `10KiBps` \[bytes/s\].
fn platform_rate(word: &str) -> Option<Ratio> {
    let text = word.strip_suffix("ps").map(|rate| format!("{rate}/s"))?;
    let at = text.find(|sign: char| sign.is_ascii_alphabetic())?;
    Ratio::parse_decimal(&text[..at])?;
    Measure::Bandwidth.parse(&text).or_else(|_| Measure::Bandwidth.parse(&text.replace('K', "k"))).ok()
}

fn platform_time(word: &str) -> Option<Ratio> {
    match word.find(|sign: char| sign.is_ascii_alphabetic()) {
        Some(_) => Measure::Time.parse(word).ok(),
        None => Ratio::parse_decimal(word),
    }
}

fn read_platform(file: &FileText<'_>) -> Read {
    let document = xml::parse(&file.text)?;
    let mut network = Network::default();
    for cluster in document.all("cluster") {
        add_cluster(&mut network, cluster)?;
    }
    for host in document.all("host") {
        network.node(host.get("id").unwrap_or_default(), true);
    }
    for router in document.all("router") {
        network.node(router.get("id").unwrap_or_default(), false);
    }
    add_routes(&mut network, &document)?;
    if network.links.is_empty() {
        return wrong(0, "no cluster and no route, expected a cluster, FLAT or TORUS, or routes of one link");
    }
    let mut reading = Reading::from(Content::Network(network.finish(true)));
    if document.all("cluster").iter().any(|cluster| cluster.get("bb_bw").is_some()) {
        reading.notes.push("left out: the backbones of clusters (bb_bw, bb_lat)".to_owned());
    }
    Ok(reading)
}

/// Adds the hosts of a cluster and their links.
fn add_cluster(network: &mut Network, cluster: &Element<'_>) -> Result<(), Vec<Complaint>> {
    let get = |name: &str| cluster.get(name).unwrap_or_default();
    let Some(numbers) = numbers_of_radical(get("radical")) else {
        return wrong(cluster.line, "a cluster without its radical");
    };
    let (bandwidth, latency) = (platform_rate(get("bw")), platform_time(get("lat")));
    if bandwidth.is_none() || latency.is_none() {
        let [rate, time] = ["bw", "lat"].map(|name| described(get(name)));
        return wrong(
            cluster.line,
            format!("bw of a cluster is {rate} and lat {time}, expected such as 125MBps and 50us"),
        );
    }
    let link = |ends: [usize; 2]| Link { ends, count: 1, bandwidth, latency, ..Link::default() };
    let hosts: Vec<usize> = numbers
        .iter()
        .map(|number| network.node(&format!("{}{number}{}", get("prefix"), get("suffix")), true))
        .collect();
    match get("topology") {
        "" | "FLAT" => {
            let center = network.node(get("id"), false);
            network
                .links
                .extend(hosts.iter().filter(|host| **host != center).map(|&host| link([host, center])));
            Ok(())
        }
        "TORUS" => {
            let lengths: Option<Vec<usize>> =
                get("topo_parameters").split(',').map(|length| length.trim().parse().ok()).collect();
            let product = |lengths: &Vec<usize>| {
                lengths.iter().try_fold(1_usize, |all, length| all.checked_mul(*length))
            };
            let Some(lengths) = lengths.filter(|lengths| product(lengths) == Some(hosts.len())) else {
                let found = described(get("topo_parameters"));
                let count = hosts.len();
                return wrong(
                    cluster.line,
                    format!("topo_parameters are {found}, expected lengths of {count} hosts"),
                );
            };
            network.links.extend(torus_links(&lengths).map(|ends| link(ends.map(|place| hosts[place]))));
            Ok(())
        }
        "FAT_TREE" => {
            wrong(cluster.line, "a fat tree of SimGrid, expected kind = \"fat-tree\" in the scenario")
        }
        "DRAGONFLY" => {
            wrong(cluster.line, "a dragonfly of SimGrid, expected kind = \"dragonfly\" in the scenario")
        }
        other => wrong(cluster.line, format!("topology {}, expected FLAT or TORUS", described(other))),
    }
}

/// The links of a torus: one per node and dimension, hence two parallel links in a dimension of length 2.
fn torus_links(lengths: &[usize]) -> impl Iterator<Item = [usize; 2]> {
    let count = lengths.iter().product::<usize>();
    let strides = lengths.iter().scan(1, |stride, &length| {
        let current = (*stride, length);
        *stride *= length;
        Some(current)
    });
    let strides: Vec<(usize, usize)> = strides.filter(|(_, length)| *length > 1).collect();
    (0..count).flat_map(move |place| {
        strides.clone().into_iter().map(move |(stride, length)| {
            let at = place / stride % length;
            [place, place - at * stride + (at + 1) % length * stride]
        })
    })
}

/// Adds the links of routes between two hosts.
fn add_routes(network: &mut Network, document: &Element<'_>) -> Result<(), Vec<Complaint>> {
    let links = document.all("link");
    let links: BTreeMap<&str, &&Element<'_>> =
        links.iter().map(|link| (link.get("id").unwrap_or_default(), link)).collect();
    let mut known = BTreeMap::new();
    // A route between clusters joins their switches.
    for route in document.all("route").into_iter().chain(document.all("zoneRoute")) {
        let ends = [route.get("src"), route.get("dst")].map(|name| name.and_then(|name| network.place(name)));
        let over = route.all("link_ctn");
        let ([Some(from), Some(to)], [one]) = (ends, &over[..]) else {
            let found = over.len();
            let expected = "expected one link between two hosts or flat clusters: other platforms are kind = \"fat-tree\" or \"dragonfly\"";
            return wrong(route.line, format!("a route over {found} links, {expected}"));
        };
        let Some(link) = links.get(one.get("id").unwrap_or_default()) else {
            return wrong(route.line, "a route over an unknown link");
        };
        let speed =
            (link.get("bandwidth").and_then(platform_rate), link.get("latency").and_then(platform_time));
        let is_new = !known.contains_key(&[from.min(to), from.max(to)]);
        if *known.entry([from.min(to), from.max(to)]).or_insert(speed) != speed {
            return wrong(route.line, "a route back over a link of another speed, expected equal ones");
        }
        if from != to && is_new {
            let (bandwidth, latency) = speed;
            network.links.push(Link { ends: [from, to], count: 1, bandwidth, latency, ..Link::default() });
        }
    }
    Ok(())
}

/// Expands a list of ranges such as `0-11,20`.
fn numbers_of_radical(text: &str) -> Option<Vec<u64>> {
    let mut all = vec![];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last.checked_sub(first)? >= 1 << 20 || all.len() > 1 << 20 {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}
