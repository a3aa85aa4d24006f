//! Experiments: scenario files, sweeps, runs and result records.

mod scenario;

pub use scenario::{
    DimensionChoice, EmbeddingName, EngineChoice, Execution, ExecutionMode, Phases, Run, Scenario,
    ScenarioError, ScenarioErrors, load,
};
