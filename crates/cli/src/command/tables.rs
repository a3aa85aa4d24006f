//! `cubefold tables`: the nodes of each process's guest neighbours.
//!
//! Tables are written one by one, so the tables of a large machine are never held together.

use std::{
    cell::RefCell,
    io::{self, Write},
};

use cubefold_formats::input::printable;
use cubefold_mapping::{TableMethod, TranslationTable};
use cubefold_records::{MachineRecord, table_columns};
use cubefold_runs::address_exchange_steps;
use cubefold_scenario::Run;
use cubefold_topology::NodeId;
use serde::{Serialize, Serializer};

use crate::{
    arguments::{SharedOptions, TablesOptions},
    failure::Failure,
    format::{OutputFormat, TablesFormat},
    grouping::{one_run, refuse_open_loop},
    output::{Output, filled},
};

pub(super) fn tables(options: &TablesOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = TablesFormat::decide(options.format, shared.output())?;
    let scenarios = options.run.scenario.load(shared)?;
    let run = one_run(&scenarios, &options.run)?;
    refuse_open_loop([run], "neighbours")?;
    let method = if options.method == 1 { TableMethod::Evaluation } else { TableMethod::Exchange };
    let tables = run
        .program
        .guest()
        .translation_tables(&run.placement, method)
        .map_err(|error| Failure::usage(error.to_string(), "make the tables by method 1"))?;
    let steps = match method {
        TableMethod::Evaluation => None,
        TableMethod::Exchange => {
            let memory = shared.resources().memory;
            let steps = address_exchange_steps(&run.machine, run.communication, memory);
            Some(steps.map_err(Failure::Refused)?)
        }
    };
    let output = Output::open(shared, &scenarios)?;
    output.write(|output| match format {
        TablesFormat::Table => write_table(output, run, tables, steps),
        TablesFormat::Csv => write_csv(output, run, tables),
        TablesFormat::Json => write_json(output, run, tables, options.method, steps),
    })
}

type Tables<'run> = Box<dyn Iterator<Item = TranslationTable> + 'run>;

/// The code that a process runs, if the scenario specifies how the program is loaded.
fn code_type<'run>(run: &'run Run, table: &TranslationTable) -> Option<&'run str> {
    run.loading.as_ref().map(|loading| loading.code_types.of(&run.program, table.process))
}

/// A line per process; on a terminal it wraps.
fn write_table(output: &mut Output, run: &Run, tables: Tables<'_>, steps: Option<u64>) -> io::Result<()> {
    let columns = output.terminal_columns();
    if let Some(steps) = steps {
        writeln!(output, "made by exchange in {steps} parallel data movement steps\n")?;
    }
    for table in tables {
        let code =
            code_type(run, &table).map_or_else(String::new, |code| format!(", code {}", printable(code)));
        let entries =
            table.entries.iter().map(|(process, node)| format!("  {process} at {}", run.address(*node)));
        let entries: String = entries.collect();
        let line = format!("node {} process {}{code}:{entries}", run.address(table.node), table.process);
        writeln!(output, "{}", columns.map_or_else(|| line.clone(), |columns| filled(&line, columns)))?;
    }
    Ok(())
}

/// A row for each entry, in the order of [`table_columns`]; coordinates are separated by spaces.
fn write_csv(output: &mut impl Write, run: &Run, tables: Tables<'_>) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(output);
    rows.write_record(table_columns())?;
    for table in tables {
        let (node, process) = (spaced(run, table.node), table.process.to_string());
        let code = code_type(run, &table).unwrap_or_default();
        for (entry, there) in &table.entries {
            rows.write_record([&node, &process, code, &entry.to_string(), &spaced(run, *there)])?;
        }
    }
    rows.flush()
}

fn spaced(run: &Run, node: NodeId) -> String {
    let values: Vec<String> = run.address(node).as_slice().iter().map(u32::to_string).collect();
    values.join(" ")
}

#[derive(Serialize)]
struct TablesDocument<'run> {
    format: &'static str,
    version: u32,
    cubefold: &'static str,
    machine: MachineRecord,
    embedding: String,
    method: u8,
    routing_steps: Option<u64>,
    loading_cycles: Option<u64>,
    #[serde(serialize_with = "nodes")]
    nodes: Stream<'run>,
}

/// The tables, consumed by writing.
struct Stream<'run> {
    run: &'run Run,
    tables: RefCell<Tables<'run>>,
}

#[derive(Serialize)]
struct NodeRecord<'run> {
    node: Vec<u32>,
    process: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_type: Option<&'run str>,
    entries: Vec<EntryRecord>,
}

#[derive(Serialize)]
struct EntryRecord {
    process: u32,
    node: Vec<u32>,
}

fn nodes<S: Serializer>(stream: &Stream<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let coordinates = |node| stream.run.address(node).as_slice().to_vec();
    let entry = |&(process, node): &(cubefold_mapping::ProcessId, NodeId)| EntryRecord {
        process: process.label(),
        node: coordinates(node),
    };
    let record = |table: TranslationTable| NodeRecord {
        node: coordinates(table.node),
        process: table.process.label(),
        code_type: code_type(stream.run, &table),
        entries: table.entries.iter().map(entry).collect(),
    };
    serializer.collect_seq(stream.tables.borrow_mut().by_ref().map(record))
}

fn write_json(
    output: &mut impl Write,
    run: &Run,
    tables: Tables<'_>,
    method: u8,
    routing_steps: Option<u64>,
) -> io::Result<()> {
    let document = TablesDocument {
        format: "cubefold-tables",
        version: 1,
        cubefold: env!("CARGO_PKG_VERSION"),
        machine: MachineRecord::new(run),
        embedding: run.embedding.to_string(),
        method,
        routing_steps,
        loading_cycles: run.loading.as_ref().map(cubefold_scenario::Loading::cycles),
        nodes: Stream { run, tables: RefCell::new(tables) },
    };
    serde_json::to_writer(&mut *output, &document)?;
    writeln!(output)
}
