//! The table of formats, one line per format, and helpers that the readers share.

mod benchmarks;
pub(crate) mod booksim_config;
pub mod chakra;
mod dot;
mod gpus;
mod graphs;
mod hosts;
mod hypernode;
mod infiniband;
mod json_stream;
mod kineto;
mod labelled_matrix;
pub mod large;
mod logged_benchmarks;
mod matrices;
mod matrix_files;
mod message_traces;
mod nccl;
mod networks;
mod numbers;
mod placements;
mod profilers;
mod ranks;
mod schedulers;
mod simgrid_platform;
mod traces;
mod ucx_perftest;
mod unread;
mod xml;

pub use self::matrices::FIRST_MENTION;
use crate::{
    format::{Complaint, FileText, Format, Reader, Reading},
    input::diagnostic::Diagnostics,
    value::{Content, Kind, Network},
};

/// All formats. If several match a file equally well, the first one is used.
pub static FORMATS: [&Format; 78] = [
    &ranks::OPEN_MPI_BINDINGS,
    &ranks::PRRTE_JOB_MAP,
    &ranks::INTEL_MPI_STARTUP,
    &ranks::LABELLED_HOSTNAMES,
    &ranks::XTHI,
    &placements::RANKFILE,
    &placements::PLACEMENT_TABLE,
    &hosts::FLUX_R,
    &hosts::OPENSM_CA_ORDER,
    &hosts::COORDINATE_MAP,
    &hosts::HOST_LIST,
    &profilers::OPEN_MPI_MONITORING,
    &profilers::INTEL_MPI_STATISTICS,
    &profilers::IPM_XML,
    &matrices::PAIR_TABLE,
    &labelled_matrix::LABELLED_MATRIX,
    &matrices::BRACKETED_MATRIX,
    &graphs::METIS,
    &graphs::SCOTCH,
    &matrices::HTSIM_CONNECTIONS,
    &matrix_files::MATRIX_MARKET,
    &matrix_files::NPY,
    &numbers::DENSE,
    &numbers::TRIPLES,
    &gpus::NVIDIA_TOPO,
    &gpus::ROCM_SHOWTOPO,
    &nccl::NCCL_TOPOLOGY,
    &nccl::NCCL_GRAPH,
    &gpus::PAIR_RATES,
    &infiniband::INFINIBAND,
    &networks::ANYNET,
    &dot::DOT,
    &dot::NETWORKX,
    &graphs::ADJACENCY,
    &matrix_files::QAPLIB,
    &networks::LINK_TABLE,
    &networks::EDGE_LIST,
    &numbers::WEIGHTED_EDGES,
    &simgrid_platform::SIMGRID_PLATFORM,
    &networks::SLURM,
    &schedulers::AZSLURM,
    &hypernode::HYPERNODE,
    &schedulers::KUBECTL,
    &schedulers::KUEUE,
    &networks::ASTRA_LINKS,
    &networks::ASTRA_NETWORK,
    &schedulers::ASTRA_SYSTEM,
    &booksim_config::BOOKSIM_CONFIG,
    &benchmarks::PERFTEST,
    &ucx_perftest::UCX,
    &benchmarks::UCC,
    &benchmarks::NCCOM,
    &benchmarks::DEEPSPEED,
    &benchmarks::HCCL,
    &logged_benchmarks::OSU,
    &logged_benchmarks::INTEL_MPI_BENCHMARKS,
    &logged_benchmarks::NCCL_TESTS,
    &kineto::KINETO,
    &traces::FLIGHT_RECORDER,
    &chakra::CHAKRA_JSON,
    &traces::ASTRA_WORKLOAD,
    &traces::MSCCL,
    &message_traces::PARAVER,
    &message_traces::SIMGRID_TI,
    &message_traces::GOAL,
    &chakra::CHAKRA,
    &unread::FLIGHT_RECORDER_PICKLE,
    &unread::PICKLE,
    &unread::PYTORCH_TRACE,
    &unread::DIMEMAS,
    &unread::NETBENCH,
    &unread::MSCCLPP,
    &unread::DUMPI,
    &unread::FILE_NAMES,
    &unread::OTHERS,
    &unread::OPENSM_LFT,
    &unread::HTSIM_TOPOLOGY,
    &unread::CRAY,
];

/// Converts the diagnostics of a text into complaints with line numbers.
fn from_diagnostics<T>(file: &FileText<'_>, diagnostics: &Diagnostics) -> Result<T, Vec<Complaint>> {
    let line = |at: usize| 1 + file.text.get(..at).map_or(0, |before| before.matches('\n').count());
    let kept = diagnostics.kept().iter();
    Err(kept
        .map(|diagnostic| Complaint {
            line: line(diagnostic.span.start),
            message: diagnostic.message.clone(),
        })
        .collect())
}

/// A network whose nodes are all hosts, in numeric order, if all names are numbers; else hosts are unknown.
fn by_names(network: Network) -> Reading {
    let is_numbered = network.nodes.iter().all(|node| node.bytes().all(|byte| byte.is_ascii_digit()));
    let network = if is_numbered { network.in_numeric_order() } else { network };
    let mut reading = Reading::from(Content::Network(network.finish(is_numbered)));
    if is_numbered {
        reading.assumed.push("all-hosts");
    }
    reading
}

/// The scenario keys and options that accept a file of this format for its likeliest kind.
#[must_use]
pub fn keys_of(format: &Format) -> &'static str {
    match format.holds[0] {
        Kind::Network => "machine.edges",
        Kind::Hosts => "machine.host_names, machine.allocation and --hosts",
        Kind::Ranks => "embeddings = [\"file:..\"] and --hosts",
        Kind::Matrix => "program.file of kind = \"traffic\"",
        Kind::Trace => match format.name {
            "goal" => "program.file of kind = \"goal\"",
            "chakra" | "chakra-json" => "program.file of kind = \"chakra\"",
            "paraver" | "simgrid-ti" => "program.file of kind = \"traffic\"",
            "astra-sim-1-workload" | "msccl-xml" => "cubefold inspect, which says what to do instead",
            _ => "program.file of kind = \"trace\"",
        },
        Kind::Benchmark => "cubefold calibrate",
        Kind::Settings => "no key: its lines are written into a scenario",
    }
}

const fn reads(
    name: &'static str,
    tool: &'static str,
    holds: &'static [Kind],
    is_like: fn(&FileText<'_>) -> crate::format::Likeness,
    read: fn(&FileText<'_>) -> crate::format::Read,
) -> Format {
    Format { name, tool, holds, is_like, reader: Reader::Reads(read) }
}
