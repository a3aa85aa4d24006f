//! Host names as abbreviated by schedulers and launchers: `node[000-255,300]`, several separated by commas,
//! and PBS's `alpha/0*2+beta/0*2`.
//!
//! Slurm, scontrol(1), "hostlist expression": a list of numbers and ranges in brackets stands for one name
//! each; leading zeros are kept. A name may have several such lists; the last one varies fastest.

use std::collections::BTreeMap;

/// Largest number of hosts in a list: a few characters could stand for any number of them.
pub const MAX_HOSTS: usize = 1 << 20;

/// An invalid list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameError {
    /// An unpaired bracket, an invalid range, or a character that names cannot have.
    Malformed,
    /// More than [`MAX_HOSTS`].
    TooMany,
}

/// Characters that cannot occur in names: they separate names or enclose numbers.
const FOREIGN: &str = "=,;\"[](){}";

/// Splits a text at the commas outside brackets.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    text.split(move |sign| {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ',' && depth == 0
    })
}

/// Expands one part to its names, in order.
///
/// # Errors
///
/// If it is not a name, or stands for too many.
pub fn expanded(part: &str) -> Result<Vec<String>, NameError> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('[') {
        let (list, after) = after.split_once(']').ok_or(NameError::Malformed)?;
        let numbers = numbers(list)?;
        if names.len().saturating_mul(numbers.len()) > MAX_HOSTS {
            return Err(NameError::TooMany);
        }
        if before.contains(is_foreign) {
            return Err(NameError::Malformed);
        }
        let with = |name: &String| {
            numbers.iter().map(|number| format!("{name}{before}{number}")).collect::<Vec<_>>()
        };
        names = names.iter().flat_map(with).collect();
        rest = after;
    }
    if part.is_empty() || rest.contains(is_foreign) {
        return Err(NameError::Malformed);
    }
    for name in &mut names {
        name.push_str(rest);
    }
    Ok(names)
}

fn is_foreign(sign: char) -> bool {
    sign.is_whitespace() || FOREIGN.contains(sign)
}

/// Expands `a,b-c` to numbers, each as written or with the width of the first of its range.
fn numbers(list: &str) -> Result<Vec<String>, NameError> {
    let mut numbers = vec![];
    for item in list.split(',') {
        let (least, greatest) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (number(least)?, number(greatest)?);
        if to < from {
            return Err(NameError::Malformed);
        }
        let more = usize::try_from(to - from).unwrap_or(usize::MAX);
        if numbers.len().saturating_add(more) >= MAX_HOSTS {
            return Err(NameError::TooMany);
        }
        let width = least.len();
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

/// A number of at most 18 digits.
fn number(digits: &str) -> Result<u64, NameError> {
    let is_number = (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten().ok_or(NameError::Malformed)
}

/// Whether a word is for [`exec_hosts`]: it has characters that names cannot have.
pub(super) fn is_exec_host(word: &str) -> bool {
    word.contains(['/', '+', '*'])
}

/// The hosts of PBS's `exec_host`, in order, each with its processors and the first part that names it; `None` if
/// the text is not such a list.
///
/// PBS Professional, Reference Guide, `exec_host`: `host/index` or `host/index*processors`, joined by `+`;
/// Torque has `host/first-last` and `host/index` once per processor. The processors of a repeated host are
/// added up.
pub(super) fn exec_hosts(text: &str) -> Option<Vec<(String, u64, &str)>> {
    let mut hosts: Vec<(String, u64, &str)> = vec![];
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for part in text.split('+') {
        let (name, slots) = part.split_once('/')?;
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = |word: &str| word.parse::<u64>().ok().filter(|_| is_number(word));
        let (indices, count) = match slots.split_once('*') {
            Some((index, count)) => (index, number(count).filter(|&count| count > 0)?),
            None => (slots, 1),
        };
        let indices = match indices.split_once('-') {
            Some((first, last)) => number(last)?.checked_sub(number(first)?)?.checked_add(1)?,
            None => number(indices).map(|_| 1)?,
        };
        let [name]: [String; 1] = expanded(name).ok()?.try_into().ok()?;
        let count = count.checked_mul(indices)?;
        if let Some(&place) = places.get(&name) {
            hosts[place].1 = hosts[place].1.checked_add(count)?;
        } else {
            places.insert(name.clone(), hosts.len());
            hosts.push((name, count, part));
        }
    }
    Some(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(part: &str) -> Vec<String> {
        expanded(part).unwrap()
    }

    #[test]
    fn ranges_keep_their_zeros_and_lists_their_order() {
        assert_eq!(names("node"), ["node"]);
        assert_eq!(names("node[008-010,3]"), ["node008", "node009", "node010", "node3"]);
        assert_eq!(names("r[1-2]n[0-1].site"), ["r1n0.site", "r1n1.site", "r2n0.site", "r2n1.site"]);
        assert_eq!(names("node[98-101]").last().unwrap(), "node101");
        assert_eq!(parts("a,b[1,2-3],c").collect::<Vec<_>>(), ["a", "b[1,2-3]", "c"]);
    }

    #[test]
    fn what_is_no_list_of_names_is_refused() {
        for malformed in ["", "a[", "a]", "a[]", "a[2-1]", "a[x]", "a b", "a=b", "a[1-2-3]", "a[1", "[1-2]]"]
        {
            assert_eq!(expanded(malformed), Err(NameError::Malformed), "{malformed}");
        }
        for many in ["a[0-999999999999]", "a[0-9999]b[0-9999]"] {
            assert_eq!(expanded(many), Err(NameError::TooMany), "{many}");
        }
    }
}
