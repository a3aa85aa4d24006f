//! Embeddings that a caller of the library adds to a scenario.

use std::sync::Arc;

use cubefold_mapping::{Placement, PlacementTable, PlacementTableError};
use cubefold_topology::NodeId;

use super::{EmbeddingName, Run, Scenario, Site};

/// The reason why an embedding cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddedEmbeddingError {
    /// The number of nodes listed differs from the number of processes.
    #[error("embedding {name} places {found} processes, expected {expected} as in the program")]
    ProcessCount {
        /// The name of the embedding.
        name: String,
        /// The number of nodes listed.
        found: usize,
        /// The number of processes.
        expected: u64,
    },
    /// A node that the machine does not have.
    #[error("embedding {name}: {error}")]
    Node {
        /// The name of the embedding.
        name: String,
        /// The node, and the nodes of the machine.
        error: PlacementTableError,
    },
}

impl Scenario {
    /// Adds an embedding to every combination, after those of the file.
    ///
    /// Given a program and a machine, `place` lists the node of every process, by process. Results call the embedding
    /// `name`.
    ///
    /// # Errors
    ///
    /// If the length of a list differs from the number of processes, or a node is not in the machine.
    pub fn add_embedding(
        &mut self,
        name: &str,
        place: impl Fn(&Site) -> Vec<NodeId>,
    ) -> Result<(), AddedEmbeddingError> {
        let combinations = self.runs.chunk_by(|one, other| one.combination == other.combination);
        let mut runs = Vec::with_capacity(self.runs.len());
        for combination in combinations {
            runs.extend_from_slice(combination);
            if let Some(last) = combination.last() {
                runs.push(last.placed_by(name, &place)?);
            }
        }
        self.runs = runs;
        Ok(())
    }
}

impl Run {
    /// The run with its processes placed by `place`.
    fn placed_by(
        &self,
        name: &str,
        place: &impl Fn(&Site) -> Vec<NodeId>,
    ) -> Result<Self, AddedEmbeddingError> {
        let site = Site {
            machine: Arc::clone(&self.machine),
            partition: self.partition.clone(),
            program: Arc::clone(&self.program),
        };
        let (nodes, expected) = (place(&site), self.program.body.process_count());
        if nodes.len() as u64 != expected {
            let found = nodes.len();
            return Err(AddedEmbeddingError::ProcessCount { name: name.to_owned(), found, expected });
        }
        let resolved = self.resolved.placed_on(name, &nodes);
        let table = PlacementTable::new(&self.machine, nodes)
            .map_err(|error| AddedEmbeddingError::Node { name: name.to_owned(), error })?;
        let placement = Arc::new(Placement::Table(table));
        let embedding = EmbeddingName::Added(name.to_owned());
        Ok(Self { embedding, placement, resolved, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_text;
    use std::path::Path;

    fn scenario() -> Scenario {
        let text = "[machine]\nkind = \"ring\"\nshape = [8]\n[mapping]\nembeddings = [\"standard\", \"xor\"]\n\
                    [sweep]\n\"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n";
        load_text(Path::new("ring.toml"), text).unwrap()
    }

    #[test]
    fn every_combination_has_the_embedding_last() {
        let mut scenario = scenario();
        scenario.add_embedding("reversed", |_| (0..8).rev().map(NodeId::new).collect()).unwrap();
        let names: Vec<String> = scenario.runs.iter().map(|run| run.embedding.to_string()).collect();
        assert_eq!(names, ["standard", "xor", "reversed", "standard", "xor", "reversed"]);
        assert_eq!(scenario.runs[5].placement.nodes()[0], NodeId::new(7));
    }

    #[test]
    fn wrong_lists_are_refused() {
        let short = scenario().add_embedding("short", |_| vec![NodeId::new(0)]).unwrap_err();
        assert_eq!(short.to_string(), "embedding short places 1 processes, expected 8 as in the program");
        let outside = scenario().add_embedding("outside", |_| vec![NodeId::new(8); 8]).unwrap_err();
        assert_eq!(outside.to_string(), "embedding outside: process 0 on node 8, expected a node in 0 to 7");
    }
}
