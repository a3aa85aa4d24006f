//! The least bound under which a search succeeds.

/// What `search` finds under the least of some bounds under which it finds anything.
///
/// `search` must find something under every bound larger than one under which it does. It is called as often as
/// the binary logarithm of the number of bounds says, and once more.
pub(super) fn least_feasible<T>(mut bounds: Vec<u64>, mut search: impl FnMut(u64) -> Option<T>) -> Option<T> {
    bounds.sort_unstable();
    bounds.dedup();
    let mut best = search(*bounds.last()?)?;
    let (mut low, mut high) = (0, bounds.len() - 1);
    while low < high {
        let middle = low.midpoint(high);
        match search(bounds[middle]) {
            Some(found) => {
                best = found;
                high = middle;
            }
            None => low = middle + 1,
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_bound_that_works_is_found() {
        for least in 0..12 {
            let found = least_feasible(vec![7, 3, 3, 9, 1, 10], |bound| (bound >= least).then_some(bound));
            assert_eq!(found, [1, 3, 7, 9, 10].into_iter().find(|&bound| bound >= least));
        }
    }
}
