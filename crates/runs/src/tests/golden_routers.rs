//! The programs over routers of `tests/golden/research/research.json`, message by message, and its tables of routes that are
//! refused; computed by another program. The runs of open-loop traffic there have a test of their own.

use std::collections::BTreeMap;

use cubefold_formats::input::text::hexadecimal;
use cubefold_mapping::ProcessId;
use cubefold_scenario::LoadChoice;
use cubefold_simulator::{
    ChannelLoads, Cycle, Detail, DetailList, MessageTimes, Observer, OpenLoopRows, PacketRow, StageRecord,
    WantedRows,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::golden_truth::loaded;
use crate::support::{observed, run_beside};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    what: String,
    kind: String,
    scenario: String,
    files: BTreeMap<String, String>,
    /// A part of the error of a scenario that is refused.
    message_holds: Option<String>,
    expect: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Expected {
    /// Stage, source, destination, start, entered, received, transfer.
    messages: Vec<[u64; 7]>,
    longest_queue: u32,
    makespan_cycles: u64,
}

fn cases(kind: &str) -> Vec<Case> {
    let text = include_str!("../../../../tests/golden/research/research.json");
    let file: File = serde_json::from_str(text).unwrap();
    file.cases.into_iter().filter(|case| case.kind == kind).collect()
}

/// Keeps the times of all messages.
#[derive(Default)]
struct Messages(Vec<MessageTimes>);

impl Observer for Messages {
    fn stage_finished(&mut self, _: &StageRecord) {}

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Messages
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Messages(messages) = details {
            self.0 = messages;
        }
    }
}

#[test]
fn messages_over_routers_are_those_of_the_golden_cases() {
    let cases = cases("closed");
    assert_eq!(cases.len(), 20);
    let mut wrong = vec![];
    for case in &cases {
        let run = loaded(&case.scenario, &case.files);
        let mut messages = Messages::default();
        let outcome = observed(&run, &mut messages);
        let times = |message: &MessageTimes| {
            let [source, destination] = [message.source, message.destination].map(ProcessId::label);
            let cycles = [message.start, message.entered.unwrap(), message.received].map(Cycle::get);
            let ends = [message.stage, source, destination].map(u64::from);
            [ends[0], ends[1], ends[2], cycles[0], cycles[1], cycles[2], message.transfer.get()]
        };
        let mut found: Vec<[u64; 7]> = messages.0.iter().map(times).collect();
        found.sort_unstable();
        let mut expected: Expected = serde_json::from_value(case.expect.clone().unwrap()).unwrap();
        expected.messages.sort_unstable();
        let sums = (outcome.summary.makespan().get(), outcome.traffic.longest_queue);
        if found != expected.messages || sums != (expected.makespan_cycles, Some(expected.longest_queue)) {
            let first = found.iter().zip(&expected.messages).find(|(found, expected)| found != expected);
            wrong.push(format!(
                "{}: {first:?}, {sums:?}, expected {} {}",
                case.what, expected.makespan_cycles, expected.longest_queue
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_of_routes_are_refused_as_in_the_golden_cases() {
    let cases = cases("refuse");
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let error = run_beside(&case.scenario, &case.files).unwrap_err().to_string();
        assert!(error.contains(case.message_holds.as_ref().unwrap()), "{}: {error}", case.what);
    }
}

#[derive(Deserialize)]
struct DirectedCase {
    scenario: String,
    files: BTreeMap<String, String>,
    expect: DirectedTimes,
}

#[derive(Deserialize)]
struct DirectedTimes {
    makespan_cycles: u64,
    longest_queue: u32,
    /// By stage and process.
    finish: Vec<Vec<u64>>,
}

#[test]
fn links_in_one_direction_are_those_of_the_golden_cases() {
    let text = include_str!("../../../../tests/golden/research/directed.json");
    let cases: Vec<DirectedCase> = serde_json::from_str(text).unwrap();
    assert_eq!(cases.len(), 12);
    for (number, case) in cases.iter().enumerate() {
        let run = loaded(&case.scenario, &case.files);
        let mut records: Vec<StageRecord> = vec![];
        let outcome = observed(&run, &mut records);
        let found = (outcome.summary.makespan().get(), outcome.traffic.longest_queue);
        let expected = (case.expect.makespan_cycles, Some(case.expect.longest_queue));
        assert_eq!(found, expected, "case {number}");
        let mut finish = vec![vec![0; case.expect.finish[0].len()]; case.expect.finish.len()];
        for record in &records {
            finish[record.stage][record.process.label() as usize] = record.finish.get();
        }
        assert_eq!(finish, case.expect.finish, "case {number}");
    }
}

/// Rows as the files of the golden cases have them.
fn files_of(rows: &OpenLoopRows) -> [(&'static str, String); 3] {
    let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    let mut packets = "made,kind,source,destination,units,entered,received,links\n".to_owned();
    for packet in &rows.packets {
        let [entered, received] = [packet.entered, packet.received].map(number);
        let (kind, source, destination) =
            (packet.kind.name(), packet.source.index(), packet.destination.index());
        let PacketRow { made, units, links, .. } = packet;
        packets += &format!("{made},{kind},{source},{destination},{units},{entered},{received},{links}\n");
    }
    let mut channels = "from,to_kind,to,units\n".to_owned();
    for channel in &rows.channels {
        let (from, kind, to) = (channel.from.index(), channel.to.kind(), channel.to.node().index());
        channels += &format!("{from},{kind},{to},{}\n", channel.units);
    }
    let mut buffers = "at,from_kind,from,channel,sum,max\n".to_owned();
    for buffer in &rows.buffers {
        let (at, kind, from) = (buffer.at.index(), buffer.from.kind(), buffer.from.node().index());
        buffers += &format!("{at},{kind},{from},{},{},{}\n", buffer.channel, buffer.sum, buffer.max);
    }
    [("packets", packets), ("channels", channels), ("buffers", buffers)]
}

#[test]
fn rows_of_open_loop_traffic_are_those_of_the_golden_cases() {
    let wanted = WantedRows { packets: true, channels: true, buffers: true };
    let (mut wrong, mut count) = (vec![], 0);
    for case in cases("open") {
        let run = loaded(&case.scenario, &case.files);
        let program = run.program.open_loop.as_deref().unwrap();
        let LoadChoice::At(load) = program.load else { continue };
        let (_, rows) = program
            .traffic
            .run_with_rows(&run.machine, run.communication, load, wanted, &ChannelLoads::default())
            .unwrap();
        let expected = case.expect.unwrap();
        for (name, text) in files_of(&rows) {
            if let Some(hash) = expected["files_sha256"][name].as_str() {
                let digest = hexadecimal(&Sha256::digest(&text));
                count += 1;
                if digest != hash {
                    wrong.push(format!("{}: {name}", case.what));
                }
            }
        }
    }
    assert_eq!((count, wrong), (93, Vec::<String>::new()));
}
