//! A small bar of where the time of the processes goes.

use cubefold_experiment::export::{RunRecord, TotalsRecord};

/// How many letters a bar has.
const LETTERS: u128 = 10;

/// What processes do with their time, in the order of a stage: a letter, what it says, and the cycles.
type Activity = (char, &'static str, fn(&TotalsRecord) -> u128);

const ACTIVITIES: [Activity; 6] = [
    ('c', "computes", |totals| totals.compute_cycles),
    ('s', "shares a processor", |totals| totals.sharing_cycles),
    ('w', "waits", |totals| totals.waiting_cycles),
    ('t', "on the way", |totals| totals.transfer_cycles),
    ('b', "blocked", |totals| totals.blocked_cycles),
    ('.', "idle at the end", |totals| totals.idle_at_end_cycles),
];

/// The bar: a letter for each tenth of the time, rounded so that there are ten. None where no time passes.
pub(super) fn time_bar(totals: &TotalsRecord) -> Option<String> {
    let cycles = ACTIVITIES.map(|(_, _, of)| of(totals));
    let all = cycles.iter().try_fold(0_u128, |sum, part| sum.checked_add(*part)).filter(|all| *all > 0)?;
    let mut shares = vec![];
    for part in cycles {
        let scaled = part.checked_mul(LETTERS)?;
        shares.push((scaled / all, scaled % all));
    }
    let given: u128 = shares.iter().map(|(whole, _)| whole).sum();
    // The letters that are left over go to the greatest remainders, of equal ones to the first.
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(shares[place].1));
    for &place in order.iter().take(usize::try_from(LETTERS - given).unwrap_or(0)) {
        shares[place].0 += 1;
    }
    let letters = |((whole, _), (letter, _, _)): (&(u128, u128), &Activity)| {
        letter.to_string().repeat(usize::try_from(*whole).unwrap_or(0))
    };
    Some(shares.iter().zip(&ACTIVITIES).map(letters).collect())
}

/// What the letters of the bars mean, where there are any.
pub(super) fn legend(records: &[RunRecord]) -> Option<String> {
    let bars: String = records.iter().filter_map(|record| time_bar(&record.totals)).collect();
    let used = ACTIVITIES.iter().filter(|(letter, _, _)| bars.contains(*letter));
    let meanings: Vec<String> = used.map(|(letter, meaning, _)| format!("{letter} {meaning}")).collect();
    (!meanings.is_empty()).then(|| format!("time: a tenth a letter: {}.", meanings.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bar of compute, sharing, waiting, transfer, blocked and idle cycles.
    fn bar(cycles: [u128; 6]) -> Option<String> {
        let [
            compute_cycles,
            sharing_cycles,
            waiting_cycles,
            transfer_cycles,
            blocked_cycles,
            idle_at_end_cycles,
        ] = cycles;
        time_bar(&TotalsRecord {
            compute_cycles,
            sharing_cycles,
            waiting_cycles,
            transfer_cycles,
            blocked_cycles,
            idle_at_end_cycles,
        })
    }

    #[test]
    fn a_bar_has_a_letter_for_each_tenth() {
        assert_eq!(bar([3, 1, 2, 2, 1, 1]).unwrap(), "cccswwttb.");
        assert_eq!(bar([384, 0, 0, 896, 0, 0]).unwrap(), "cccttttttt");
    }

    #[test]
    fn rounded_shares_add_up_to_ten() {
        // Six times 1.67: each has one letter, and the four that are left over go to the first.
        assert_eq!(bar([1; 6]).unwrap(), "ccsswwttb.");
        // 9.6, 0.3 and 0.1: what is small is not seen.
        assert_eq!(bar([96, 3, 1, 0, 0, 0]).unwrap(), "cccccccccc");
    }

    #[test]
    fn no_time_has_no_bar_and_the_greatest_sums_do_no_harm() {
        assert_eq!(bar([0; 6]), None);
        assert_eq!(bar([u128::MAX, 1, 0, 0, 0, 0]), None);
        assert_eq!(bar([u128::MAX, 0, 0, 0, 0, 0]), None);
    }
}
