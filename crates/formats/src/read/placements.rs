//! Rank placements that this program writes: rank files of launchers, and tables of processes and coordinates.

use crate::{
    format::{Format, wrong},
    input::text::described,
    read::{ranks::gathered, reads},
    value::Kind,
};

pub(super) static RANKFILE: Format = reads(
    "open-mpi-rankfile",
    "mpirun --rankfile of Open MPI",
    &[Kind::Ranks, Kind::Hosts],
    |file| {
        let mut rows = file.rows().map(|(_, row)| row.split('#').next().unwrap_or_default().trim());
        let first = rows.find(|row| !row.is_empty()).unwrap_or_default();
        (first.starts_with("rank ") && first.contains('=') && first.contains("slot")).into()
    },
    |file| {
        let mut places = vec![];
        for (line, text) in file.rows() {
            let text = text.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let place = text.strip_prefix("rank").and_then(|rest| rest.split_once('='));
            let rank = place.and_then(|place| place.0.trim().parse::<u64>().ok());
            let host = place.and_then(|place| place.1.split_whitespace().next());
            let (Some(rank), Some(host)) = (rank, host) else {
                return wrong(line, format!("line is {}, expected \"rank N=HOST slot=S\"", described(text)));
            };
            places.push((line, rank, host));
        }
        gathered(places.into_iter())
    },
);

pub(super) static PLACEMENT_TABLE: Format = reads(
    "placement-table",
    "cubefold place --format csv: processes and coordinates",
    &[Kind::Ranks],
    |file| file.rows().next().is_some_and(|(_, row)| row.starts_with("process,p_1")).into(),
    |file| {
        let mut places = vec![];
        for (line, text) in file.rows().skip(1) {
            let Some((process, node)) = text.split_once(',') else {
                return wrong(
                    line,
                    format!("line is {}, expected a process and coordinates", described(text)),
                );
            };
            let Ok(process) = process.trim().parse::<u64>() else {
                return wrong(line, format!("process is {}, expected an integer", described(process)));
            };
            places.push((line, process, node.trim()));
        }
        gathered(places.into_iter())
    },
);
