//! The example of two small meshes of the same size in one another.

use cubefold_topology::{Machine, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::ClassicError,
    machines::{guest_edges, is_mesh, mesh, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

/// Which of the two meshes is the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleMeshes {
    /// The mesh (2, 9) in the mesh (3, 6), as the notes draw it.
    TwoByNineInThreeBySix,
    /// The mesh (3, 6) in the mesh (2, 9), as their lemma has it.
    ThreeBySixInTwoByNine,
}

impl ExampleMeshes {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::TwoByNineInThreeBySix, Self::ThreeBySixInTwoByNine];

    /// The lengths of the guest.
    #[must_use]
    pub fn guest_lengths(self) -> [u64; 2] {
        match self {
            Self::TwoByNineInThreeBySix => [2, 9],
            Self::ThreeBySixInTwoByNine => [3, 6],
        }
    }

    /// The lengths of the host.
    #[must_use]
    pub fn host_lengths(self) -> [u64; 2] {
        match self {
            Self::TwoByNineInThreeBySix => [3, 6],
            Self::ThreeBySixInTwoByNine => [2, 9],
        }
    }

    /// The most edges over a link with the routes that are chosen.
    #[must_use]
    pub fn link_congestion(self) -> u64 {
        match self {
            Self::TwoByNineInThreeBySix => 2,
            Self::ThreeBySixInTwoByNine => 3,
        }
    }

    /// The coordinates of the vertices in the host, found by search; the first guest coordinate varies fastest.
    fn coordinates(self) -> [[u32; 2]; 18] {
        match self {
            Self::TwoByNineInThreeBySix => [
                [0, 0],
                [2, 0],
                [1, 0],
                [2, 1],
                [0, 1],
                [1, 1],
                [0, 2],
                [2, 2],
                [1, 2], //
                [2, 3],
                [0, 3],
                [1, 3],
                [0, 4],
                [2, 4],
                [0, 5],
                [2, 5],
                [1, 4],
                [1, 5],
            ],
            Self::ThreeBySixInTwoByNine => [
                [0, 0],
                [1, 0],
                [0, 1],
                [1, 1],
                [1, 2],
                [0, 2],
                [1, 3],
                [0, 3],
                [0, 4], //
                [1, 4],
                [0, 5],
                [1, 5],
                [1, 6],
                [0, 6],
                [1, 7],
                [0, 7],
                [0, 8],
                [1, 8],
            ],
        }
    }
}

/// The meshes (2, 9) and (3, 6) in one another.
pub(super) static EXAMPLE_MESHES: ClassicConstruction = ClassicConstruction {
    name: "example-meshes",
    summary: "a mesh 2 x 9 on a mesh 3 x 6, or the other way round",
    promised_dilation: "2",
    source: "embeddings among 2D rectangular meshes",
    plan: |pair| {
        let fits = |example: &ExampleMeshes| {
            is_mesh(pair.guest, &example.guest_lengths()) && is_mesh(pair.host, &example.host_lengths())
        };
        let example = ExampleMeshes::BOTH.into_iter().find(fits)?;
        Some(Ok(Plan::exact(2, example_places(example))))
    },
};

/// One of the meshes (2, 9) and (3, 6) in the other: load 1, dilation 2 (CS838 1999, embeddings among 2D rectangular
/// meshes).
///
/// Of the two ways round a corner each edge takes one, so that link congestion is 2 from (2, 9) into (3, 6) and 3 the
/// other way round, where no routes of two links have less; the notes print 3 for the first (errata N7).
///
/// # Errors
///
/// None for these meshes.
pub fn example_meshes(example: ExampleMeshes) -> Result<RoutedEmbedding, ClassicError> {
    let (guest, host) = (mesh(&example.guest_lengths())?, mesh(&example.host_lengths())?);
    let places = example_places(example);
    let edges = guest_edges(&guest);
    let node = |vertex: ProcessId| places[vertex.label() as usize];
    let ends: Vec<_> = edges.iter().map(|&(from, to)| (node(from), node(to))).collect();
    let mut chosen = vec![];
    if !choose_ways(&host, &ends, example.link_congestion(), &mut chosen) {
        return Err(ClassicError::NotFound {
            guest: format!("the mesh {:?}", example.guest_lengths()),
            host: format!("the mesh {:?}", example.host_lengths()),
            steps: 1 << edges.len(),
        });
    }
    let mut ways = chosen.into_iter();
    Ok(RoutedEmbedding::new(host, places.clone(), edges, |_, _| ways.next().unwrap_or_default())?)
}

/// Where the vertices are.
pub(super) fn example_places(example: ExampleMeshes) -> Vec<NodeId> {
    let first = match example {
        ExampleMeshes::TwoByNineInThreeBySix => 3,
        ExampleMeshes::ThreeBySixInTwoByNine => 2,
    };
    nodes(example.coordinates().into_iter().map(|[one, other]| one + first * other))
}

/// Chooses a way of at most two links for each pair of nodes, so that no link has more than `most`; tries all.
fn choose_ways(host: &Machine, ends: &[(NodeId, NodeId)], most: u64, chosen: &mut Vec<Vec<NodeId>>) -> bool {
    let Some(&(from, to)) = ends.get(chosen.len()) else {
        return true;
    };
    ways(host, from, to).into_iter().any(|way| {
        chosen.push(way);
        let found = fits(chosen, most) && choose_ways(host, ends, most, chosen);
        if !found {
            chosen.pop();
        }
        found
    })
}

/// The ways from one node to another over at most two links, the direct one alone where there is one.
fn ways(host: &Machine, from: NodeId, to: NodeId) -> Vec<Vec<NodeId>> {
    if host.neighbours(from).any(|beside| beside == to) {
        return vec![vec![from, to]];
    }
    let corners = host.neighbours(from).filter(|&corner| host.neighbours(corner).any(|beside| beside == to));
    corners.map(|corner| vec![from, corner, to]).collect()
}

/// Whether the links of the way chosen last are in at most `most` ways.
fn fits(chosen: &[Vec<NodeId>], most: u64) -> bool {
    let links = |way: &[NodeId]| {
        way.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect::<Vec<_>>()
    };
    let last = chosen.last().map(|way| links(way)).unwrap_or_default();
    let all: Vec<_> = chosen.iter().flat_map(|way| links(way)).collect();
    last.iter().all(|link| all.iter().filter(|own| *own == link).count() as u64 <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_have_dilation_2_and_no_more_congestion_than_said() {
        for example in ExampleMeshes::BOTH {
            let measures = example_meshes(example).unwrap().measures();
            assert_eq!((measures.load, measures.least_load, measures.dilation), (1, 1, 2), "{example:?}");
            assert_eq!(measures.link_congestion, example.link_congestion(), "{example:?}");
        }
    }
}
