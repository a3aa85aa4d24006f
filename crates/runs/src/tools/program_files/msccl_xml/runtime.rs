//! Runtimes that execute MSCCL XML: their names of collectives, and their limits.
//!
//! Microsoft's fork of NCCL (`msccl.h`) runs an algorithm only for vectors below `maxBytes`. Azure's executor and
//! RCCL (`msccl_struct.h`) take 0 as no limit, and know other names of reduce-scatter. The limits are those of the
//! headers; a runtime may be built with others.

use std::fmt;

/// A runtime. The set is closed; the command line uses the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MscclRuntime {
    name: &'static str,
    summary: &'static str,
    reduce_scatter: &'static str,
    max_steps: Option<usize>, // of a thread block
    max_peers: Option<usize>, // to which a channel of a GPU sends, or from which it receives
    moves_items: bool,        // whether a chunk may have another place at its destination
}

/// The properties of a program that runtimes limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    /// The most steps of a thread block.
    pub(super) steps: usize,
    /// The most peers of a GPU on one channel and in one direction.
    pub(super) peers: usize,
    /// Whether a chunk has another place at its destination.
    pub(super) moves_items: bool,
}

impl MscclRuntime {
    const MSCCL: Self = Self {
        name: "msccl",
        summary: "Microsoft's fork of NCCL",
        reduce_scatter: "reduce_scatter",
        max_steps: Some(256),
        max_peers: Some(32),
        moves_items: true,
    };
    const EXECUTOR: Self = Self {
        name: "msccl-executor",
        summary: "Azure's msccl-executor-nccl",
        reduce_scatter: "reducescatter",
        max_steps: Some(64),
        ..Self::MSCCL
    };
    const RCCL: Self =
        Self { name: "rccl", summary: "AMD's RCCL", reduce_scatter: "reducescatter", ..Self::MSCCL };
    const ASTRA_SIM: Self = Self {
        name: "astra-sim",
        summary: "Custom collectives of ASTRA-sim",
        reduce_scatter: "reduce_scatter",
        max_steps: None,
        max_peers: None,
        moves_items: false,
    };

    /// Every runtime; the first is the default.
    pub const ALL: [Self; 4] = [Self::MSCCL, Self::EXECUTOR, Self::RCCL, Self::ASTRA_SIM];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// A description for a help text.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.summary
    }

    /// The name of a reduce-scatter.
    pub(super) fn reduce_scatter(self) -> &'static str {
        self.reduce_scatter
    }

    /// The limits that a program exceeds, each as `65 steps in a thread block, of at most 64`.
    pub(super) fn passed(self, demand: Demand) -> Vec<String> {
        let mut passed = vec![];
        if let Some(most) = self.max_steps.filter(|&most| demand.steps > most) {
            passed.push(format!("{} steps in a thread block, of at most {most}", demand.steps));
        }
        if let Some(most) = self.max_peers.filter(|&most| demand.peers > most) {
            passed.push(format!("{} peers on a channel, of at most {most}", demand.peers));
        }
        if demand.moves_items && !self.moves_items {
            passed.push("chunks with different places at their source and destination".to_owned());
        }
        passed
    }
}

impl fmt::Display for MscclRuntime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
