//! Host lists: Flux's R, `OpenSM`'s order of adapters, and the lists of schedulers and launchers.

use serde_json::{Map, Value, json};

use crate::{
    format::{FileText, Format, Likeness, Read, Reader, wrong},
    input::text::described,
    launcher::{CoordinateMap, HostList, host_names},
    value::{Content, Kind},
};

pub(super) static FLUX_R: Format = Format {
    name: "flux-r",
    tool: "flux resource R, flux job info R",
    holds: &[Kind::Hosts],
    is_like: |file| {
        let is_r = |document: &Value| {
            document.pointer("/execution/R_lite").is_some() && document.get("version").is_some()
        };
        file.outline().is_some_and(is_r).into()
    },
    reader: Reader::Reads(read_flux),
};

pub(super) static OPENSM_CA_ORDER: Format = Format {
    name: "opensm-ca-order",
    tool: "OpenSM, opensm-ftree-ca-order.dump",
    holds: &[Kind::Hosts],
    is_like: |file| {
        let is_row = |(_, line): (usize, &str)| {
            line.split_once('\t').is_some_and(|(lid, _)| lid.trim().starts_with("0x"))
        };
        (file.rows().count() > 0 && file.rows().all(is_row)).into()
    },
    reader: Reader::Reads(read_order),
};

pub(super) static COORDINATE_MAP: Format = Format {
    name: "coordinate-map",
    tool: "xtdb2proc, xtprocadmin, print(jax.devices()), a table of host, x, y",
    holds: &[Kind::Hosts],
    is_like: |file| CoordinateMap::is_like(&file.text).into(),
    reader: Reader::Reads(|file| match CoordinateMap::parse(&file.text) {
        Ok(map) => {
            let hosts = map.hosts().into_iter().map(|name| (name, None)).collect();
            Ok(Content::Hosts(hosts, Map::new()).into())
        }
        Err(diagnostics) => super::from_diagnostics(file, &diagnostics),
    }),
};

pub(super) static HOST_LIST: Format = Format {
    name: "host-list",
    tool: "schedulers and launchers: a host a line, with slots",
    holds: &[Kind::Hosts],
    is_like: |file| {
        let rows = || file.rows().map(|(_, row)| row.split('#').next().unwrap_or_default().trim());
        let is_listed = rows().all(|line| line.is_empty() || is_host(line)) && !file.text.trim().is_empty();
        let have_slots = || rows().all(|line| line.is_empty() || line.contains("slots="));
        if is_listed && (!is_table(rows()) || have_slots())
            || rows().any(|line| line.starts_with("LSB_"))
            || is_scheduled(rows()) && HostList::parse(&file.text).is_ok()
        {
            Likeness::Maybe
        } else {
            Likeness::No
        }
    },
    reader: Reader::Reads(read_list),
};

/// Whether a line is a host name, optionally with slots.
fn is_host(line: &str) -> bool {
    let name = line.split([' ', '\t', ':', '/']).next().unwrap_or_default();
    let name = name.split_once(",slots=").map_or(name, |(name, _)| name);
    let begins = |name: &str| name.starts_with(|sign: char| sign.is_ascii_alphabetic()) || is_address(name);
    let is_named = host_names::parts(name).all(begins);
    let rest = line.get(name.len()..).unwrap_or_default();
    is_named
        && !name.contains(['=', '{', '(', '>', '"'])
        && (rest.is_empty() || rest.contains("slots=") || rest.starts_with(':') && !rest.contains(' '))
}

/// Whether a word is an IPv4 address.
pub(super) fn is_address(word: &str) -> bool {
    word.split('.').filter(|part| part.parse::<u8>().is_ok()).count() == 4
}

/// Whether several rows have equally many cells: a table, not lists of names.
fn is_table<'t>(rows: impl Iterator<Item = &'t str>) -> bool {
    let widths: Vec<usize> =
        rows.filter(|line| !line.is_empty()).map(|line| host_names::parts(line).count()).collect();
    widths.len() > 1 && widths[0] > 1 && widths.iter().all(|width| *width == widths[0])
}

/// Whether the rows are a host list of LSF or Grid Engine: each name is followed by numbers.
fn is_scheduled<'t>(rows: impl Iterator<Item = &'t str>) -> bool {
    let mut rows = rows.filter(|line| !line.is_empty()).peekable();
    let is_number = |word: &str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let is_name = |word: &str| {
        word.starts_with(|sign: char| sign.is_ascii_alphabetic()) && !word.contains(['=', '{', '(', ':', ','])
    };
    let is_row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [name, slots, queue, _] if queue.contains('@') => is_name(name) && is_number(slots),
            [name, processors, "NULL" | "0" | "1", _] => is_name(name) && is_number(processors),
            _ => {
                words.len().is_multiple_of(2)
                    && words
                        .chunks(2)
                        .all(|pair| is_name(pair[0]) && pair[1].bytes().all(|byte| byte.is_ascii_digit()))
            }
        }
    };
    rows.peek().is_some() && rows.all(is_row)
}

/// Expands a list such as `n[0-3],m7`; `None` if it is malformed or has more than 2^20 names.
pub(super) fn names_of(list: &str) -> Option<Vec<String>> {
    let mut names = vec![];
    for part in host_names::parts(list) {
        names.extend(host_names::expanded(part.trim()).ok()?);
    }
    (names.len() <= 1 << 20).then_some(names)
}

/// The number of integers in a set such as `0-3,7`.
fn count_of(set: &str) -> Option<u64> {
    let mut count = 0_u64;
    for part in set.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

fn read_flux(file: &FileText<'_>) -> Read {
    let value = file.tree()?;
    let list = |entry: Option<&Value>| entry.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut names = vec![];
    for part in list(value.pointer("/execution/nodelist")) {
        let part = part.as_str().unwrap_or_default();
        match names_of(part) {
            Some(hosts) => names.extend(hosts),
            None => {
                return wrong(0, format!("nodelist is {}, expected names such as n[0-3]", described(part)));
            }
        }
    }
    let (mut brokers, mut cores, mut firsts) = (0_u64, 0_u64, vec![]);
    for part in list(value.pointer("/execution/R_lite")) {
        let set = part
            .get("rank")
            .map_or_else(String::new, |rank| rank.as_str().map_or_else(|| rank.to_string(), str::to_owned));
        let core = part.pointer("/children/core").and_then(Value::as_str).unwrap_or_default();
        let (Some(count), Some(each)) = (count_of(&set), count_of(core)) else {
            return wrong(
                0,
                format!(
                    "ranks {} with cores {}, expected sets of integers",
                    described(&set),
                    described(core)
                ),
            );
        };
        brokers = brokers.saturating_add(count);
        cores = cores.saturating_add(count.saturating_mul(each));
        firsts.push(set);
    }
    if names.len() as u64 != brokers {
        return wrong(0, format!("{} names of {brokers} brokers, expected as many", names.len()));
    }
    let counts = Map::from_iter([("cores".to_owned(), json!(cores))]);
    Ok(Content::Hosts(names.into_iter().map(|name| (name, None)).collect(), counts).into())
}

fn read_order(file: &FileText<'_>) -> Read {
    let (mut names, mut dummies): (Vec<(String, Option<u64>)>, u64) = (vec![], 0);
    let mut seen = std::collections::BTreeSet::new();
    for (line, row) in file.rows() {
        let (lid, name) = row.split_once('\t').unwrap_or((row, ""));
        let digits = lid.trim().trim_start_matches("0x");
        let Ok(lid) = u32::from_str_radix(digits, 16) else {
            return wrong(line, format!("LID is {}, expected 0x and digits", described(lid)));
        };
        let Some(name) = name.split_whitespace().next() else { return wrong(line, "a LID without a name") };
        if lid == 0xffff {
            dummies += 1;
            continue;
        }
        // An adapter without a host has the name of its type.
        let is_type = name.strip_prefix("MT").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let name = if is_type { format!("{lid:#x}") } else { name.to_owned() };
        if seen.insert(name.clone()) {
            names.push((name, None));
        }
    }
    let counts = Map::from_iter([("dummies".to_owned(), json!(dummies))]);
    Ok(Content::Hosts(names, counts).into())
}

fn read_list(file: &FileText<'_>) -> Read {
    match HostList::parse(&file.text) {
        Ok(list) => Ok(Content::Hosts(list.named().collect(), Map::new()).into()),
        Err(diagnostics) => super::from_diagnostics(file, &diagnostics),
    }
}
