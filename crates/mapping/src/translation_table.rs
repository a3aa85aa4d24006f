//! Translation tables: the places of the guest neighbours of each process (Tao 1988, 4.4).

use cubefold_topology::NodeId;

use crate::{Guest, Placement, PlacementMetrics, ProcessId};

/// The table of one process: the physical addresses of its logical neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslationTable {
    /// The process whose table it is.
    pub process: ProcessId,
    /// Its node.
    pub node: NodeId,
    /// Each guest neighbour with its node.
    pub entries: Vec<(ProcessId, NodeId)>,
}

/// The method by which a table is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableMethod {
    /// Method 1: every node evaluates the embedding for each neighbour of its process; entries in the order
    /// of the guest's dimensions.
    #[default]
    Evaluation,
    /// Method 2: every node exchanges its own address with its physical neighbours and keeps the addresses of
    /// guest neighbours (errata A11); entries in the order of the host's directions. For placements of unit
    /// dilation.
    Exchange,
}

/// A reason why method 2 does not apply to a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableMethodError {
    /// Some guest neighbours are not neighbours on the machine.
    #[error("dilation {dilation}, expected 1: method 2 asks the physical neighbours only")]
    Dilation {
        /// The largest dilation.
        dilation: u64,
    },
    /// Some processes share a node.
    #[error("processes that share nodes, expected one process a node: method 2 exchanges one address a node")]
    SharedNodes,
}

/// Returns the tables of all processes, node by node. Each is made on demand, so that the tables of a large machine are
/// never in memory together.
///
/// # Errors
///
/// When `method` is the exchange and the placement does not have unit dilation or is many-to-one.
pub fn translation_tables<'a, G: Guest>(
    guest: &'a G,
    placement: &'a Placement,
    method: TableMethod,
) -> Result<impl Iterator<Item = TranslationTable> + 'a, TableMethodError> {
    if method == TableMethod::Exchange {
        check_exchange(guest, placement)?;
    }
    let table = move |(node, process)| TranslationTable {
        process,
        node,
        entries: match method {
            TableMethod::Evaluation => evaluate(guest, placement, process),
            TableMethod::Exchange => exchange(guest, placement, process, node),
        },
    };
    let on_node = move |node| placement.processes(node).map(move |process| (node, process));
    Ok(placement.occupied_nodes().flat_map(on_node).map(table))
}

fn check_exchange<G: Guest>(guest: &G, placement: &Placement) -> Result<(), TableMethodError> {
    if !placement.is_one_to_one() {
        return Err(TableMethodError::SharedNodes);
    }
    match PlacementMetrics::largest_dilation(guest, placement) {
        0 | 1 => Ok(()),
        dilation => Err(TableMethodError::Dilation { dilation }),
    }
}

/// The embedding, for each neighbour.
fn evaluate<G: Guest>(guest: &G, placement: &Placement, process: ProcessId) -> Vec<(ProcessId, NodeId)> {
    guest.neighbours(process).map(|neighbour| (neighbour, placement.node(neighbour))).collect()
}

/// The addresses of the physical neighbours that are guest neighbours.
fn exchange<G: Guest>(
    guest: &G,
    placement: &Placement,
    process: ProcessId,
    node: NodeId,
) -> Vec<(ProcessId, NodeId)> {
    let machine = placement.machine();
    let received = machine
        .neighbours(node)
        .flat_map(|there| placement.processes(there).map(move |process| (process, there)));
    received.filter(|(other, _)| guest.neighbours(process).any(|neighbour| neighbour == *other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmbeddingKind, GraphGuest, Hypercube, PlacementTable};
    use cubefold_topology::{Machine, MachineKind};

    fn sorted(tables: impl Iterator<Item = TranslationTable>) -> Vec<TranslationTable> {
        tables
            .map(|mut table| {
                table.entries.sort_unstable();
                table
            })
            .collect()
    }

    #[test]
    fn both_methods_give_the_same_tables_at_unit_dilation() {
        let cube = Hypercube::new(4).unwrap();
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let gray = Placement::embed(EmbeddingKind::Gray, cube, &torus).unwrap();
        let by = |method| sorted(translation_tables(&cube, &gray, method).unwrap());
        let tables = by(TableMethod::Evaluation);
        assert_eq!(tables, by(TableMethod::Exchange));
        assert_eq!(tables.len(), 16);
        assert!(tables.iter().all(|table| table.entries.len() == 4));
    }

    #[test]
    fn host_neighbours_that_are_no_guest_neighbours_are_dropped() {
        // Errata A11: the line of 4 on the (2, 2)-mesh, as 0 1 / 3 2: process 0 must not get process 3.
        let line = GraphGuest::new(Machine::new(MachineKind::Line, &[4]).unwrap());
        let mesh = Machine::new(MachineKind::Mesh, &[2, 2]).unwrap();
        let nodes = [0, 1, 3, 2].map(NodeId::new).to_vec();
        let placement = Placement::Table(PlacementTable::new(&mesh, nodes).unwrap());
        let tables = sorted(translation_tables(&line, &placement, TableMethod::Exchange).unwrap());
        let first = tables.iter().find(|table| table.process.label() == 0).unwrap();
        assert_eq!(first.entries, [(ProcessId::new(1), NodeId::new(1))]);
    }

    #[test]
    fn the_exchange_is_refused_where_neighbours_are_far_or_share_nodes() {
        let cube = Hypercube::new(3).unwrap();
        let ring = Machine::new(MachineKind::Ring, &[8]).unwrap();
        let xor = Placement::embed(EmbeddingKind::Xor, cube, &ring).unwrap();
        let refused = translation_tables(&cube, &xor, TableMethod::Exchange).err().unwrap();
        assert_eq!(refused, TableMethodError::Dilation { dilation: 2 });
        let shared = Placement::Table(PlacementTable::new(&ring, vec![NodeId::new(0); 8]).unwrap());
        let refused = translation_tables(&cube, &shared, TableMethod::Exchange).err().unwrap();
        assert_eq!(refused, TableMethodError::SharedNodes);
        let evaluated = translation_tables(&cube, &shared, TableMethod::Evaluation).unwrap();
        assert_eq!(evaluated.count(), 8);
    }
}
