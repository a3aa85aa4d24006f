//! Records of whole runs: rows, JSON, and columns that only some have.

use std::path::Path;

use cubefold_records::{
    Cell, Kind, PlacementEntry, PlacementRecord, PlannedRun, ProcessRecord, Record, Row, RowOfRun, RunRecord,
    read_flat, write_csv,
};
use cubefold_scenario::load;

use crate::{
    KeepRecords, Progress, execute,
    support::{record, records, runs},
};

/// Scenarios whose records together have every member.
const SCENARIOS: [&str; 9] = [
    "machine = { kind = \"torus\", shape = [4, 12], partition = { base = [0, 0], shape = [4, 6] } }\n\
     mapping.embeddings = [\"tao\"]\n[program]\nkind = \"neighbour-exchange\"\n\
     guest = { kind = \"ring\", shape = [24] }\ncommunication = \"permutation\"\nsets = 3\n\
     loading = { code_types = \"same\" }\n[sweep]\n\
     \"execution.mode\" = [\"asynchronous\", \"coordinated\"]\n",
    "machine = { kind = \"ring\", shape = [8] }\n",
    "machine = { kind = \"hypercube\", shape = [2, 2, 2, 2] }\nmapping.embeddings = [\"greenberg\"]\n\
     [program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"mesh\", shape = [3, 5] }\n\
     communication = \"scatter\"\n",
    "machine = { kind = \"ring\", shape = [8], processors_per_node = 2, packet_units = 3, \
     link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }, local = { bandwidth = \"1 GB/s\" } }\n\
     program = { bytes = [\"1 kB\", 300, 64] }\nexecution = { eager_units = \"all\" }\n",
    "machine = { kind = \"ring\", shape = [8] }\n[program]\nunits = 6\npipelining = \"best\"\nstartup_cycles = 2\n\
     compute_noise = { kind = \"outliers\", one_in = 3, cycles = 9 }\n",
    "machine = { kind = \"torus\", shape = [4, 4], switching = \"wormhole\" }\n[program]\nkind = \"open-loop\"\n\
     pattern = \"hotspot\"\nhotspots = [3]\nsizes = [[1, 4], [5, 1]]\nwarmup_cycles = 10\nmeasure_cycles = 90\n\
     drain_cycles = 100\n[sweep]\n\"program.saturation\" = [{ resolution = 0.3 }]\n",
    "machine = { kind = \"torus\", shape = [4, 4], switching = \"wormhole\", router = { cycles = 2 } }\n\
     execution = { routing = \"adaptive\" }\n",
    "machine = { kind = \"ring\", shape = [8], link = { bandwidth = \"1 GB/s\", latency = \"1 us\" } }\n\
     [program]\nkind = \"broadcast\"\nalgorithm = [\"bine\", \"binomial\"]\nroot = 3\nbytes = \"4 kB\"\n",
    "machine = { kind = \"ring\", shape = [6] }\n[program]\nkind = \"all-reduce\"\nunits = 12\nchannels = 2\nchunks = 4\n\
     order = \"listed\"\nfold = \"tail\"\nmessage_cost_cycles = 3\n\
     algorithm = [\"double-tree\", \"direct\", \"recursive-doubling\", \"ring\"]\n",
];

/// Compares the cells of a record with its JSON, member by member.
fn assert_row_is_json<R: Record + serde::Serialize>(record: &R) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.jsonl");
    std::fs::write(&file, serde_json::to_vec(record).unwrap()).unwrap();
    let (names, rows) = read_flat(&file).unwrap();
    // Iteration and step are cells of jobs only.
    let is_of_others = |(name, value): &(String, String)| {
        !(value.is_empty() && ["iteration", "step"].contains(&name.as_str()))
    };
    let expected: Vec<(String, String)> = names.into_iter().zip(rows.concat()).filter(is_of_others).collect();
    let row = Row::new(record);
    let columns = R::columns();
    assert_eq!(columns.len(), row.cells().count());
    let present = columns.iter().zip(row.cells()).filter(|(_, cell)| **cell != Cell::Absent);
    let found: Vec<(String, String)> =
        present.map(|(column, cell)| (column.name.to_owned(), cell.to_string())).collect();
    assert_eq!(found, expected);
    for (column, cell) in columns.iter().zip(row.cells()) {
        assert!(fits(column.kind, cell), "{}: {cell:?}", column.name);
    }
}

fn fits(kind: Kind, cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Absent | Cell::Missing => true,
        Cell::Text(_) => matches!(kind, Kind::Text | Kind::Shape | Kind::List),
        Cell::Truth(_) => kind == Kind::Truth,
        Cell::Natural(_) => matches!(kind, Kind::Natural | Kind::Decimal),
        Cell::Whole(_) => kind == Kind::Natural,
        Cell::Sum(_) => kind == Kind::Sum,
        Cell::Decimal(_) => kind == Kind::Decimal,
    }
}

#[test]
fn rows_have_the_scalars_of_json_in_their_order() {
    for run in SCENARIOS.iter().flat_map(|text| runs(text)) {
        let finished = execute(&run, 0, KeepRecords::Yes, &Progress::default()).unwrap();
        let mut record = RunRecord::new(&run, 3, &finished);
        assert_row_is_json(&record);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
        record.ratio_to_reference = Some(0.75);
        assert_row_is_json(&record);
        assert_row_is_json(&PlannedRun::new(3, &run));
        assert_row_is_json(&PlacementEntry {
            sweep: None,
            run: 3,
            scenario: run.scenario.to_string(),
            processes: record.processes,
            nodes: record.nodes,
            machine: record.machine,
            program: record.program,
            embedding: record.embedding,
            notes: vec![],
            dilation_bound: Some(2),
            dilation_bound_source: Some("line".into()),
            placement: PlacementRecord::with_distances(&finished.metrics, &run),
        });
        let part = ProcessRecord::new(&run.program, finished.records.first().unwrap());
        assert_row_is_json(&RowOfRun { scenario: "s", run: 7, embedding: "xor", part });
    }
}

#[test]
fn what_some_records_lack_is_a_column_of_all() {
    let all: Vec<RunRecord> =
        SCENARIOS[..2].iter().flat_map(|text| runs(text)).map(|run| record(&run)).collect();
    let mut text = vec![];
    write_csv(&mut text, &[], || all.iter().map(Ok)).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let header = reader.headers().unwrap().clone();
    let place = header.iter().position(|name| name == "program_sets").unwrap();
    assert_eq!(&header[place - 1], "program_communication");
    assert!(header.iter().all(|name| name != "ratio_to_reference"));
    let sets: Vec<String> = reader.records().map(|row| row.unwrap()[place].to_owned()).collect();
    assert_eq!((sets[0].as_str(), sets.last().map(String::as_str)), ("3", Some("")));
}

#[test]
fn a_bus_bandwidth_is_the_goodput_times_one_rounded_ratio() {
    let sizes: Vec<String> = (1..60).map(|size| format!("\"{size} kB\"")).collect();
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [3], link = {{ bandwidth = \"1 GB/s\", latency = \"1 us\" }} }}\n\
         [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\n[sweep]\n\"program.bytes\" = [{}]\n",
        sizes.join(", ")
    );
    let all: Vec<_> = runs(&text).iter().map(record).collect();
    let goodput = |place: usize| all[place].goodput_bytes_per_second.unwrap();
    for place in 0..all.len() {
        let expected = goodput(place) * (4.0 / 3.0);
        assert!(all[place].bus_bandwidth_bytes_per_second.unwrap().to_bits() == expected.to_bits());
    }
    // Another order of the operations would be seen.
    assert!(
        (0..all.len())
            .any(|place| (goodput(place) * 4.0 / 3.0).to_bits() != (goodput(place) * (4.0 / 3.0)).to_bits())
    );
}

#[test]
fn the_scenarios_with_sizes_say_units_seconds_and_the_busiest_link() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let records = |name: &str| records(&load(&[folder.join(name)]).unwrap().remove(0).runs);
    for record in records("sized-messages.toml") {
        assert_eq!((record.units, record.program.message_bytes), (1 << 20, Some(64 << 20)));
        let (seconds, goodput) = (record.makespan_seconds.unwrap(), record.goodput_bytes_per_second.unwrap());
        // No stage is shorter than its computation, its latency and its message: 8 of 1.34 ms.
        assert!((0.0107..1.0).contains(&seconds), "{seconds}");
        assert!((goodput * seconds / f64::from(64 << 20) - 1.0).abs() < 1e-9);
        assert!(record.link_busy_max_cycles.unwrap() >= 1 << 20);
        assert_eq!(record.busiest_link_to.as_ref().map(Vec::len), Some(3));
    }
    let listed = records("stages.toml");
    assert_eq!(listed.len(), 3);
    for record in &listed {
        assert_eq!((record.units, record.messages, record.overlapped_cycles), (16, Some(13), Some(0)));
        assert_eq!((record.makespan_seconds, record.stages.len()), (None, 4));
    }
    // Under standard, 4 messages of 16 units cross one link each, one of 8 crosses 4 links, and 8 of 1 cross
    // one.
    assert_eq!((listed[0].unit_hops, listed[0].hops), (Some(64 + 32 + 8), Some(4 + 4 + 8)));
    assert_eq!(listed[0].busiest_link_from.as_deref(), Some(&[0][..]));
}

#[test]
fn the_choices_of_a_collective_are_in_its_record_where_they_matter() {
    let runs = runs(SCENARIOS[8]);
    let found: Vec<serde_json::Value> =
        runs.iter().map(|run| serde_json::to_value(record(run).program).unwrap()).collect();
    let members = ["channels", "chunks", "order", "fold"];
    let of = |place: usize| members.map(|member| found[place].get(member).cloned().unwrap_or_default());
    let none = serde_json::Value::Null;
    assert_eq!(of(0), [2.into(), 4.into(), none.clone(), none.clone()]);
    assert_eq!(of(1), [none.clone(), none.clone(), "listed".into(), none.clone()]);
    assert_eq!(of(2), [none.clone(), none.clone(), none.clone(), "tail".into()]);
    assert_eq!(of(3), [2.into(), none.clone(), none.clone(), none]);
    assert!(found.iter().all(|program| program["message_cost_cycles"] == 3));
}
