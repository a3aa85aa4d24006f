//! The data that the processes of a random access have received (`docs/model.md` section 28.3).

use cubefold_mapping::ProcessId;
use cubefold_simulator::{RandomAccess, Received};
use serde::{Deserialize, Serialize};

use super::column::join;

/// The data that the processes of a random access have received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReceivedRecord {
    /// By process, the process whose data it has read; `None` if it has asked for none.
    Read(Vec<Option<u32>>),
    /// By process, the processes whose data it holds, in ascending order.
    Written(Vec<Vec<u32>>),
}

impl ReceivedRecord {
    pub(super) fn new(access: &RandomAccess) -> Self {
        match access.received() {
            Received::Read(read) => {
                Self::Read(read.into_iter().map(|origin| origin.map(ProcessId::label)).collect())
            }
            Received::Written(held) => {
                let labels =
                    |processes: Vec<ProcessId>| processes.into_iter().map(ProcessId::label).collect();
                Self::Written(held.into_iter().map(labels).collect())
            }
        }
    }

    /// The entries as in CSV, separated by spaces.
    pub(super) fn in_words(&self) -> String {
        let entries: Vec<String> = match self {
            Self::Read(read) => read
                .iter()
                .map(|origin| origin.map_or_else(String::new, |origin| origin.to_string()))
                .collect(),
            Self::Written(held) => {
                held.iter().map(|processes| format!("[{}]", join(processes, ","))).collect()
            }
        };
        entries.join(" ")
    }
}
