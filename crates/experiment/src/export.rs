//! Results as other programs read them.
//!
//! Records are types of their own, apart from the simulator's: their names and order are the interface
//! (`docs/reading-results.md`). What does not apply is `null`, never left out and never 0.

mod bench_record;
mod document;
mod flat;
mod machine_record;
mod parquet;
mod placement_record;
mod planned_run;
mod process_row;
mod program_record;
mod read_flat;
mod run_caption;
mod run_record;
mod settings;
mod word;

pub use bench_record::BenchRecord;
pub use document::{Document, write_document, write_lines};
pub use flat::write_csv;
pub use machine_record::MachineRecord;
pub use parquet::{ParquetTable, write_parquet};
pub use placement_record::{
    ConstructionRecord, DistancesRecord, PlacementEntry, PlacementRecord, PromisedStepsRecord,
};
pub use planned_run::PlannedRun;
pub use process_row::ProcessRow;
pub use program_record::ProgramRecord;
pub use read_flat::{ReadResultsError, read_flat};
pub use run_caption::{RunCaption, ScenarioCaption};
pub use run_record::{
    DistanceRecord, DistributionRecord, ExecutionRecord, RunRecord, StageRecord, TotalsRecord,
};
pub use settings::{counted, settings};
pub use word::Word;
