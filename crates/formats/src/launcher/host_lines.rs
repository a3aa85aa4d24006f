//! Lines of host lists, as printed by schedulers and launchers.

use super::host_names::{MAX_HOSTS, NameError, exec_hosts, expanded, is_exec_host, parts};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// A name in a list, with its slots.
pub(super) struct ListedHost<'t> {
    pub(super) name: String,
    pub(super) slots: Option<u64>,
    pub(super) part: &'t str,
    pub(super) is_task: bool, // whether the line stands for a task; a host may have any number of them
}

/// Reads the hosts of a text, in order, and reports its errors.
pub(super) fn listed<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<ListedHost<'t>> {
    let mut listed = vec![];
    let is_one_line = lines(text, Remarks::AfterHash).nth(1).is_none();
    for line in lines(text, Remarks::AfterHash) {
        if let Err(reason) = add_line(line, is_one_line, &mut listed) {
            let (part, message) = match reason {
                LineError::TooMany => {
                    diagnostics.add(span(text, line), || format!("more than {MAX_HOSTS} hosts (2^20)"));
                    return vec![];
                }
                LineError::NoSlots(name) => (
                    name,
                    format!(
                        "host {} has 0 slots, so no process may be on it, expected at least 1, or a list without it",
                        described(name)
                    ),
                ),
                LineError::ExecHost => (line, wrong_exec_host(line)),
                LineError::Malformed => {
                    (line, format!("line is {}, expected the name of one host", described(line)))
                }
            };
            diagnostics.add(span(text, part), || message);
        }
    }
    listed
}

/// A line that is not a host.
enum LineError<'t> {
    Malformed,
    ExecHost,
    NoSlots(&'t str),
    TooMany,
}

fn add_line<'t>(
    line: &'t str,
    is_one_line: bool,
    listed: &mut Vec<ListedHost<'t>>,
) -> Result<(), LineError<'t>> {
    let words = words_of(line);
    let is_list_of_names = is_one_line || line.starts_with("LSB_HOSTS=");
    match with_numbers(&words, is_list_of_names) {
        Some(hosts) => listed.extend(hosts?),
        None => add_names(&words, listed)?,
    }
    if listed.len() > MAX_HOSTS { Err(LineError::TooMany) } else { Ok(()) }
}

/// Reads the LSF and Grid Engine forms, in which numbers or more names follow a name; `None` for other forms.
fn with_numbers<'t>(
    words: &[&'t str],
    is_list_of_names: bool,
) -> Option<Result<Vec<ListedHost<'t>>, LineError<'t>>> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let task = |name: &'t str| ListedHost { name: name.to_owned(), slots: None, part: name, is_task: true };
    let with_slots = |name: &'t str, slots: &str| {
        let slots = slots.parse().ok().filter(|&slots| slots > 0).ok_or(LineError::NoSlots(name))?;
        Ok(ListedHost { name: name.to_owned(), slots: Some(slots), part: name, is_task: false })
    };
    let are_pairs =
        || words.len().is_multiple_of(2) && words.iter().skip(1).step_by(2).all(|word| is_number(word));
    match *words {
        // LSF: host, processors, memory nodes and policy of a task.
        [name, processors, nodes, policy]
            if is_processors(processors) && is_nodes(nodes) && is_nodes(policy) =>
        {
            Some(Ok(vec![task(name)]))
        }
        // Grid Engine: host, slots, queue and processors.
        [name, slots, queue, _] if is_number(slots) && queue.contains('@') => {
            Some(with_slots(name, slots).map(|host| vec![host]))
        }
        // LSF: hosts, each with its slots.
        [_, _, ..] if are_pairs() => Some(words.chunks(2).map(|pair| with_slots(pair[0], pair[1])).collect()),
        // LSF: $LSB_HOSTS, every name once per slot.
        [_, _, ..] if is_list_of_names && words.iter().all(|word| is_name(word)) => {
            Some(Ok(words.iter().map(|name| task(name)).collect()))
        }
        _ => None,
    }
}

/// Reads a name, or an abbreviation of several, with words such as `slots=4`.
fn add_names<'t>(words: &[&'t str], listed: &mut Vec<ListedHost<'t>>) -> Result<(), LineError<'t>> {
    let first = words.first().copied().unwrap_or_default();
    let slots = slot_words(words.iter().skip(1).copied()).ok_or(LineError::Malformed)?;
    if slots == Some(0) {
        return Err(LineError::NoSlots(first));
    }
    if is_exec_host(first) {
        let hosts = exec_hosts(first).ok_or(LineError::ExecHost)?;
        let host = |(name, slots, part)| ListedHost { name, slots: Some(slots), part, is_task: false };
        listed.extend(hosts.into_iter().map(host));
        return Ok(());
    }
    for part in parts(first) {
        let (names, count) = name_and_count(part).ok_or(LineError::Malformed)?;
        if count == Some(0) {
            return Err(LineError::NoSlots(names));
        }
        let names = match expanded_or_address(names) {
            Ok(names) if listed.len() + names.len() <= MAX_HOSTS => names,
            Ok(_) | Err(NameError::TooMany) => return Err(LineError::TooMany),
            Err(NameError::Malformed) => return Err(LineError::Malformed),
        };
        let slots = count.or(slots);
        listed.extend(names.into_iter().map(|name| ListedHost { name, slots, part, is_task: false }));
    }
    Ok(())
}

/// The words of a line, without the variable and the quotes around its value.
fn words_of(line: &str) -> Vec<&str> {
    let value =
        line.split_once('=').filter(|(name, _)| name.starts_with("LSB_")).map_or(line, |(_, value)| value);
    value.trim().trim_matches(['"', '\'']).split_whitespace().collect()
}

/// Whether a word lists processors: `0,2,4-7`.
fn is_processors(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || b",-".contains(&byte))
}

/// Whether a word lists nodes of memory, or a policy for them.
fn is_nodes(word: &str) -> bool {
    word == "NULL" || is_processors(word)
}

fn is_name(word: &str) -> bool {
    !word.contains(['=', ':', '/', '*', '+', '[', ',']) && expanded(word).is_ok()
}

/// A name or names, and the number after a colon. Addresses contain colons, so only one in brackets takes a number.
/// `None` if no number follows the colon.
fn name_and_count(part: &str) -> Option<(&str, Option<u64>)> {
    if let Some((address, rest)) = part.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && is_address(address)
    {
        return match rest.strip_prefix(':') {
            Some(count) => Some((address, Some(count.parse().ok()?))),
            None => rest.is_empty().then_some((address, None)),
        };
    }
    if is_address(part) {
        return Some((part, None));
    }
    match part.rsplit_once(':') {
        Some((names, count)) => Some((names, Some(count.parse().ok()?))),
        None => Some((part, None)),
    }
}

/// Whether a word is an IPv6 address: it has at least two colons.
fn is_address(word: &str) -> bool {
    let address = word.split('%').next().unwrap_or_default();
    address.matches(':').count() >= 2
        && address.bytes().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(&byte))
}

fn expanded_or_address(names: &str) -> Result<Vec<String>, NameError> {
    if is_address(names) { Ok(vec![names.to_owned()]) } else { expanded(names) }
}

fn wrong_exec_host(line: &str) -> String {
    format!("line is {}, expected hosts of PBS such as alpha/0*2+beta/0*2", described(line))
}

/// The slots given by the words after a name; `None` if a word is unknown.
#[expect(clippy::option_option, reason = "another word, no word, or a number of slots")]
fn slot_words<'t>(words: impl Iterator<Item = &'t str>) -> Option<Option<u64>> {
    let mut slots = None;
    for word in words {
        let (key, number) = word.split_once('=')?;
        let number: u64 = number.parse().ok()?;
        match key {
            "slots" => slots = Some(number),
            "max_slots" | "max-slots" => {}
            _ => return None,
        }
    }
    Some(slots)
}
