//! A series for `calibrate` from the rows of any benchmark.

use super::{
    collective_test::{MAX_RANKS, Operation, SizeOf, Steps},
    measurement::{Measurement, MeasurementOptions, Point, SeriesKind, missing_ranks},
};
use crate::value::{Benchmark, BenchmarkRow};

impl Measurement {
    /// The series of a benchmark in a file called `name`.
    ///
    /// # Errors
    ///
    /// A message if the operation, the number of ranks or sizes are missing, or no row is left.
    pub fn of_rows(
        name: &str,
        tool: &str,
        benchmark: &Benchmark,
        options: MeasurementOptions,
    ) -> Result<Self, String> {
        let benchmark = &chosen(tool, benchmark, options)?;
        let kind = match benchmark.measures {
            "latency" => SeriesKind::Single,
            "bandwidth" => SeriesKind::Streaming,
            _ => collective(tool, benchmark, options.ranks)?,
        };
        if benchmark.rows.iter().any(|row| row.bytes.is_none()) {
            return Err(format!("{tool} without the size of its messages, expected --bytes SIZE"));
        }
        let range = options.from.unwrap_or(0)..=options.to.unwrap_or(u64::MAX);
        let rows = benchmark.rows.iter().filter_map(|row| point(row, kind));
        let mut points: Vec<Point> = rows.filter(|point| range.contains(&point.bytes)).collect();
        if points.is_empty() {
            return Err(format!("no row of {tool} with a size and a time"));
        }
        points.sort_by_key(|point| point.bytes);
        Ok(Self { name: name.to_owned(), benchmark: tool.to_owned(), kind, points, left_out: 0 })
    }
}

/// The rows of the chosen operation; the size from the options fills in missing sizes.
fn chosen(tool: &str, benchmark: &Benchmark, options: MeasurementOptions) -> Result<Benchmark, String> {
    let mut chosen = benchmark.clone();
    for row in &mut chosen.rows {
        row.bytes = row.bytes.or(options.bytes);
    }
    let mut operations: Vec<String> = chosen.rows.iter().filter_map(|row| row.operation.clone()).collect();
    operations.sort_unstable();
    operations.dedup();
    if chosen.operation.is_some() {
        return Ok(chosen);
    }
    if operations.is_empty() {
        chosen.operation = options.operation.map(str::to_owned);
        return Ok(chosen);
    }
    let asked =
        options.operation.or(operations.first().filter(|_| operations.len() == 1).map(String::as_str));
    let Some(operation) = asked.filter(|asked| operations.iter().any(|known| known == asked)) else {
        return Err(format!("{tool} of {}, expected --operation with one of them", operations.join(", ")));
    };
    chosen.rows.retain(|row| row.operation.as_deref() == Some(operation));
    chosen.operation = Some(operation.to_owned());
    Ok(chosen)
}

#[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
fn point(row: &BenchmarkRow, kind: SeriesKind) -> Option<Point> {
    let bytes = row.bytes?;
    let seconds = match kind {
        SeriesKind::Streaming => bytes as f64 / row.bandwidth?,
        SeriesKind::Single | SeriesKind::Collective { .. } => row.time?,
    };
    (seconds.is_finite() && seconds > 0.0).then_some(Point { bytes, seconds })
}

fn collective(tool: &str, benchmark: &Benchmark, ranks: Option<u32>) -> Result<SeriesKind, String> {
    let operation = match benchmark.operation.as_deref() {
        Some("all-reduce") => Operation::AllReduce,
        Some("reduce-scatter") => Operation::ReduceScatter,
        Some("all-gather") => Operation::AllGather,
        Some("all-to-all") => Operation::AllToAll,
        Some("broadcast") => Operation::Broadcast,
        Some("reduce") => Operation::Reduce,
        Some("gather") => Operation::Gather,
        Some("scatter") => Operation::Scatter,
        Some(other) => return Err(format!("{other} of {tool}, expected a collective with data")),
        None => return Err(format!("{tool} without its operation, expected --operation NAME")),
    };
    let known = benchmark.ranks.and_then(|ranks| u32::try_from(ranks).ok()).or(ranks);
    let ranks = known.filter(|ranks| (2..=MAX_RANKS).contains(ranks)).ok_or_else(|| missing_ranks(tool))?;
    let steps = if tool.contains("ucc") { Steps::Rounds } else { Steps::Ring };
    let [vector, part] = [SizeOf::Vector, SizeOf::Part].map(|size| operation.among(ranks, steps, size));
    // The bus bandwidth, if a tool prints it, tells whether sizes are of the vector or of one part.
    let share = benchmark.rows.iter().rev().find_map(wire_share);
    Ok(match share {
        Some(share) if distance(part, share) < distance(vector, share) => part,
        _ => vector,
    })
}

/// Bytes that pass a rank per byte of the printed size.
#[expect(clippy::cast_precision_loss, reason = "measurements have a few digits")]
fn wire_share(row: &BenchmarkRow) -> Option<f64> {
    let bytes = row.bytes.filter(|bytes| *bytes > 0)?;
    Some(row.bandwidth.filter(|bandwidth| *bandwidth > 0.0)? * row.time? / bytes as f64)
}

fn distance(kind: SeriesKind, share: f64) -> f64 {
    match kind {
        SeriesKind::Collective { wire_share, .. } => (wire_share / share).ln().abs(),
        SeriesKind::Single | SeriesKind::Streaming => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        asked::{Asked, ask},
        value::{Content, Kind},
    };

    fn measured(text: &str, options: MeasurementOptions) -> Result<Measurement, String> {
        let Asked::Value(format, reading) = ask("log", text.as_bytes(), Kind::Benchmark) else {
            panic!("a benchmark");
        };
        let Content::Benchmark(rows) = &reading.content else { panic!("rows") };
        Measurement::of_rows("log", format.tool, rows, options)
    }

    #[test]
    fn nccom_sizes_are_those_of_the_vector() {
        let log = "nccom-test -r 32 allr\nsize(B) count(elems) type time(us) algbw(GB/s) busbw(GB/s)\n\
                   67108864 16777216 fp32 1607.11 41.76 80.91\n";
        let measurement = measured(log, MeasurementOptions::default()).unwrap();
        let SeriesKind::Collective { name, ranks, steps, wire_share } = measurement.kind else {
            panic!("a collective")
        };
        assert_eq!((name, ranks, steps), ("all-reduce", 32, 62));
        assert!((wire_share - 2.0 * 31.0 / 32.0).abs() < 1e-12);
        assert_eq!(measurement.points, [Point { bytes: 67_108_864, seconds: 1607.11 * 1e-6 }]);
    }

    #[test]
    fn sizes_and_operations_that_a_log_leaves_open_are_asked_for() {
        let row = |operation: Option<&str>, bytes, time| BenchmarkRow {
            bytes,
            time: Some(time),
            operation: operation.map(str::to_owned),
            ..BenchmarkRow::default()
        };
        let rows = vec![row(None, None, 1e-6)];
        let single = Benchmark { measures: "latency", rows, ..Benchmark::default() };
        let read = |benchmark: &Benchmark, options| Measurement::of_rows("log", "a tool", benchmark, options);
        let none = MeasurementOptions::default();
        assert_eq!(
            read(&single, none).unwrap_err(),
            "a tool without the size of its messages, expected --bytes SIZE"
        );
        let told = MeasurementOptions { bytes: Some(8), ..none };
        assert_eq!(read(&single, told).unwrap().points, [Point { bytes: 8, seconds: 1e-6 }]);
        let of = |name, time| row(Some(name), Some(1 << 20), time);
        let rows = vec![of("all-reduce", 2e-3), of("broadcast", 1e-3)];
        let several = Benchmark { measures: "time", ranks: Some(8), rows, ..Benchmark::default() };
        let expected = "a tool of all-reduce, broadcast, expected --operation with one of them";
        assert_eq!(read(&several, none).unwrap_err(), expected);
        let chosen = MeasurementOptions { operation: Some("broadcast"), ..none };
        assert_eq!(read(&several, chosen).unwrap().points, [Point { bytes: 1 << 20, seconds: 1e-3 }]);
    }

    #[test]
    fn an_operation_that_a_log_does_not_name_is_asked_for() {
        let log = "size(B) count(elems) type time(us) algbw(GB/s) busbw(GB/s)\n1024 256 fp32 10 1 1\n";
        let ranks = MeasurementOptions { ranks: Some(8), ..MeasurementOptions::default() };
        let error = measured(log, ranks).unwrap_err();
        assert_eq!(error, "nccom-test of AWS Neuron without its operation, expected --operation NAME");
        let told = MeasurementOptions { operation: Some("all-gather"), ..ranks };
        assert!(matches!(
            measured(log, told).unwrap().kind,
            SeriesKind::Collective { name: "all-gather", .. }
        ));
    }

    #[test]
    fn missing_ranks_are_asked_for() {
        let log = "[SUMMARY REPORT]\n(collective=all_reduce)\nsize count type redop time algoBW nw_bw\n\
                   33554432 8388608 float sum 0.230 145.888 255.305\n";
        let error = measured(log, MeasurementOptions::default()).unwrap_err();
        assert_eq!(error, "hccl_demo of Habana without its number of ranks, expected --ranks N");
        let options = MeasurementOptions { ranks: Some(8), ..MeasurementOptions::default() };
        assert!(measured(log, options).is_ok());
    }
}
