//! The forms of coordinate maps: tables, fields of Cray's system database, JAX devices, switch trees.

use std::collections::BTreeMap;

use super::{CoordinateMap, MappedHost};
use crate::{
    format::Complaint,
    input::{
        diagnostic::Diagnostics,
        text::{LineCounter, Remarks, described, lines, shortened, span},
    },
};

/// Names of the columns that hold hosts.
const HOST_COLUMNS: [&str; 5] = ["host", "hostname", "nodename", "node", "name"];

/// A map being read.
pub(super) struct MapReading<'t> {
    text: &'t str,
    hosts: BTreeMap<String, MappedHost>,
    aliases: BTreeMap<String, String>,
    counter: LineCounter<'t>,
    diagnostics: Diagnostics,
    has_slices: bool,
}

/// A JAX device.
struct Device<'t> {
    id: &'t str,
    address: Vec<u64>,
    core: u64,
    slice: Option<u64>,
}

impl<'t> MapReading<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            hosts: BTreeMap::new(),
            aliases: BTreeMap::new(),
            counter: LineCounter::new(text),
            diagnostics: Diagnostics::default(),
            has_slices: false,
        }
    }

    /// The map, unless there are errors.
    pub(super) fn finish(mut self, is_tree: bool) -> Result<CoordinateMap, Diagnostics> {
        if self.hosts.is_empty() && self.diagnostics.is_empty() {
            let message = "no host with coordinates, expected a table with a line for each";
            self.complain_of_all(message.to_owned());
        }
        let Self { hosts, aliases, diagnostics, has_slices, .. } = self;
        if diagnostics.is_empty() {
            Ok(CoordinateMap { hosts, aliases, has_slices, is_tree })
        } else {
            Err(diagnostics)
        }
    }

    /// Reports an error of the whole file.
    pub(super) fn complain_of_all(&mut self, message: String) {
        self.diagnostics.add(0..0, || message);
    }

    /// Reports an error of a line.
    pub(super) fn complain_of_line(&mut self, complaint: Complaint) {
        complaint.add_to(&mut self.diagnostics, self.text);
    }

    fn complain(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.diagnostics.add(span(self.text, part), message);
    }

    /// Adds a host; reports an error if it is already there.
    fn add(&mut self, name: String, address: Vec<u64>, core: u64, part: &str) {
        let (found, line) = (described(&name), self.counter.line(part));
        let rank = self.hosts.len() as u64;
        if self.hosts.insert(name, MappedHost { address, core, rank, line }).is_some() {
            self.complain(part, || format!("host {found} a second time, expected every host once"));
        }
    }

    /// A coordinate; reports an error and returns `None` if it is not a number.
    fn coordinate(&mut self, word: &str, column: &str) -> Option<u64> {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| word.parse::<u32>().ok()).flatten();
        if number.is_none() {
            let found = described(word);
            self.complain(word, || {
                format!("{column} is {found}, expected an integer from 0 to {}", u32::MAX)
            });
        }
        number.map(u64::from)
    }

    /// Reads a table with a header, its columns separated by commas or spaces. Rows of the type `service` are
    /// left out: no job runs there.
    pub(super) fn read_table(&mut self) {
        let mut rows = lines(self.text, Remarks::AfterHash);
        let Some(header) = rows.next() else { return };
        let has_commas = header.contains(',');
        let names: Vec<String> = words(header, has_commas).map(str::to_ascii_lowercase).collect();
        let column = |name: &str| names.iter().position(|known| known == name);
        let host = HOST_COLUMNS.iter().find_map(|known| column(known));
        let (number, kind) = (column("nid"), column("type"));
        let coordinates: Vec<usize> =
            (0..names.len()).filter(|&column| is_coordinate(&names[column])).collect();
        if host.or(number).is_none() || coordinates.is_empty() {
            let message = || {
                format!(
                    "header is {}, expected a column host and one for each coordinate, such as host,x,y,z",
                    described(header)
                )
            };
            self.complain(header, message);
            return;
        }
        for row in rows {
            let cells: Vec<&'t str> = words(row, has_commas).collect();
            if cells.len() != names.len() {
                let (found, expected) = (cells.len(), names.len());
                self.complain(row, || format!("{found} columns, expected {expected} as in the header"));
                continue;
            }
            if kind.is_some_and(|column| cells[column] == "service") {
                continue;
            }
            let found = coordinates.iter().map(|&column| self.coordinate(cells[column], &names[column]));
            let address: Vec<Option<u64>> = found.collect();
            let number = number.and_then(|column| self.coordinate(cells[column], "nid")).map(nid);
            let name = host.map(|column| cells[column].to_owned());
            if let (Some(name), Some(number)) = (&name, &number) {
                self.aliases.insert(number.clone(), name.clone());
            }
            if let (Some(name), Some(address)) = (name.or(number), address.into_iter().collect()) {
                self.add(name, address, 0, row);
            }
        }
    }

    /// Reads `field=value,..`, a line per node. Only nodes of type `compute` count.
    pub(super) fn read_fields(&mut self) {
        for line in lines(self.text, Remarks::AfterHash) {
            let fields: Vec<(&'t str, &'t str)> = line
                .split(',')
                .filter_map(|field| field.split_once('='))
                .map(|(name, value)| (name.trim(), value.trim().trim_matches(['\'', '"'])))
                .collect();
            let value = |name: &str| fields.iter().find(|field| field.0 == name).map(|field| field.1);
            if value("processor_type").is_some_and(|kind| kind != "compute") {
                continue;
            }
            let axes = ["x_coord", "y_coord", "z_coord"].into_iter();
            let axes: Vec<(&str, &str)> = axes.filter_map(|name| Some((name, value(name)?))).collect();
            let number = value("processor_id").or_else(|| value("nid"));
            let (Some(number), false) = (number, axes.is_empty()) else {
                self.complain(line, || {
                    format!("line is {}, expected processor_id= and x_coord=", described(line))
                });
                continue;
            };
            let address: Vec<Option<u64>> =
                axes.into_iter().map(|(name, word)| self.coordinate(word, name)).collect();
            let name = self.coordinate(number, "processor_id").map(nid);
            if let (Some(name), Some(address)) = (name, address.into_iter().collect()) {
                self.add(name, address, 0, line);
            }
        }
    }

    /// Reads devices as JAX prints them: `..Device(id=5, .., coords=(1,1,0), ..)`, possibly wrapped in a device
    /// that has the slice. A device is named by its number, or by its slice and number if devices of several
    /// slices share numbers.
    pub(super) fn read_devices(&mut self) {
        let mut devices: Vec<Device<'t>> = vec![];
        let mut wrapper = None; // a device without coordinates that encloses the next one
        for text in self.text.split("Device(").skip(1) {
            if !text.contains("coords=(") && text.contains("wrapped=") {
                wrapper = Some(text);
                continue;
            }
            let device = self.device(text, wrapper.take());
            if let (Some(first), Some(device)) = (devices.first(), &device)
                && first.address.len() != device.address.len()
            {
                self.complain(device.id, || {
                    "number of coordinates differs from that of earlier devices".to_owned()
                });
                continue;
            }
            devices.extend(device);
        }
        let slices: Vec<Option<u64>> = devices.iter().map(|device| device.slice).collect();
        self.has_slices = slices.windows(2).any(|pair| pair[0] != pair[1]);
        let mut numbers: Vec<&str> = devices.iter().map(|device| device.id).collect();
        numbers.sort_unstable();
        let are_shared = self.has_slices && numbers.windows(2).any(|pair| pair[0] == pair[1]);
        for Device { id, mut address, core, slice } in devices {
            let slice = slice.unwrap_or(0);
            if self.has_slices {
                address.push(slice);
            }
            let name = if are_shared { format!("{slice}/{id}") } else { id.to_owned() };
            self.add(name, address, core, id);
        }
    }

    /// Reads a device, and the text of the device around it.
    fn device(&mut self, text: &'t str, wrapper: Option<&'t str>) -> Option<Device<'t>> {
        let outer = wrapper.and_then(|text| value(text, "id="));
        let id = outer.or_else(|| value(text, "id=")).map(|rest| until(rest, ",)"));
        let coordinates = value(text, "coords=(").map(|rest| until(rest, ")"));
        let (Some(id), Some(coordinates)) = (id, coordinates) else {
            self.complain(shown(text), || {
                format!("device is {}, expected id= and coords=", described(&shortened(text)))
            });
            return None;
        };
        self.coordinate(id, "id")?;
        let words: Vec<&str> =
            coordinates.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let address: Vec<Option<u64>> = words.iter().map(|word| self.coordinate(word, "coords")).collect();
        let after = |key: &str| value(text, key).map(|rest| until(rest, ",)]"));
        let core = match after("core_on_chip=") {
            Some(word) => self.coordinate(word, "core_on_chip")?,
            None => 0,
        };
        let slice = ["slice_index=", "slice_id="].into_iter().find_map(after);
        let slice = match slice {
            Some(word) => Some(self.coordinate(word, "slice_index")?),
            None => None,
        };
        Some(Device { id, address: address.into_iter().collect::<Option<_>>()?, core, slice })
    }

    /// Adds the hosts of a network, each with its position in their order.
    pub(super) fn add_tree(&mut self, hosts: Vec<String>) {
        let placed = (0..).map(|place| MappedHost { address: vec![place], core: 0, rank: place, line: 0 });
        self.hosts = hosts.into_iter().zip(placed).collect();
    }
}

impl CoordinateMap {
    /// Whether a text gives coordinates of hosts: fields, devices, or a table with a column of hosts.
    #[must_use]
    pub fn is_like(text: &str) -> bool {
        if text.contains("x_coord=") || text.contains("Device(") && text.contains("coords=(") {
            return true;
        }
        let header = lines(text, Remarks::AfterHash).next().unwrap_or_default();
        let names: Vec<String> = words(header, header.contains(',')).map(str::to_ascii_lowercase).collect();
        let is_host = |name: &str| HOST_COLUMNS.contains(&name) || name == "nid";
        names.iter().any(|name| is_host(name)) && names.iter().any(|name| is_coordinate(name))
    }
}

/// The host name of a Cray node.
fn nid(number: u64) -> String {
    format!("nid{number:05}")
}

/// Splits a row into cells.
fn words(row: &str, has_commas: bool) -> impl Iterator<Item = &str> {
    let (by_comma, by_space) = if has_commas {
        (Some(row.split(',').map(str::trim)), None)
    } else {
        (None, Some(row.split_whitespace()))
    };
    by_comma.into_iter().flatten().chain(by_space.into_iter().flatten())
}

/// Whether the lower-case name of a column names a coordinate: `x`, `x_coord`, `p_1`, `dim0`, `coord_2`.
fn is_coordinate(name: &str) -> bool {
    let letter = name.strip_suffix("_coord").unwrap_or(name);
    let is_letter = letter.len() == 1 && "abcdexyz".contains(letter);
    let numbered =
        ["p_", "dim_", "dim", "coord_", "coord"].iter().find_map(|before| name.strip_prefix(before));
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_letter || numbered.is_some_and(is_number)
}

/// The text after a key.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(key).map(|(_, rest)| rest)
}

/// The text before the first of some characters, trimmed.
fn until<'t>(text: &'t str, signs: &str) -> &'t str {
    text.split(|sign| signs.contains(sign)).next().unwrap_or_default().trim()
}

/// The first line of a text, as a slice of it.
fn shown(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}
