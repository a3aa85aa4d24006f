//! `flux-taskmap`: blocks of nodes and tasks.
//!
//! Flux RFC 34, "Flux Task Map": a JSON array of blocks `[node, nodes, tasks, repeat]`. A block gives the
//! next `tasks` ranks to `node`, the next `tasks` to the node after it, and so on for `nodes` nodes, `repeat`
//! times over. `flux submit --taskmap=manual:MAP` takes it. It gives the node of a rank but not its slot: on a
//! cluster, the devices of a node take its ranks in order.
//!
//! ```text
//! [[0,2,1,1],[3,1,1,1],[2,1,1,1]]        ranks 0, 1, 2, 3 on nodes 0, 1, 3, 2
//! ```
//!
//! The other forms that `flux job taskmap --to=` prints can also be read: the ranks of each node, `0;1;3;2`, and
//! the blocks of `PMI_process_mapping`, `(vector,(0,2,1),(3,1,1),(2,1,1))`.

use std::io::{self, Write};

use cubefold_mapping::ProcessId;
use serde_json::Value;

use super::{FormatDescriptor, HostNaming, file::LauncherFile, reading::Reading};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "flux-taskmap",
    summary: "Nodes and tasks in blocks, for flux submit --taskmap=manual:..",
    hosts: HostNaming::Numbers,
    has_slots: false,
    check: |_| Ok(()),
    write,
    read,
};

/// `[node, nodes, tasks, repeat]`.
type Block = [u64; 4];

/// Form of a block.
const FORM: &str = "[NODE,NODES,TASKS,REPEAT]";

/// Writes the blocks on one line.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    let hosts = file.seats().map(|seat| file.place(seat));
    write!(output, "[")?;
    for (place, block) in blocks(hosts).enumerate() {
        let [node, nodes, tasks, repeat] = block;
        write!(output, "{}[{node},{nodes},{tasks},{repeat}]", if place == 0 { "" } else { "," })?;
    }
    writeln!(output, "]")
}

/// Compresses the node of each rank to the fewest blocks: runs of ranks, then of nodes, then of equal blocks.
fn blocks(nodes: impl Iterator<Item = u64>) -> impl Iterator<Item = Block> {
    let ranks = merged(nodes.map(|node| [node, 1, 1, 1]), |held, next| {
        held[2] += u64::from(held[0] == next[0]);
        held[0] == next[0]
    });
    let rows = merged(ranks, |held, next| {
        let follows = held[0] + held[1] == next[0] && held[2] == next[2];
        held[1] += u64::from(follows);
        follows
    });
    merged(rows, |held, next| {
        let equal = held[..3] == next[..3];
        held[3] += u64::from(equal);
        equal
    })
}

/// Merges each block into the one before it if `merge` allows.
fn merged(
    mut blocks: impl Iterator<Item = Block>,
    merge: impl Fn(&mut Block, &Block) -> bool,
) -> impl Iterator<Item = Block> {
    let mut held: Option<Block> = None;
    std::iter::from_fn(move || {
        loop {
            let Some(next) = blocks.next() else { return held.take() };
            let Some(block) = &mut held else {
                held = Some(next);
                continue;
            };
            if !merge(block, &next) {
                return held.replace(next);
            }
        }
    })
}

/// Reads a task map: JSON, raw, or a PMI mapping.
fn read(reading: &mut Reading<'_>) {
    let text = reading.text.trim();
    if text.starts_with("(vector") {
        read_pmi(reading, text);
    } else if is_raw(text) {
        read_raw(reading, text);
    } else {
        read_json(reading);
    }
}

/// Whether a text lists the ranks of each node: `0,2-3;1`, also with brackets around the ranks of a node.
fn is_raw(text: &str) -> bool {
    let is_of_set =
        |byte: u8| byte.is_ascii_digit() || b",-;[]".contains(&byte) || byte.is_ascii_whitespace();
    let sets = || text.split(';').map(str::trim);
    let is_set = |set: &str| !set.contains("],[") && !set.contains("[[");
    !text.is_empty() && text.bytes().all(is_of_set) && sets().all(is_set)
}

/// The number of nodes that a task map counts: those of a cluster, or of the machine.
fn node_count(reading: &Reading<'_>) -> u64 {
    reading.region.job_nodes() / reading.devices()
}

/// Puts a rank on a node of the task map.
fn seat_on(reading: &mut Reading<'_>, label: u32, node: u64, part: &str) {
    let device = reading.next_device(node, format_args!("node {node}"), part);
    let node = device.and_then(|device| reading.region.job_node(node * reading.devices() + device));
    reading.seat(ProcessId::new(label), node, part);
}

/// Reads the sets of ranks, one per node in node order.
fn read_raw(reading: &mut Reading<'_>, text: &str) {
    let count = node_count(reading);
    for (node, set) in (0_u64..).zip(text.split(';')) {
        let set = set.trim();
        if node == count {
            let found = text.split(';').count();
            reading
                .complain(set, || format!("{found} nodes, expected at most {count}, those of the machine"));
            return;
        }
        let ranks = set.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(set);
        for word in ranks.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last) = (reading.process(first.trim()), reading.process(last.trim()));
            let (Some(first), Some(last)) = (first, last) else {
                reading.no_more_missing();
                continue;
            };
            if last < first {
                reading.complain_of_rank(word, || format!("ranks {word}, expected the lower rank first"));
                reading.no_more_missing();
            }
            for label in first.label()..=last.label() {
                seat_on(reading, label, node, word);
            }
        }
    }
}

/// Reads `(vector,(node,nodes,tasks),..)`: the blocks of `PMI_process_mapping`, repeated until all ranks have a
/// node.
fn read_pmi(reading: &mut Reading<'_>, text: &str) {
    let Some(blocks) = pmi_blocks(text) else {
        reading.complain_of_all(|| {
            "no process mapping of PMI, expected (vector,(NODE,NODES,TASKS),..)".to_owned()
        });
        return;
    };
    let mut rank = 0;
    while rank < reading.processes {
        let before = rank;
        for &[node, nodes, tasks] in &blocks {
            let value = Value::from(vec![node, nodes, tasks, 1]);
            let Some(block) = check(reading, &value, text) else {
                reading.no_more_missing();
                return;
            };
            // The last round may end inside a block.
            rank = seat_some(reading, block, text, rank);
        }
        if rank == before {
            return;
        }
    }
}

/// The blocks of a process mapping; `None` if there are none or the form is invalid.
fn pmi_blocks(text: &str) -> Option<Vec<[u64; 3]>> {
    let inner = text.strip_prefix("(vector")?.trim_end().strip_suffix(')')?;
    let blocks: Vec<[u64; 3]> = inner
        .split(')')
        .map(|block| block.trim_start_matches([',', ' ', '(']))
        .filter(|block| !block.trim().is_empty())
        .map(|block| {
            let numbers: Vec<u64> =
                block.split(',').map(|word| word.trim().parse().ok()).collect::<Option<_>>()?;
            numbers.try_into().ok()
        })
        .collect::<Option<_>>()?;
    (!blocks.is_empty()).then_some(blocks)
}

/// Seats the ranks of a block until there are no more. Returns the next rank.
fn seat_some(reading: &mut Reading<'_>, block: Block, text: &str, first: u64) -> u64 {
    let [start, nodes, tasks, repeat] = block;
    let row = || (start..start + nodes).flat_map(|node| (0..tasks).map(move |_| node));
    let ranks = (0..repeat).flat_map(|_| row());
    let mut rank = first;
    for node in ranks.take(usize::try_from(reading.processes - first).unwrap_or(usize::MAX)) {
        let Ok(label) = u32::try_from(rank) else { break };
        seat_on(reading, label, node, text);
        rank += 1;
    }
    rank
}

/// Reads the array, alone or as the `map` of an object with a `version`.
fn read_json(reading: &mut Reading<'_>) {
    let blocks = match serde_json::from_str(reading.text) {
        Ok(value) => array(value),
        Err(error) => {
            let at = byte(reading.text, error.line(), error.column());
            reading.complain(&reading.text[at..at], || {
                format!(
                    "no task map, expected an array of {FORM}, ranks by node such as 0-3;4-7, or (vector,..)"
                )
            });
            reading.no_more_missing();
            return;
        }
    };
    let Some(blocks) = blocks else {
        reading.complain_of_all(|| {
            format!("no task map, expected an array of {FORM}, or an object of version 1 with it as map")
        });
        return;
    };
    let mut rank = 0;
    for (place, block) in blocks.iter().enumerate() {
        let text = block_text(reading.text, place);
        match check(reading, block, text) {
            Some(block) if rank <= reading.processes => rank = seat(reading, block, text, rank),
            Some(_) => {}
            None => reading.no_more_missing(),
        }
    }
}

/// The blocks of a task map.
fn array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(blocks) => Some(blocks),
        Value::Object(mut members) => {
            let known = members.len() == 2 && members.get("version").and_then(Value::as_u64) == Some(1);
            match members.swap_remove("map") {
                Some(Value::Array(blocks)) if known => Some(blocks),
                Some(_) | None => None,
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The four numbers of a block; reports an error and returns `None` if it is not one.
fn check(reading: &mut Reading<'_>, block: &Value, text: &str) -> Option<Block> {
    let numbers: Option<Vec<u64>> =
        block.as_array().and_then(|numbers| numbers.iter().map(Value::as_u64).collect());
    let Some(&[node, nodes, tasks, repeat]) = numbers.as_deref() else {
        reading.complain(text, || format!("block is not {FORM}, expected four integers"));
        return None;
    };
    let count = node_count(reading);
    if nodes == 0 || tasks == 0 || repeat == 0 {
        reading.complain(text, || "block is empty, expected at least one node, task and repeat".to_owned());
        return None;
    }
    if node.checked_add(nodes).is_none_or(|end| end > count) {
        reading.complain(text, || {
            format!("block of {nodes} nodes from {node} on, expected nodes 0 to {}", count - 1)
        });
        return None;
    }
    Some([node, nodes, tasks, repeat])
}

/// Seats the ranks of a block. Returns the next rank, or the number of processes plus 1 if there are too
/// many.
fn seat(reading: &mut Reading<'_>, block: Block, text: &str, first: u64) -> u64 {
    let rank = seat_some(reading, block, text, first);
    let [_, nodes, tasks, repeat] = block;
    if nodes.saturating_mul(tasks).saturating_mul(repeat) > rank - first {
        let count = reading.processes;
        reading.complain(text, || format!("a place for rank {count}, expected {count} ranks in all"));
        return count + 1;
    }
    rank
}

/// The text of a block. In valid JSON with task maps, brackets enclose blocks only, and all of them together.
fn block_text(text: &str, place: usize) -> &str {
    let Some((start, _)) = text.match_indices('[').nth(place + 1) else { return &text[..0] };
    let end = text[start..].find(']').map_or(text.len(), |length| start + length + 1);
    &text[start..end]
}

/// Byte offset of a line and column, both counted from 1.
fn byte(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    text.floor_char_boundary(before + column.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The node of every rank of a raw task map, which lists the ranks of each node in the order of the
    /// nodes.
    fn nodes(raw: &str) -> Vec<u64> {
        let mut nodes = vec![];
        for (node, set) in (0..).zip(raw.split(';')) {
            for range in set.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let ranks = first.parse::<usize>().unwrap()..=last.parse().unwrap();
                ranks.for_each(|rank| nodes.push((rank, node)));
            }
        }
        nodes.sort_unstable();
        nodes.into_iter().map(|(_, node)| node).collect()
    }

    #[test]
    fn the_test_vectors_of_the_rfc_come_out() {
        // Flux RFC 34, "Test Vectors".
        let vectors = [
            ("0", "[[0,1,1,1]]"),
            ("0;1", "[[0,2,1,1]]"),
            ("0-1", "[[0,1,2,1]]"),
            ("0-1;2-3", "[[0,2,2,1]]"),
            ("0,2;1,3", "[[0,2,1,2]]"),
            ("1;0", "[[1,1,1,1],[0,1,1,1]]"),
            ("0-3;4-7;8-11;12-15", "[[0,4,4,1]]"),
            ("0,4,8,12;1,5,9,13;2,6,10,14;3,7,11,15", "[[0,4,1,4]]"),
            ("0-1,8-9;2-3,10-11;4-5,12-13;6-7,14-15", "[[0,4,2,2]]"),
            ("0-1;2-3;4-5;6-7;8-11;12-15", "[[0,4,2,1],[4,2,4,1]]"),
            ("0,6;1,7;2,8;3,9;4,10,12,14;5,11,13,15", "[[0,6,1,2],[4,2,1,2]]"),
            (
                "14-15;12-13;10-11;8-9;4-7;0-3",
                "[[5,1,4,1],[4,1,4,1],[3,1,2,1],[2,1,2,1],[1,1,2,1],[0,1,2,1]]",
            ),
            ("0-1;2-3;4-5;6-7;8-9;12-13;10-11;14-15", "[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]"),
            ("12-15;8-11;4-7;0-3", "[[3,1,4,1],[2,1,4,1],[1,1,4,1],[0,1,4,1]]"),
        ];
        for (raw, map) in vectors {
            let found: Vec<Block> = blocks(nodes(raw).into_iter()).collect();
            assert_eq!(serde_json::to_string(&found).unwrap(), map, "{raw}");
        }
    }

    #[test]
    fn raw_and_pmi_forms_are_told_apart() {
        for raw in ["0", "0-3;4-7", "[0-3];[4-7]", "0,1,4,5;2,3,6,7\n", "0-1;;2"] {
            assert!(is_raw(raw.trim()), "{raw}");
        }
        for other in ["", "[[0,1,1,1]]", "[[0,1,1,1],[1,1,1,1]]", "{\"version\":1}", "(vector,(0,1,1))"] {
            assert!(!is_raw(other), "{other}");
        }
        assert_eq!(pmi_blocks("(vector,(0,2,1),(3,1,1))"), Some(vec![[0, 2, 1], [3, 1, 1]]));
        assert_eq!(pmi_blocks("(vector, (0, 4, 2))"), Some(vec![[0, 4, 2]]));
        for wrong in ["(vector)", "(vector,(0,1))", "(vector,(0,1,x))", "(vector,(0,1,1"] {
            assert_eq!(pmi_blocks(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn blocks_are_found_in_their_text() {
        let text = "{\"version\":1,\n \"map\":[[0,1,1,1],\n [1,1,1,1]]}";
        assert_eq!(block_text(text, 1), "[1,1,1,1]");
        assert_eq!(block_text(text, 7), "");
        assert_eq!(&text[byte(text, 2, 2)..][..5], "\"map\"");
    }
}
