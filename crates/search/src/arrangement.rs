//! Which process is in which place.

use cubefold_topology::NodeId;

/// A permutation: token `n` is process `n` if it exists, and an empty place otherwise.
///
/// Places are numbered site by site, so that every change of a placement is an exchange of tokens, including the move
/// of a process to an empty node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arrangement {
    places: Vec<u32>, // by token
    tokens: Vec<u32>, // by place
    per_site: usize,
}

impl Arrangement {
    /// The arrangement of processes on nodes, by label. `sites` are all nodes that they may be on, in ascending order of
    /// their numbers in `site_of`.
    ///
    /// `None` if a process is on no site, or a site has too many.
    pub(crate) fn new(nodes: &[NodeId], sites: &[NodeId], per_site: usize) -> Option<Self> {
        let mut order: Vec<(NodeId, usize)> = sites.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut taken = vec![0; sites.len()];
        let count = sites.len() * per_site;
        let (mut places, mut tokens) = (vec![u32::MAX; count], vec![u32::MAX; count]);
        for (token, node) in nodes.iter().enumerate() {
            let found = order.binary_search_by_key(node, |&(site, _)| site).ok()?;
            let site = order[found].1;
            if taken[site] == per_site {
                return None;
            }
            let place = site * per_site + taken[site];
            taken[site] += 1;
            places[token] = u32::try_from(place).ok()?;
            tokens[place] = u32::try_from(token).ok()?;
        }
        let empty: Vec<usize> = (0..count).filter(|&place| tokens[place] == u32::MAX).collect();
        for (token, place) in (nodes.len()..count).zip(empty) {
            places[token] = u32::try_from(place).ok()?;
            tokens[place] = u32::try_from(token).ok()?;
        }
        Some(Self { places, tokens, per_site })
    }

    /// The arrangement whose tokens are in these places, each in one of its own.
    pub(crate) fn of_places(places: Vec<u32>, per_site: usize) -> Self {
        let mut tokens = vec![0; places.len()];
        for (token, &place) in (0..).zip(&places) {
            tokens[place as usize] = token;
        }
        Self { places, tokens, per_site }
    }

    /// The places, by token.
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// The number of tokens, and of places.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The token in a place.
    #[inline]
    pub(crate) fn token(&self, place: u32) -> u32 {
        self.tokens[place as usize]
    }

    /// The site of a token, by its number.
    #[inline]
    pub(crate) fn site(&self, token: u32) -> usize {
        self.places[token as usize] as usize / self.per_site
    }

    /// The most processes of a site.
    pub(crate) fn per_site(&self) -> usize {
        self.per_site
    }

    #[inline]
    pub(crate) fn exchange(&mut self, one: u32, other: u32) {
        self.places.swap(one as usize, other as usize);
        self.tokens[self.places[one as usize] as usize] = one;
        self.tokens[self.places[other as usize] as usize] = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_places_are_tokens_behind_the_processes() {
        let sites: Vec<NodeId> = [7, 3, 5].map(NodeId::new).to_vec();
        let mut arrangement = Arrangement::new(&[5, 7, 7].map(NodeId::new), &sites, 2).unwrap();
        assert_eq!((0..6).map(|token| arrangement.site(token)).collect::<Vec<_>>(), [2, 0, 0, 1, 1, 2]);
        arrangement.exchange(0, 3);
        assert_eq!((arrangement.site(0), arrangement.site(3)), (1, 2));
        assert!((0..).zip(arrangement.places()).all(|(token, &place)| arrangement.token(place) == token));
    }

    #[test]
    fn a_site_too_full_or_a_foreign_node_is_refused() {
        let sites: Vec<NodeId> = [7, 3].map(NodeId::new).to_vec();
        assert_eq!(Arrangement::new(&[3, 3].map(NodeId::new), &sites, 1), None);
        assert_eq!(Arrangement::new(&[4].map(NodeId::new), &sites, 1), None);
    }
}
