//! Traces of `PyTorch`'s profiler, whose events are read one after the other: a file may be larger than the memory.

use std::{fmt, io};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::{
    format::{Complaint, Format, Read, wrong},
    input::text::described,
    read::{
        benchmarks::operation,
        reads,
        traces::{HOLDS, bytes_of_type, traced},
    },
    value::TracedOperation,
};

pub(super) static KINETO: Format = reads(
    "kineto",
    "PyTorch's profiler (Kineto)",
    HOLDS,
    |file| {
        file.json()
            .is_some_and(|own| own.get("traceEvents").is_some() && own.get("distributedInfo").is_some())
            .into()
    },
    |file| read_kineto(&mut file.text.as_bytes()),
);

/// Reads the collectives of a trace.
pub(super) fn read_kineto(input: &mut dyn io::Read) -> Read {
    let mut own = Collectives::default();
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(input));
    if let Err(error) = own.deserialize_document(&mut json) {
        let complaint = Complaint { line: error.line(), message: error.to_string() };
        return Err(vec![own.wrong.unwrap_or(complaint)]);
    }
    let Collectives { mut operations, start, info, .. } = own;
    if operations.is_empty() {
        return wrong(0, "no kernel with the name of a collective");
    }
    let start = start.unwrap_or(0.0);
    for own in &mut operations {
        own.span = own.span.map(|[begin, end]| [(begin - start) * 1e-6, (end - start) * 1e-6]);
    }
    let begin = |own: &TracedOperation| own.span.map_or(0.0, |own| own[0]);
    operations.sort_by(|one, other| begin(one).total_cmp(&begin(other)));
    Ok(traced(operations, info["rank"].as_u64(), info["world_size"].as_u64(), &["other-ranks"]))
}

/// What is kept of the events.
#[derive(Default)]
struct Collectives {
    operations: Vec<TracedOperation>, // with spans in microseconds
    start: Option<f64>,               // the least time of an event
    info: Value,
    wrong: Option<Complaint>,
}

impl Collectives {
    fn deserialize_document<'de, D: Deserializer<'de>>(&mut self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(Document(self))
    }

    /// Adds an event, if it is the kernel of a collective.
    fn add(&mut self, event: &Value) -> Result<(), Complaint> {
        if event["ph"] != "X" {
            return Ok(());
        }
        let time = |key: &str| event[key].as_f64().filter(|own| own.is_finite());
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
        let begin = at.unwrap_or(0.0);
        self.operations.push(TracedOperation {
            operation: kind.to_owned(),
            bytes: count.saturating_mul(width),
            group: arguments["Group size"].as_u64(),
            span: Some([begin, begin + time("dur").unwrap_or(0.0)]),
        });
        Ok(())
    }
}

/// The outer object.
struct Document<'a>(&'a mut Collectives);

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with traceEvents")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "traceEvents" => map.next_value_seed(Events(self.0))?,
                "distributedInfo" => self.0.info = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The list of events.
struct Events<'a>(&'a mut Collectives);

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(event) = events.next_element::<Value>()? {
            if let Err(complaint) = self.0.add(&event) {
                self.0.wrong = Some(complaint);
                return Err(A::Error::custom("an event that is wrong"));
            }
        }
        Ok(())
    }
}
