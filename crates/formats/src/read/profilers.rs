//! Communication matrices written by profilers of MPI programs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    format::{Complaint, FileText, Format, Read, Reader, Reading, wrong},
    input::{
        Ratio,
        text::{counted, described},
    },
    read::{
        matrices::rank,
        ranks::MAX_RANKS,
        xml::{self, Element},
    },
    value::{Content, Kind, Matrix},
};

pub(super) static OPEN_MPI_MONITORING: Format = Format {
    name: "open-mpi-monitoring",
    tool: "the monitoring component of Open MPI (*.prof)",
    holds: &[Kind::Matrix],
    is_like: |file| {
        let is_row = |(_, line): (usize, &str)| {
            let fields: Vec<&str> = line.split('\t').collect();
            matches!(fields.first(), Some(&("I" | "E" | "S" | "R")))
                && fields.len() >= 5
                && fields[4].contains("msgs sent")
        };
        file.lines().any(is_row).into()
    },
    reader: Reader::Reads(read_monitoring),
};

pub(super) static INTEL_MPI_STATISTICS: Format = Format {
    name: "intel-mpi-statistics",
    tool: "statistics of Intel MPI (I_MPI_STATS=4)",
    holds: &[Kind::Matrix, Kind::Ranks, Kind::Hosts],
    is_like: |file| file.lines().any(|(_, line)| process_heading(line).is_some()).into(),
    reader: Reader::Reads(read_intel),
};

pub(super) static IPM_XML: Format = Format {
    name: "ipm-xml",
    tool: "IPM",
    holds: &[Kind::Matrix, Kind::Ranks, Kind::Hosts],
    is_like: |file| ["ipm", "ipm_job_profile"].iter().any(|root| xml::begins_with(&file.text, root)).into(),
    reader: Reader::Reads(read_ipm),
};

fn read_monitoring(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    let (mut sources, mut skipped) = (BTreeSet::new(), 0);
    for (line, text) in file.rows() {
        let fields: Vec<&str> = text.split('\t').collect();
        match fields[0] {
            "I" | "E" | "S" => {}
            "R" | "C" | "D" | "A2A" | "O2A" | "A2O" => {
                skipped += 1;
                continue;
            }
            _ => continue,
        }
        let first = |place: usize| fields.get(place).and_then(|field| field.split_whitespace().next());
        let (source, destination) = (first(1).and_then(rank), first(2).and_then(rank));
        let bytes = first(3).and_then(|word| word.parse::<u64>().ok());
        let messages = first(4).and_then(|word| word.parse::<u64>().ok());
        let (Some(source), Some(destination), Some(bytes), Some(messages)) =
            (source, destination, bytes, messages)
        else {
            return wrong(
                line,
                format!("line is {}, expected two ranks, bytes and messages", described(text)),
            );
        };
        sources.insert(source);
        matrix.add(source, destination, Ratio::from(bytes), Some(messages));
    }
    if sources.is_empty() {
        return wrong(0, "no line of data sent, expected lines of I, E or S");
    }
    let mut reading = Reading::from(Content::Matrix(matrix));
    if sources.len() == 1 {
        reading.missing.push("rows");
        reading
            .notes
            .push("one source only: the files of all ranks together are cat PREFIX.*.prof".to_owned());
    }
    if skipped > 0 {
        reading.notes.push(format!("left out: {} of received and collective data", counted(skipped, "line")));
    }
    Ok(reading)
}

/// Parses `~~~~ Process P of N on node H` into the process, the number of processes and the host.
fn process_heading(line: &str) -> Option<(usize, usize, &str)> {
    let mut words = line.split_once("~~~~ Process ")?.1.split_whitespace();
    let process = rank(words.next()?)?;
    words.next().filter(|word| *word == "of")?;
    let count = words.next()?.parse::<usize>().ok().filter(|count| *count as u64 <= MAX_RANKS)?;
    words.next().filter(|word| *word == "on")?;
    words.next().filter(|word| *word == "node")?;
    Some((process, count, words.next()?))
}

fn read_intel(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    let (mut hosts, mut has_messages): (Vec<Option<String>>, bool) = (vec![], false);
    for (line, text) in file.lines() {
        if let Some((process, count, host)) = process_heading(text) {
            if process >= count || !hosts.is_empty() && hosts.len() != count {
                return wrong(
                    line,
                    format!("process {process} of {count}, expected one below {}", hosts.len().max(count)),
                );
            }
            hosts.resize(count, None);
            if hosts[process].as_deref().is_some_and(|known| known != host) {
                return wrong(
                    line,
                    format!("process {process} on {} and on {host}", hosts[process].as_deref().unwrap_or("")),
                );
            }
            hosts[process] = Some(host.to_owned());
            continue;
        }
        let Some((source, rest)) = text.split_once("-->") else { continue };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (Some(source), &[destination, amount, count]) = (rank(source), &words[..]) else { continue };
        let bytes = Ratio::parse_decimal(amount).and_then(|megabytes| megabytes.times(Ratio::from(1 << 20)));
        let (Some(destination), Some(bytes), Ok(count)) = (rank(destination), bytes, count.parse::<u64>())
        else {
            return wrong(line, format!("line is {}, expected SRC --> DST MB TRANSFERS", described(text)));
        };
        if source.max(destination) >= hosts.len() {
            return wrong(line, format!("rank {}, expected below {}", source.max(destination), hosts.len()));
        }
        let bytes = Ratio::from(u64::try_from(bytes.rounded()).unwrap_or(u64::MAX));
        matrix.add(source, destination, bytes, Some(count));
        has_messages = true;
    }
    if !has_messages {
        return wrong(0, "no messages, expected lines SRC --> DST MB TRANSFERS");
    }
    matrix.size = hosts.len();
    let is_part = hosts.iter().any(Option::is_none);
    matrix.ranks = Some(hosts);
    let mut reading = Reading::from(Content::Matrix(matrix));
    reading.assumed.push("rounded");
    if is_part {
        reading.missing.push("rows");
    }
    Ok(reading)
}

fn read_ipm(file: &FileText<'_>) -> Read {
    let document = xml::parse(&file.text)?;
    let mut matrix = Matrix::new("bytes", 0);
    let mut hosts: BTreeMap<usize, String> = BTreeMap::new();
    for task in document.all("task") {
        let (Some(source), Some(size)) =
            (task.get("mpi_rank").and_then(rank), task.get("mpi_size").and_then(rank))
        else {
            return wrong(task.line, "a task without mpi_rank and mpi_size");
        };
        if source >= size {
            return wrong(task.line, format!("mpi_rank {source} of mpi_size {size}, expected one below"));
        }
        matrix.size = matrix.size.max(size);
        hosts.insert(source, task.get("host").unwrap_or_default().to_owned());
        for entry in task.all("hent") {
            if let Some((destination, amount, count)) = ipm_message(entry, size)? {
                matrix.add(source, destination, amount, Some(count));
            }
        }
    }
    if matrix.is_empty() {
        return wrong(0, "no partner: IPM wrote no <hent> with orank");
    }
    matrix.ranks = Some((0..matrix.size).map(|rank| hosts.get(&rank).cloned()).collect());
    let is_part = hosts.len() < matrix.size;
    let mut reading = Reading::from(Content::Matrix(matrix));
    if is_part {
        reading.missing.push("rows");
    }
    Ok(reading)
}

/// The destination, total bytes and message count of an entry; `None` if it is not a send to one rank.
fn ipm_message(entry: &Element<'_>, size: usize) -> Result<Option<(usize, Ratio, u64)>, Vec<Complaint>> {
    let call = entry.get("call").unwrap_or_default();
    let is_send = call.starts_with("MPI_") && call.to_ascii_lowercase().ends_with("send");
    let Some(partner) = entry.get("orank").filter(|_| is_send || call == "MPI_Put") else { return Ok(None) };
    let number_of = |name: &str| entry.get(name).and_then(|value| value.parse::<u64>().ok());
    let (Ok(number), Some(bytes), Some(count)) =
        (partner.parse::<i64>(), number_of("bytes"), number_of("count"))
    else {
        return wrong(entry.line, "an entry without orank, bytes and count");
    };
    match rank(partner).filter(|rank| *rank < size) {
        Some(destination) => {
            let amount = Ratio::from(bytes).times(Ratio::from(count)).unwrap_or(Ratio::ZERO);
            Ok(Some((destination, amount, count)))
        }
        None if number == -1 => Ok(None),
        None if number < 0 => {
            wrong(entry.line, format!("orank is {number}, relative to the rank, expected a rank"))
        }
        None => wrong(entry.line, format!("orank is {number}, expected below {size}")),
    }
}
