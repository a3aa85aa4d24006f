//! Matrices of profilers and tables with headers.

use std::collections::BTreeMap;

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{Ratio, text::described},
    read::{ranks::MAX_RANKS, xml},
    value::{Content, Kind, Matrix},
};

const HOLDS: &[Kind] = &[Kind::Matrix];

pub(super) static OPEN_MPI_MONITORING: Format = Format {
    name: "open-mpi-monitoring",
    tool: "the monitoring component of Open MPI (*.prof)",
    holds: HOLDS,
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
    is_like: |file| xml::begins_with(&file.text, "ipm").into(),
    reader: Reader::Reads(read_ipm),
};

pub(super) static HTSIM_CONNECTIONS: Format = Format {
    name: "htsim-connections",
    tool: "htsim, a matrix of connections (*.cm)",
    holds: HOLDS,
    is_like: |file| {
        let mut rows = file.rows().map(|own| own.1);
        let begins = |row: Option<&str>, word| row.is_some_and(|row| row.starts_with(word));
        (begins(rows.next(), "Nodes ") && begins(rows.next(), "Connections ")).into()
    },
    reader: Reader::Reads(read_htsim),
};

pub(super) static PAIR_TABLE: Format = Format {
    name: "pair-table",
    tool: "scripts: a table of pairs with a header",
    holds: HOLDS,
    is_like: |file| pair_columns(file).is_some().into(),
    reader: Reader::Reads(read_pairs),
};

pub(super) static LABELLED_MATRIX: Format = Format {
    name: "labelled-matrix",
    tool: "pandas and spreadsheets: a matrix with labels",
    holds: HOLDS,
    is_like: |file| {
        let mut rows = file.rows().map(|own| own.1);
        let Some(header) = rows.next() else { return Likeness::No };
        let by = separator(header);
        let mut labels = cells(header, by);
        if labels.first().is_some_and(|own| own.is_empty()) {
            labels.remove(0);
        }
        let rows: Vec<Vec<&str>> = rows.map(|row| cells(row, by)).collect();
        let firsts: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
        let is_wider = rows.first().is_some_and(|row| row.len() == firsts.len() + 1);
        let is_corner = labels.len() == firsts.len() + 1
            && labels[0].parse::<f64>().is_err()
            && labels[1..] == firsts[..];
        (firsts.len() > 1 && is_wider && (labels == firsts || is_corner)).into()
    },
    reader: Reader::Reads(read_labelled),
};

pub(super) static BRACKETED_MATRIX: Format = Format {
    name: "bracketed-matrix",
    tool: "NumPy's print, JSON",
    holds: HOLDS,
    is_like: |file| {
        let begin: String = file.text.chars().filter(|sign| !sign.is_whitespace()).take(3).collect();
        let digit = begin.chars().nth(2).is_some_and(|sign| sign.is_ascii_digit() || "-+.".contains(sign));
        (begin.starts_with("[[") && digit).into()
    },
    reader: Reader::Reads(read_bracketed),
};

fn rank(word: &str) -> Option<usize> {
    word.trim().parse::<u64>().ok().filter(|own| *own < MAX_RANKS).and_then(|own| usize::try_from(own).ok())
}

fn read_monitoring(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
    let (mut sources, mut skipped) = (std::collections::BTreeSet::new(), 0);
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
        let first = |place: usize| fields.get(place).and_then(|own| own.split_whitespace().next());
        let (source, destination) = (first(1).and_then(rank), first(2).and_then(rank));
        let bytes = first(3).and_then(|own| own.parse::<u64>().ok());
        let messages = first(4).and_then(|own| own.parse::<u64>().ok());
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
        reading.notes.push(format!("{skipped} lines of received and collective data are left out"));
    }
    Ok(reading)
}

/// `~~~~ Process P of N on node H`: process, processes and host.
fn process_heading(line: &str) -> Option<(usize, usize, &str)> {
    let mut words = line.split_once("~~~~ Process ")?.1.split_whitespace();
    let process = rank(words.next()?)?;
    words.next().filter(|own| *own == "of")?;
    let count = words.next()?.parse::<usize>().ok().filter(|own| *own as u64 <= MAX_RANKS)?;
    words.next().filter(|own| *own == "on")?;
    words.next().filter(|own| *own == "node")?;
    Some((process, count, words.next()?))
}

fn read_intel(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
    let mut hosts: Vec<Option<String>> = vec![];
    for (line, text) in file.lines() {
        if let Some((process, count, host)) = process_heading(text) {
            if process >= count || !hosts.is_empty() && hosts.len() != count {
                return wrong(
                    line,
                    format!("process {process} of {count}, expected one below {}", hosts.len().max(count)),
                );
            }
            hosts.resize(count, None);
            if hosts[process].as_deref().is_some_and(|own| own != host) {
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
        let bytes = Ratio::parse_decimal(amount).and_then(|own| own.times(Ratio::from(1 << 20)));
        let (Some(destination), Some(bytes), Ok(count)) = (rank(destination), bytes, count.parse::<u64>())
        else {
            return wrong(line, format!("line is {}, expected SRC --> DST MB TRANSFERS", described(text)));
        };
        if source.max(destination) >= hosts.len() {
            return wrong(line, format!("rank {}, expected below {}", source.max(destination), hosts.len()));
        }
        let bytes = Ratio::from(u64::try_from(bytes.rounded()).unwrap_or(u64::MAX));
        matrix.add(source, destination, bytes, Some(count));
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
    let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
    let mut hosts: BTreeMap<usize, String> = BTreeMap::new();
    for task in document.all("task") {
        let (Some(source), Some(size)) =
            (task.get("mpi_rank").and_then(rank), task.get("mpi_size").and_then(rank))
        else {
            return wrong(task.line, "a task without mpi_rank and mpi_size");
        };
        matrix.size = matrix.size.max(size).max(source + 1);
        hosts.insert(source, task.get("host").unwrap_or_default().to_owned());
        for entry in task.all("hent") {
            let call = entry.get("call").unwrap_or_default();
            let sends =
                call.starts_with("MPI_") && call.to_ascii_lowercase().ends_with("send") || call == "MPI_Put";
            let Some(partner) = entry.get("orank").filter(|_| sends && !call.contains("recv")) else {
                continue;
            };
            let natural = |name: &str| entry.get(name).and_then(|own| own.parse::<u64>().ok());
            match (partner.parse::<i64>(), natural("bytes"), natural("count")) {
                (Ok(own), ..) if own < -1 => {
                    return wrong(
                        entry.line,
                        format!("orank is {own}, relative to the rank, expected a rank"),
                    );
                }
                (Ok(-1), ..) => {}
                (Ok(_), Some(bytes), Some(count)) if rank(partner).is_some() => {
                    let amount = Ratio::from(bytes).times(Ratio::from(count)).unwrap_or(Ratio::ZERO);
                    matrix.add(source, rank(partner).unwrap_or(0), amount, Some(count));
                }
                _ => return wrong(entry.line, "an entry without orank, bytes and count"),
            }
        }
    }
    if matrix.entries.is_empty() {
        return wrong(0, "no partner: IPM wrote no <hent> with orank");
    }
    matrix.ranks = Some((0..matrix.size).map(|own| hosts.get(&own).cloned()).collect());
    let is_part = hosts.len() < matrix.size;
    let mut reading = Reading::from(Content::Matrix(matrix));
    if is_part {
        reading.missing.push("rows");
    }
    Ok(reading)
}

fn read_htsim(file: &FileText<'_>) -> Read {
    let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
    let (mut announced, mut found) = (0, 0);
    for (line, text) in file.rows() {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["Nodes", count] => match rank(count) {
                Some(count) => matrix.size = count,
                None => return wrong(line, format!("Nodes {}, expected an integer", described(count))),
            },
            ["Connections", count] => announced = count.parse().unwrap_or(0),
            _ => {
                let Some((source, destination)) = words[0].split_once("->") else { continue };
                let size = words.iter().position(|own| *own == "size").and_then(|at| words.get(at + 1));
                let bytes = size.and_then(|own| own.parse::<u64>().ok());
                let (Some(source), Some(destination), Some(bytes)) = (rank(source), rank(destination), bytes)
                else {
                    return wrong(line, format!("line is {}, expected a->b and size B", described(text)));
                };
                if source.max(destination) >= matrix.size {
                    return wrong(
                        line,
                        format!("node {}, expected below {}", source.max(destination), matrix.size),
                    );
                }
                found += 1;
                let size = matrix.size;
                matrix.add(source, destination, Ratio::from(bytes), Some(1));
                matrix.size = size;
            }
        }
    }
    if found != announced {
        return wrong(0, format!("{found} connections, expected {announced}"));
    }
    Ok(Content::Matrix(matrix).into())
}

/// The character that separates cells; a blank stands for any number of blanks.
fn separator(header: &str) -> char {
    ['|', ';', '\t', ','].into_iter().find(|own| header.contains(*own)).unwrap_or(' ')
}

fn cells(row: &str, by: char) -> Vec<&str> {
    if by == ' ' {
        return row.split_whitespace().collect();
    }
    row.split(by).map(|own| own.trim().trim_matches('"')).collect()
}

/// The places of the columns of a table of pairs.
struct PairColumns {
    ends: [usize; 2],
    amount: usize,
    messages: Option<usize>,
    unit: &'static str,
    by: char,
    count: usize,
}

fn pair_columns(file: &FileText<'_>) -> Option<PairColumns> {
    let header = file.rows().map(|own| own.1.trim_start_matches('#')).next()?;
    let by = separator(header);
    let names: Vec<String> = cells(header, by).iter().map(|own| own.to_ascii_lowercase()).collect();
    let find = |known: &[&str]| names.iter().position(|own| known.contains(&own.as_str()));
    let source = find(&["src", "source", "from", "sender", "sending rank"])?;
    let destination = find(&["dst", "dest", "destination", "to", "receiver", "target", "receiving rank"])?;
    let bytes = find(&["bytes", "bytes sent", "volume", "size", "amount"]).map(|own| (own, "bytes"));
    let amount = bytes.or_else(|| find(&["units"]).map(|own| (own, "units")));
    let (amount, unit) = amount.or_else(|| find(&["weight"]).map(|own| (own, "weight")))?;
    let messages = find(&["messages", "count", "transfers"]);
    Some(PairColumns { ends: [source, destination], amount, messages, unit, by, count: names.len() })
}

/// A row of a table of pairs: its line, its ends, the amount, and the messages if there is a column of them.
struct PairRow<'t> {
    line: usize,
    ends: [&'t str; 2],
    amount: Ratio,
    messages: Option<u64>,
}

impl PairColumns {
    fn row<'t>(&self, line: usize, text: &'t str) -> Result<PairRow<'t>, Vec<Complaint>> {
        let row = cells(text, self.by);
        if row.len() != self.count {
            return wrong(line, format!("{} columns, expected {} as in the header", row.len(), self.count));
        }
        let ends = self.ends.map(|column| row[column]);
        let is_negative =
            |own: &&str| own.starts_with('-') && own[1..].bytes().all(|byte| byte.is_ascii_digit());
        if let Some(end) = ends.iter().find(|own| own.is_empty() || is_negative(own)) {
            return wrong(line, format!("a rank is {}, expected an integer or a name", described(end)));
        }
        let Some(amount) = Ratio::parse_decimal(row[self.amount]) else {
            let found = described(row[self.amount]);
            return wrong(line, format!("the amount is {found}, expected a number of at least 0"));
        };
        let messages = match self.messages.map(|column| (row[column], row[column].parse::<u64>())) {
            Some((word, Err(_))) => {
                return wrong(line, format!("the messages are {}, expected an integer", described(word)));
            }
            Some((_, Ok(own))) => Some(own),
            None => None,
        };
        Ok(PairRow { line, ends, amount, messages })
    }
}

fn read_pairs(file: &FileText<'_>) -> Read {
    let Some(columns) = pair_columns(file) else { return wrong(1, "no header of pairs") };
    let mut matrix = Matrix { unit: columns.unit, ..Matrix::default() };
    let rows = file.rows().skip(1).filter(|own| !own.1.starts_with('#'));
    let rows: Vec<PairRow<'_>> = rows.map(|(line, row)| columns.row(line, row)).collect::<Result<_, _>>()?;
    let is_named = rows.iter().any(|row| row.ends.iter().any(|own| rank(own).is_none()));
    let mut labels: Vec<String> = vec![];
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for PairRow { line, ends, amount, messages } in rows {
        let [from, to] = ends.map(|word| match rank(word).filter(|_| !is_named) {
            Some(own) => own,
            None => *places.entry(word).or_insert_with(|| {
                labels.push(word.to_owned());
                labels.len() - 1
            }),
        });
        let earlier = lines.insert((from, to), line);
        if matrix.add(from, to, amount, messages) && columns.messages.is_none() {
            let first = earlier.unwrap_or(0);
            return wrong(
                line,
                format!("a pair a second time, expected it once; the first is in line {first}"),
            );
        }
    }
    if matrix.entries.is_empty() {
        return wrong(0, "no pair, expected a row for each");
    }
    matrix.labels = is_named.then_some(labels);
    let is_from_1 = !is_named && matrix.counts_from_1();
    let mut reading =
        Reading::from(Content::Matrix(if is_from_1 { matrix.counted_from_0() } else { matrix }));
    if is_from_1 {
        reading.assumed.push("base-1");
    }
    if is_named {
        reading.notes.push("names are ranks in the order of their first mention".to_owned());
    }
    Ok(reading)
}

fn read_labelled(file: &FileText<'_>) -> Read {
    let mut rows = file.rows();
    let Some((_, header)) = rows.next() else { return wrong(0, "an empty file") };
    let by = separator(header);
    let rows: Vec<(usize, Vec<&str>)> = rows.map(|(line, row)| (line, cells(row, by))).collect();
    let labels: Vec<String> = rows.iter().map(|(_, row)| row[0].to_owned()).collect();
    let mut matrix = Matrix { unit: "bytes", size: labels.len(), ..Matrix::default() };
    for (source, (line, row)) in rows.iter().enumerate() {
        if row.len() != labels.len() + 1 {
            return wrong(*line, format!("{} columns, expected {}", row.len(), labels.len() + 1));
        }
        for (destination, cell) in row[1..].iter().enumerate() {
            let amount = if cell.is_empty() { Some(Ratio::ZERO) } else { Ratio::parse_decimal(cell) };
            let Some(amount) = amount else {
                return wrong(
                    *line,
                    format!("an entry is {}, expected a number of at least 0", described(cell)),
                );
            };
            matrix.add(source, destination, amount, None);
        }
    }
    let is_plain = ["", "Rank ", "Process "]
        .iter()
        .any(|word| labels.iter().enumerate().all(|(place, own)| *own == format!("{word}{place}")));
    matrix.labels = (!is_plain).then_some(labels);
    Ok(Content::Matrix(matrix).into())
}

fn read_bracketed(file: &FileText<'_>) -> Read {
    if file.text.contains("...") {
        return wrong(
            0,
            "the print leaves values out, expected all of them: numpy.save writes a file with all",
        );
    }
    let mut matrix = Matrix { unit: "bytes", ..Matrix::default() };
    let mut widths = vec![];
    let inner = file.text.trim();
    let inner = inner.strip_prefix('[').and_then(|own| own.trim_end().strip_suffix(']')).unwrap_or(inner);
    for part in inner.split('[').skip(1) {
        let Some((row, after)) = part.split_once(']') else {
            return wrong(0, "a row without its end, expected ]");
        };
        if !after.trim().trim_matches(',').is_empty() {
            return wrong(
                0,
                format!("{} between rows, expected a comma or nothing", described(after.trim())),
            );
        }
        let source = widths.len();
        let mut width = 0;
        for word in row.split([',', ' ', '\n', '\t']).filter(|own| !own.is_empty()) {
            let plain = word.trim_end_matches('.').replace(".e", "e");
            let Some(amount) = Ratio::parse_decimal(&plain) else {
                return wrong(
                    0,
                    format!(
                        "entry [{source}, {width}] is {}, expected a number of at least 0",
                        described(word)
                    ),
                );
            };
            matrix.add(source, width, amount, None);
            width += 1;
        }
        widths.push(width);
    }
    let count = widths.len();
    if let Some(width) = widths.iter().find(|own| **own != count) {
        return wrong(0, format!("{width} columns in a matrix of {count} rows, expected as many as rows"));
    }
    matrix.size = count;
    Ok(Content::Matrix(matrix).into())
}
