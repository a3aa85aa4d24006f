//! Result records and their file formats.
//!
//! Record types are separate from the simulator's types: their names and order are the interface
//! (`docs/reading-results.md`). In JSON, values that do not apply are `null`, never left out and never 0.
//! Each record is in one file with its columns (`column`), from which the other formats derive.

mod caption;
mod claim_record;
mod collective_record;
mod column;
mod construction_record;
mod csv_file;
mod definition;
mod document;
mod execution_record;
mod finished_run;
mod glossary;
mod grouped;
mod job_record;
mod leading_columns;
mod links_record;
mod machine_record;
mod message_record;
mod open_loop_record;
mod open_loop_rows;
mod parquet;
mod pipeline_record;
mod placement_record;
mod program_record;
mod provenance;
mod read_flat;
mod received_record;
mod results_schema;
mod router_record;
mod row_of_run;
mod row_records;
mod run_record;
mod run_values;
mod search_record;
mod shared_columns;
mod single_run_table;
mod terms;
mod time_record;
mod topic;
mod trace_record;
mod transmission_record;

pub use cubefold_formats::input::text::counted;

pub use caption::{RunCaption, ScenarioCaption, settings, size_in_words};
pub use claim_record::{ClaimRecord, Figure};
pub use collective_record::StepRecord;
pub use column::{Cell, Record, Row, Word};
pub use construction_record::{ConstructionRecord, PromisedStepsRecord};
pub use csv_file::{CsvHeader, write_csv, write_csv_rows};
pub use cubefold_formats::input::exact_mean::{exact_mean, mean_of_means};
pub use definition::{Definition, Kind};
pub use document::{Document, write_document, write_lines};
pub use execution_record::{ExecutionRecord, PhaseLengths};
pub use finished_run::{BusyLinks, FinishedRun, HeldUpMessages, LinkTraffic, OpenLoopResult, ProgramBounds};
pub use glossary::{DefinitionGroup, is_heading, nearest_names};
pub use grouped::grouped;
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
pub use placement_record::dilation_bound;
pub use placement_record::{DistancesRecord, PlacementEntry, PlacementRecord, WeightedMetrics};
pub use program_record::ProgramRecord;
pub use provenance::{Build, Provenance, RunDigests};
pub use read_flat::{ReadResultsError, read_flat};
pub use received_record::ReceivedRecord;
pub use results_schema::results_schema;
pub use router_record::RouterRecord;
pub use row_of_run::RowOfRun;
pub use row_records::{PlannedRun, ProcessRecord, ProcessStage, RankOfProcess, StepOfStage, table_columns};
pub use run_record::{RunRecord, swept};
pub use run_values::bus_share;
pub use search_record::SearchRecord;
pub use single_run_table::{SingleRunColumn, SingleRunTable};
pub use time_record::{DistanceRecord, DistributionRecord, StageRecord, TotalsRecord};
pub use topic::Topic;
pub use trace_record::TraceTimesRecord;
pub use transmission_record::TransmissionRecord;
