//! Traces of the `PyTorch` profiler. Events are streamed, so a file may be larger than memory.

use std::io;

use serde_json::Value;

use crate::{
    format::{Complaint, Format, Likeness, Read, wrong},
    input::text::described,
    read::{
        benchmarks::operation,
        json_stream, reads,
        traces::{HOLDS, bytes_of_type, members, traced},
    },
    value::TracedOperation,
};

pub(super) static KINETO: Format = reads(
    "kineto",
    "PyTorch's profiler (Kineto)",
    HOLDS,
    |file| {
        let has = |key: &str| file.outline().is_some_and(|document| document.get(key).is_some());
        match (has("traceEvents"), has("distributedInfo")) {
            (true, true) => Likeness::Sure,
            (true, false) => Likeness::Maybe, // a single-rank program
            (false, _) => Likeness::No,
        }
    },
    |file| read_kineto(&mut file.text.as_bytes()),
);

/// Reads the collectives of a trace.
pub(super) fn read_kineto(input: &mut dyn io::Read) -> Read {
    let mut found = Collectives::default();
    let kept = json_stream::read(input, "traceEvents", &["distributedInfo"], &mut |event| found.add(&event));
    let kept = kept.map_err(|complaint| vec![complaint])?;
    let info = kept.get("distributedInfo").unwrap_or(&Value::Null);
    let Collectives { mut operations, start } = found;
    if operations.is_empty() {
        return wrong(0, "no kernel with the name of a collective");
    }
    let start = start.unwrap_or(0.0);
    for operation in &mut operations {
        operation.span = operation.span.map(|[first, last]| [(first - start) * 1e-6, (last - start) * 1e-6]);
    }
    let start_of = |operation: &TracedOperation| operation.span.map_or(0.0, |span| span[0]);
    operations.sort_by(|one, other| start_of(one).total_cmp(&start_of(other)));
    Ok(traced(operations, info["rank"].as_u64(), info["world_size"].as_u64(), &["other-ranks"]))
}

/// The collectives among the events.
#[derive(Default)]
struct Collectives {
    operations: Vec<TracedOperation>, // with spans in microseconds
    start: Option<f64>,               // the earliest time of an event, in microseconds
}

impl Collectives {
    /// Adds an event if it is the kernel of a collective.
    fn add(&mut self, event: &Value) -> Result<(), Complaint> {
        if event["ph"] != "X" {
            return Ok(());
        }
        let time = |key: &str| event[key].as_f64().filter(|value| value.is_finite());
        let at = time("ts");
        self.start = match (self.start, at) {
            (Some(start), Some(at)) => Some(start.min(at)),
            (start, at) => start.or(at),
        };
        let arguments = &event["args"];
        let Some(name) = arguments["Collective name"].as_str().filter(|_| event["cat"] == "kernel") else {
            return Ok(());
        };
        let complaint = |message: String| Complaint { line: 0, message };
        let kind = operation(name)
            .ok_or_else(|| complaint(format!("collective {}, expected a known one", described(name))))?;
        let width = arguments["dtype"].as_str().and_then(bytes_of_type);
        let (Some(count), Some(width)) = (arguments["In msg nelems"].as_u64(), width) else {
            return Err(complaint(format!("{kind} without In msg nelems and a known dtype")));
        };
        let start = at.unwrap_or(0.0);
        self.operations.push(TracedOperation {
            operation: kind.to_owned(),
            bytes: count.saturating_mul(width),
            group: arguments["Group size"].as_u64(),
            members: members(&arguments["Process Group Ranks"]),
            span: Some([start, start + time("dur").unwrap_or(0.0)]),
        });
        Ok(())
    }
}
