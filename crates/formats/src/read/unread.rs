//! Formats that are recognised but not read, each with a workaround.

use crate::{
    format::{FileText, Format, Likeness, Reader},
    value::Kind,
};

const fn unread(
    name: &'static str,
    tool: &'static str,
    kind: &'static [Kind],
    is_like: fn(&FileText<'_>) -> Likeness,
    command: Option<&'static str>,
    reason: &'static str,
) -> Format {
    Format { name, tool, holds: kind, is_like, reader: Reader::Unread { command, reason } }
}

const TRACE: &[Kind] = &[Kind::Trace];
const TO_JSON: &str = "python3 -c \"import json, pickle, sys; json.dump(pickle.load(open(sys.argv[1], 'rb')), sys.stdout)\" FILE > FILE.json";
const ONLY_OWN: &str = "only for a file of your own job: loading a pickle runs what it says";

fn is_pickle(file: &FileText<'_>) -> bool {
    matches!(file.bytes, [0x80, 2..=5, ..])
}

fn has_bytes(file: &FileText<'_>, word: &[u8]) -> bool {
    memchr::memmem::find(file.bytes, word).is_some()
}

pub(super) static FLIGHT_RECORDER_PICKLE: Format = unread(
    "flight-recorder-pickle",
    "PyTorch's flight recorder, as a pickle",
    TRACE,
    |file| (is_pickle(file) && has_bytes(file, b"pg_config") && has_bytes(file, b"entries")).into(),
    Some(TO_JSON),
    ONLY_OWN,
);

pub(super) static PICKLE: Format =
    unread("pickle", "Python's pickle", TRACE, |file| is_pickle(file).into(), Some(TO_JSON), ONLY_OWN);

pub(super) static PYTORCH_TRACE: Format = unread(
    "pytorch-execution-trace",
    "PyTorch's execution trace observer",
    TRACE,
    |file| {
        file.outline()
            .is_some_and(|document| document.get("schema").is_some() && document.get("nodes").is_some())
            .into()
    },
    Some("chakra_converter PyTorch --input FILE --output FILE.et"),
    "Chakra's converter makes a trace that is read",
);

pub(super) static DIMEMAS: Format = unread(
    "dimemas",
    "Dimemas",
    TRACE,
    |file| file.text.starts_with("#DIMEMAS").into(),
    Some("Dimemas -p FILE.prv --dim FILE CONFIGURATION"),
    "Dimemas writes a trace of Paraver, which is read",
);

pub(super) static NETBENCH: Format = unread(
    "netbench-topology",
    "NetBench",
    &[Kind::Network],
    |file| file.lines().any(|(_, line)| line.starts_with("|V|=")).into(),
    Some("awk '/^[0-9]/ && $1<$2' FILE > edges.txt"),
    "its links as a list of edges are read",
);

pub(super) static MSCCLPP: Format = unread(
    "mscclpp-plan",
    "MSCCL++, an execution plan",
    TRACE,
    |file| {
        file.outline()
            .is_some_and(|document| document.get("collective").is_some() && document.get("gpus").is_some())
            .into()
    },
    None,
    "write MSCCL XML from the same program",
);

pub(super) static DUMPI: Format = unread(
    "dumpi-text",
    "dumpi2ascii of SST",
    TRACE,
    |file| {
        file.lines()
            .any(|(_, line)| line.starts_with("MPI_") && line.contains(" entering at walltime "))
            .into()
    },
    None,
    "a matrix of its sends is read",
);

pub(super) static OTHERS: Format = unread(
    "hwloc-xml",
    "lstopo of hwloc",
    &[Kind::Network],
    |file| super::xml::begins_with(&file.text, "topology").into(),
    None,
    "cores of one node carry no messages here",
);

pub(super) static OPENSM_LFT: Format = unread(
    "opensm-lft",
    "OpenSM, tables of routes",
    &[Kind::Network],
    |file| file.text.contains("Unicast lids [0x").into(),
    None,
    "messages take shortest routes; ibnetdiscover gives the network",
);

pub(super) static HTSIM_TOPOLOGY: Format = unread(
    "htsim-topology",
    "htsim, a fat tree",
    &[Kind::Network],
    |file| {
        let has = |word: &str| file.lines().any(|(_, line)| line.starts_with(word));
        (has("Nodes ") && has("Tiers ")).into()
    },
    None,
    "kind = \"fat-tree\" describes it",
);

pub(super) static CRAY: Format = unread(
    "cray-interconnect",
    "rtr --interconnect of Cray",
    &[Kind::Network],
    |file| {
        let is_row = |line: &str| {
            line.starts_with('c')
                && line.contains(") ")
                && line.contains(" -> ")
                && ["green", "blue", "black"].iter().any(|colour| line.contains(colour))
        };
        file.lines().any(|(_, line)| is_row(line)).into()
    },
    Some("xtdb2proc -f FILE.coordinates"),
    "give its coordinates as --coordinates",
);

/// Whether a row is the name of a file of a trace.
fn is_trace_name(row: &str) -> bool {
    let is_of_rank = || ["/", "rank", "trace"].iter().any(|part| row.contains(part));
    let has_ending = |ending: &str| row.to_ascii_lowercase().ends_with(ending);
    let is_name = !row.contains([' ', '\t', '{', '"', ',', ':']);
    is_name
        && ([".json", ".json.gz", ".goal", ".prv", ".pkl"].into_iter().any(has_ending)
            || has_ending(".et") && is_of_rank())
}

pub(super) static FILE_NAMES: Format = unread(
    "file-names",
    "the lists of names of traces",
    TRACE,
    |file| (file.rows().count() > 0 && file.rows().all(|(_, row)| is_trace_name(row.trim()))).into(),
    None,
    "name the trace itself: that of one rank for kind = \"trace\", or \"trace.{rank}.et\" for kind = \"chakra\"",
);
