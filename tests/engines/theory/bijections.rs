//! All one-to-one placements, for claims that are tried on every one of them.

/// Calls `visit` with every order of `0..count`, each once.
pub(crate) fn for_each_bijection(count: u32, mut visit: impl FnMut(&[u32])) {
    let mut nodes: Vec<u32> = (0..count).collect();
    permute(&mut nodes, 0, &mut visit);
}

/// Calls `visit` with every order of the entries from `fixed` on, and leaves them as they were.
fn permute(nodes: &mut [u32], fixed: usize, visit: &mut impl FnMut(&[u32])) {
    if fixed == nodes.len() {
        visit(nodes);
        return;
    }
    for chosen in fixed..nodes.len() {
        nodes.swap(fixed, chosen);
        permute(nodes, fixed + 1, visit);
        nodes.swap(fixed, chosen);
    }
}

#[test]
fn every_bijection_is_visited_once() {
    let mut seen = std::collections::BTreeSet::new();
    for_each_bijection(6, |nodes| {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        assert!(seen.insert(nodes.to_vec()));
    });
    assert_eq!(seen.len(), 720);
}
