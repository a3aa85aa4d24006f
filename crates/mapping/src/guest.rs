//! What metrics need to know of a guest.

use crate::ProcessId;

/// A guest graph: processes, and edges sorted into dimensions.
pub trait Guest: Sync {
    /// The number of processes, at most 2^32.
    fn process_count(&self) -> u64;

    /// The number of dimensions that the edges are sorted into.
    fn dimension_count(&self) -> usize;

    /// The edges of one dimension (counted from 0), each once, the smaller label first.
    fn edges(&self, dimension: usize) -> impl Iterator<Item = (ProcessId, ProcessId)>;

    /// The neighbours of a process, each once, in the order of the dimensions.
    fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId>;
}
