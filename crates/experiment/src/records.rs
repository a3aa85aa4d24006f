//! Result records and their file formats.
//!
//! Record types are separate from the simulator's types: their names and order are the interface
//! (`docs/reading-results.md`). In JSON, values that do not apply are `null`, never left out and never 0.
//! Each record is in one file with its columns (`column`), from which the other formats derive.

mod caption;
pub(crate) mod claim_record;
pub(crate) mod collective_record;
pub(crate) mod column;
pub(crate) mod construction_record;
mod csv_file;
pub(crate) mod definition;
mod document;
pub(crate) mod execution_record;
mod finished_run;
mod glossary;
pub(crate) mod job_record;
mod leading_columns;
pub(crate) mod links_record;
pub(crate) mod machine_record;
pub(crate) mod message_record;
pub(crate) mod open_loop_record;
pub(crate) mod open_loop_rows;
mod parquet;
pub(crate) mod pipeline_record;
pub(crate) mod placement_record;
pub(crate) mod program_record;
mod provenance;
mod read_flat;
mod results_schema;
pub(crate) mod router_record;
pub(crate) mod row_of_run;
mod row_records;
mod run_record;
pub(crate) mod search_record;
pub(crate) mod shared_columns;
mod single_run_table;
pub(crate) mod terms;
mod time_record;
mod topic;
mod trace_record;
pub(crate) mod transmission_record;

pub use crate::input::exact_mean::{exact_mean, mean_of_means};
pub use caption::{RunCaption, ScenarioCaption, counted, settings, size_in_words};
pub use claim_record::{ClaimRecord, Figure};
pub use collective_record::StepRecord;
pub use column::{Cell, Record, Row, Word};
pub use construction_record::{ConstructionRecord, PromisedStepsRecord};
pub use csv_file::{CsvHeader, write_csv, write_csv_rows};
pub use definition::Definition;
pub use document::{Document, write_document, write_lines};
pub use execution_record::{ExecutionRecord, PhaseLengths};
pub use finished_run::{BusyLinks, FinishedRun, HeldUpMessages, LinkTraffic, OpenLoopResult, ProgramBounds};
pub use glossary::DefinitionGroup;
pub use job_record::{JobStepRecord, JobTimeRecord, LargestRecord};
pub use leading_columns::{LeadingCells, LeadingColumns, LedRow};
pub use links_record::{LinkClassRecord, LinksRecord};
pub use machine_record::MachineRecord;
pub use message_record::MessageRecord;
pub use open_loop_record::{
    BatchRecord, LatencyRecord, LoadRecord, MeasurementsRecord, OpenLoopRecord, SeedRecord, SeedsRecord,
};
pub use open_loop_rows::{BufferRecord, ChannelRecord, PacketRecord};
pub use parquet::{ParquetTable, write_parquet};
pub use pipeline_record::{PipelineRecord, TaskTimesRecord};
pub(crate) use placement_record::dilation_bound;
pub use placement_record::{DistancesRecord, PlacementEntry, PlacementRecord, WeightedMetrics};
pub use program_record::ProgramRecord;
pub use provenance::{Build, Provenance, RunDigests};
pub use read_flat::{ReadResultsError, read_flat};
pub use results_schema::results_schema;
pub use router_record::RouterRecord;
pub use row_of_run::RowOfRun;
pub use row_records::{PlannedRun, ProcessRecord, ProcessStage, RankOfProcess, StepOfStage, table_columns};
#[cfg(test)]
pub(crate) use run_record::bus_share;
pub(crate) use run_record::swept;
pub use run_record::{ReceivedRecord, RunRecord};
pub use search_record::SearchRecord;
pub use single_run_table::{SingleRunColumn, SingleRunTable};
pub use time_record::{DistanceRecord, DistributionRecord, StageRecord, TotalsRecord};
pub use topic::Topic;
pub use trace_record::TraceTimesRecord;
pub use transmission_record::TransmissionRecord;
