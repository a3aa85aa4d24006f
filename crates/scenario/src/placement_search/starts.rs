//! The placements that a search starts from.

use cubefold_mapping::{
    AxisOrder, CHAN, EVEN_SQUEEZE, EmbeddingKind, Placement, PlacementTask, SeededEmbedding, hilbert_order,
};
use cubefold_search::Start;
use cubefold_topology::{NodeId, Shape};

use super::PlacementSearchError;
use crate::{
    Run,
    embeddings::{Distribution, distributed, filled, task_nodes},
    mapping::{by_coordinate_sums, is_mesh_on_a_line},
};

/// The most orders of whole axes, and of boxes, that a search starts from.
const MAX_AXIS_ORDERS: usize = 48;
const MAX_BOXES: usize = 192;
/// The most placements of blocks of ranks.
const MAX_BLOCKS: usize = 192;

/// The most placements besides those of the scenario.
pub(super) const MOST: usize = EmbeddingKind::ALL.len() + 6 + MAX_AXIS_ORDERS + MAX_BOXES + MAX_BLOCKS;

/// The placements to start from: those requested; or else all of the scenario, the named ones, and blocks of ranks if
/// nodes have several.
pub(super) fn all(
    runs: &[Run],
    asked: &[String],
    sites: &[NodeId],
    per_site: usize,
) -> Result<Vec<Start>, PlacementSearchError> {
    let start = |run: &Run| {
        let mut nodes = run.placement.nodes();
        nodes.truncate(usize::try_from(run.program.rank_count()).unwrap_or(usize::MAX));
        Start { name: Some(run.embedding.to_string()), nodes }
    };
    if let Some(name) = asked.iter().find(|name| runs.iter().all(|run| run.embedding.to_string() != **name)) {
        let known = runs.iter().map(|run| run.embedding.to_string()).collect();
        return Err(PlacementSearchError::NoSuchStart { name: name.clone(), known });
    }
    // The reference is the first, even if it is not requested.
    let is_asked = |place: usize, run: &Run| {
        place == 0 || asked.is_empty() || asked.contains(&run.embedding.to_string())
    };
    let listed = runs.iter().enumerate().filter(|&(place, run)| is_asked(place, run));
    let mut starts: Vec<Start> = listed.map(|(_, run)| start(run)).collect();
    if asked.is_empty() {
        let guest = runs[0].program.placed_shape();
        let in_blocks = if per_site > 1 { blocks(&runs[0], guest.shape(), per_site) } else { vec![] };
        for other in fitting(&runs[0], guest.shape(), sites).into_iter().chain(in_blocks) {
            if starts.iter().all(|start| start.nodes != other.nodes) {
                starts.push(other);
            }
        }
    }
    Ok(starts)
}

/// The placements of known embeddings that fit a run, with the names by which a scenario could list them.
fn fitting(run: &Run, guest: &Shape, sites: &[NodeId]) -> Vec<Start> {
    // Scenarios apply rules for cubes and orders of axes to whole machines, with one process or group per node.
    let has_name = run.program.ranks_per_node == 1 && run.allocation.is_none();
    let mut found = vec![];
    if let Some(cube) = run.program.exchange_cube.or_else(|| run.program.cube_of_grid()) {
        for kind in EmbeddingKind::ALL {
            if let Ok(placement) = Placement::embed(kind, cube, &run.machine) {
                let name = has_name.then(|| kind.name().to_owned());
                found.push(Start { name, nodes: placement.nodes() });
            }
        }
    }
    if has_name {
        found.extend(of_mesh(run));
    }
    found.extend(by_number(run, sites));
    found.extend(orders(run, guest).map(|(order, nodes)| {
        let name = has_name.then(|| format!("axes:{order}"));
        Start { name, nodes }
    }));
    found
}

/// The constructions for meshes on lines, in meshes of fewer rows and in cubes (`docs/model.md` sections 29.6 and 29.7).
fn of_mesh(run: &Run) -> Vec<Start> {
    let guest = run.program.placed_shape();
    let mut found = vec![];
    if is_mesh_on_a_line(&guest, &run.machine) {
        let name = Some(EmbeddingKind::Byweight.name().to_owned());
        found.push(Start { name, nodes: by_coordinate_sums(&guest, &run.machine) });
    }
    let key = |_: &str| [0; 32]; // they draw nothing
    let task = PlacementTask { guest: &guest, machine: &run.machine, hosts: None, per_node: 1, key: &key };
    for SeededEmbedding { name, place, .. } in [EVEN_SQUEEZE, CHAN] {
        let placement = place(&task).ok();
        found.extend(
            placement.map(|placement| Start { name: Some(name.to_owned()), nodes: placement.nodes() }),
        );
    }
    found
}

/// The placements that depend only on the order of the nodes.
fn by_number(run: &Run, sites: &[NodeId]) -> Vec<Start> {
    let (ranks, each) = (run.program.rank_count(), run.program.ranks_per_node);
    if ranks.div_ceil(each) > sites.len() as u64 || run.program.block.is_some() {
        return vec![];
    }
    let nodes = task_nodes(&run.machine, sites);
    let slurm = |distribution| distributed(ranks, &nodes, each, distribution);
    let all = [
        ("hilbert", filled(ranks, &hilbert_order(&run.machine, sites), each)),
        ("block", slurm(Distribution::Block)),
        ("cyclic", slurm(Distribution::CYCLIC)),
    ];
    all.map(|(name, nodes)| Start { name: Some(name.to_owned()), nodes }).into()
}

/// The orders of axes that fit, each with its nodes for a guest of this shape.
fn orders<'a>(run: &'a Run, guest: &'a Shape) -> impl Iterator<Item = (AxisOrder, Vec<NodeId>)> + 'a {
    let mut orders = AxisOrder::all(guest, &run.machine).unwrap_or_default();
    orders.truncate(MAX_AXIS_ORDERS);
    orders.extend(AxisOrder::boxes(guest, &run.machine, MAX_BOXES));
    orders.into_iter().filter_map(move |order| {
        let table = order.place(guest, &run.machine).ok()?;
        Some((order, table.nodes().to_vec()))
    })
}

/// Placements of blocks of `per_site` neighbouring ranks, one block on each node.
fn blocks(run: &Run, guest: &Shape, per_site: usize) -> Vec<Start> {
    let shapes = block_lengths(guest.lengths(), per_site as u64);
    let of_shape = (MAX_BLOCKS / shapes.len().max(1)).max(1);
    let mut found = vec![];
    for block in shapes.into_iter().take(MAX_BLOCKS) {
        let lengths: Vec<u64> =
            guest.lengths().iter().zip(&block).map(|(whole, part)| whole / part).collect();
        let outer: Vec<u64> = lengths.iter().copied().filter(|&length| length > 1).collect();
        let Ok(outer) = Shape::new(&outer) else { continue };
        let block_of = |rank: u64| {
            let (mut rest, mut number, mut stride) = (rank, 0, 1);
            for ((length, part), blocks) in guest.lengths().iter().zip(&block).zip(&lengths) {
                number += rest % length / part * stride;
                (rest, stride) = (rest / length, stride * blocks);
            }
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let blocks: Vec<usize> = (0..guest.node_count()).map(block_of).collect();
        for (_, nodes) in orders(run, &outer).take(of_shape) {
            let nodes = blocks.iter().map(|&block| nodes[block]).collect();
            found.push(Start { name: None, nodes });
        }
    }
    found
}

/// All lengths of blocks of `count` ranks that divide those of a guest.
fn block_lengths(guest: &[u64], count: u64) -> Vec<Vec<u64>> {
    let Some((&length, others)) = guest.split_first() else {
        return if count == 1 { vec![vec![]] } else { vec![] };
    };
    let parts =
        (1..=length.min(count)).filter(|&part| length.is_multiple_of(part) && count.is_multiple_of(part));
    let with = |part: u64| {
        let rest = block_lengths(others, count / part);
        rest.into_iter().map(move |rest| [vec![part], rest].concat())
    };
    parts.flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{placement_search::sites, tests::scenario};

    /// The first run of a scenario with one embedding, and the starts of its search.
    fn starts(text: &str) -> (Run, Vec<Start>) {
        let run = scenario(text).runs[0].clone();
        let sites = sites(&run, u64::MAX).unwrap();
        let per_site = usize::try_from(run.placement.max_load()).unwrap();
        let starts = all(std::slice::from_ref(&run), &[], &sites, per_site).unwrap();
        (run, starts)
    }

    #[test]
    fn a_scenario_with_the_name_of_a_start_has_its_placement() {
        let cases = [
            ("shape = [4, 4]", "kind = \"cc-cube\"", 9),
            ("shape = [4, 4]\nfailed_links = [[[0, 0], [1, 0]]]", "kind = \"cc-cube\"", 2),
            ("shape = [4, 2]\nallocation = [[1, 0], [0, 1], [3, 1], [2, 0]]", "kind = \"cc-cube\"", 2),
            ("shape = [4, 2]", "kind = \"all-reduce\"\nalgorithm = \"ring\"\nshape = [2, 4]", 4),
            (
                "shape = [2, 2]\nprocessors_per_node = 4",
                "kind = \"all-reduce\"\nalgorithm = \"ring\"\nprocesses = 16\nprocesses_per_node = 4",
                2,
            ),
        ];
        for (machine, program, least) in cases {
            let text = |name: &str| {
                format!(
                    "[machine]\nkind = \"torus\"\n{machine}\n[program]\n{program}\n[mapping]\nembeddings = [\"{name}\"]\n"
                )
            };
            let (run, starts) = starts(&text("standard"));
            let ranks = usize::try_from(run.program.rank_count()).unwrap();
            let named = starts.iter().filter_map(|start| Some((start.name.as_ref()?, &start.nodes)));
            let mut count = 0;
            for (name, nodes) in named {
                let placed = scenario(&text(name)).runs[0].placement.nodes();
                assert_eq!(placed[..ranks], nodes[..], "{name}: {machine} {program}");
                count += 1;
            }
            assert!(count >= least, "{count}: {machine} {program}");
        }
    }

    #[test]
    fn meshes_and_cubes_start_from_their_constructions() {
        let names = |machine: &str, guest: &str| -> Vec<String> {
            let text = format!(
                "[machine]\n{machine}\n[program]\nkind = \"neighbour-exchange\"\nguest = {{ {guest} }}\n\
                 [mapping]\nembeddings = [\"standard\"]\n"
            );
            starts(&text).1.into_iter().filter_map(|start| start.name).collect()
        };
        let has = |machine: &str, guest: &str, name: &str| {
            let names = names(machine, guest);
            assert!(names.iter().any(|known| known == name), "{name} on {machine}: {names:?}");
        };
        let mesh = "kind = \"mesh\", shape = ";
        has("kind = \"line\"\nshape = [27]", &format!("{mesh}[3, 3, 3]"), "byweight");
        has("kind = \"hypercube\"\ndimensions = 6", &format!("{mesh}[5, 11]"), "chan");
        has("kind = \"mesh\"\nshape = [2, 12]", &format!("{mesh}[3, 8]"), "even-squeeze");
        has("kind = \"torus\"\nshape = [8, 8]", "kind = \"hypercube\", dimensions = 6", "xor");
    }

    #[test]
    fn blocks_are_neighbours_on_one_node() {
        let text = "[machine]\nkind = \"torus\"\nshape = [2, 2]\nprocessors_per_node = 8\n[program]\nkind = \"all-reduce\"\n\
                    algorithm = \"ring\"\nshape = [8, 4]\nprocesses_per_node = 8\n";
        let (_, starts) = starts(text);
        let in_blocks: Vec<&Start> = starts.iter().filter(|start| start.name.is_none()).collect();
        assert!(!in_blocks.is_empty());
        for start in &in_blocks {
            for node in (0..4).map(NodeId::new) {
                assert_eq!(start.nodes.iter().filter(|placed| **placed == node).count(), 8);
            }
        }
        // For example, two rows of four by two.
        assert!(in_blocks.iter().any(|in_block| in_block.nodes[..4] == [in_block.nodes[0]; 4]
            && in_block.nodes[8] == in_block.nodes[0]));
    }

    #[test]
    fn blocks_divide_a_guest() {
        assert_eq!(block_lengths(&[8, 6], 4), [[2, 2], [4, 1]]);
        assert_eq!(block_lengths(&[8, 6], 6), [[1, 6], [2, 3]]);
        assert_eq!(block_lengths(&[3], 2), Vec::<Vec<u64>>::new());
    }
}
