//! Lists the processes that a file leaves out, for a message.

use cubefold_mapping::ProcessId;

/// Largest number of ranges that are listed.
const MAX_GAPS: usize = 5;

/// Lists the first `count` processes that are not in `known`, which ascends: `1, 4 to 6 and 20 more`.
pub(crate) fn named(known: impl Iterator<Item = ProcessId>, count: u64) -> String {
    let (mut texts, mut unnamed, mut next) = (vec![], 0, 0);
    for process in known.map(|process| u64::from(process.label())).chain([count]) {
        if process > next {
            let last = process - 1;
            if texts.len() < MAX_GAPS {
                texts.push(if last == next { next.to_string() } else { format!("{next} to {last}") });
            } else {
                unnamed += process - next;
            }
        }
        next = process + 1;
    }
    let more = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
    format!("{}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_named_and_from_the_sixth_on_counted() {
        let missing = |known: &[u32], count| named(known.iter().copied().map(ProcessId::new), count);
        assert_eq!(missing(&[0, 2, 3, 7], 8), "1, 4 to 6");
        assert_eq!(missing(&[], 4), "0 to 3");
        assert_eq!(missing(&[1, 3, 5, 7, 9], 14), "0, 2, 4, 6, 8 and 4 more");
    }
}
