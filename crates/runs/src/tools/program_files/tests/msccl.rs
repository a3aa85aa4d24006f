//! MSCCL XML, read by a library and executed: every chunk ends where MSCCL expects it.

use std::collections::BTreeSet;

use quick_xml::{Reader, events::Event};

use super::*;

#[derive(Debug, Default)]
struct Block {
    send: i64,
    receive: i64,
    channel: i64,
    steps: Vec<BTreeMap<String, String>>,
}

/// Thread blocks of every GPU of a file.
fn read(xml: &[u8]) -> (BTreeMap<String, String>, Vec<Vec<Block>>) {
    let mut reader = Reader::from_str(std::str::from_utf8(xml).unwrap());
    let (mut algorithm, mut gpus) = (BTreeMap::new(), vec![]);
    loop {
        let event = reader.read_event().unwrap();
        let element = match &event {
            Event::Eof => return (algorithm, gpus),
            Event::Start(element) | Event::Empty(element) => element,
            _ => continue,
        };
        let attributes: BTreeMap<String, String> = element
            .attributes()
            .map(|attribute| {
                let attribute = attribute.unwrap();
                (attribute.key.as_ref().to_owned(), attribute.value.to_string())
            })
            .collect();
        let number = |name: &str| attributes[name].parse::<i64>().unwrap();
        match element.name().as_ref() {
            "algo" => algorithm = attributes,
            "gpu" => gpus.push(vec![]),
            "tb" => {
                let block = Block {
                    send: number("send"),
                    receive: number("recv"),
                    channel: number("chan"),
                    steps: vec![],
                };
                let blocks = gpus.last_mut().unwrap();
                assert_eq!(number("id"), i64::try_from(blocks.len()).unwrap());
                blocks.push(block);
            }
            "step" => {
                let steps = &mut gpus.last_mut().unwrap().last_mut().unwrap().steps;
                assert_eq!(number("s"), i64::try_from(steps.len()).unwrap());
                steps.push(attributes);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Origins of a chunk's contents: ranks whose inputs have been combined.
type Chunk = BTreeSet<usize>;

/// Executes the file, each thread block in order, and returns the buffers of every rank.
#[expect(clippy::too_many_lines, reason = "an interpreter, a match on the kinds of steps")]
fn interpret(
    xml: &[u8],
    initial: impl Fn(usize, &str, usize) -> Chunk,
) -> Vec<BTreeMap<(String, usize), Chunk>> {
    let (algorithm, gpus) = read(xml);
    let chunks: usize = algorithm["nchunksperloop"].parse().unwrap();
    let mut memory: Vec<BTreeMap<(String, usize), Chunk>> = (0..gpus.len())
        .map(|gpu| {
            let all = ["i", "o"].into_iter().flat_map(|name| (0..chunks).map(move |at| (name, at)));
            all.map(|(name, at)| ((name.to_owned(), at), initial(gpu, name, at))).collect()
        })
        .collect();
    let mut done: Vec<Vec<usize>> = gpus.iter().map(|blocks| vec![0; blocks.len()]).collect();
    let mut wires: BTreeMap<(usize, usize, i64), Vec<Vec<Chunk>>> = BTreeMap::new();
    loop {
        let mut has_advanced = false;
        for (gpu, blocks) in gpus.iter().enumerate() {
            for (number, block) in blocks.iter().enumerate() {
                let Some(step) = block.steps.get(done[gpu][number]) else { continue };
                let value = |name: &str| step[name].parse::<i64>().unwrap();
                let index = |name: &str| usize::try_from(value(name)).unwrap();
                if value("depid") >= 0 {
                    let [other, at] = [index("depid"), index("deps")];
                    assert_eq!(blocks[other].steps[at]["hasdep"], "1");
                    if done[gpu][other] <= at {
                        continue;
                    }
                }
                let run = |name: &str, offset: &str| {
                    let (buffer, first) = (step[name].clone(), index(offset));
                    (first..first + index("cnt")).map(move |at| (buffer.clone(), at)).collect::<Vec<_>>()
                };
                match step["type"].as_str() {
                    "nop" => {}
                    "cpy" => {
                        for (from, to) in run("srcbuf", "srcoff").into_iter().zip(run("dstbuf", "dstoff")) {
                            let chunk = memory[gpu][&from].clone();
                            memory[gpu].insert(to, chunk);
                        }
                    }
                    "s" => {
                        let to = usize::try_from(block.send).unwrap();
                        let sent = run("srcbuf", "srcoff").iter().map(|at| memory[gpu][at].clone()).collect();
                        wires.entry((gpu, to, block.channel)).or_default().push(sent);
                    }
                    kind @ ("r" | "rrc") => {
                        let from = usize::try_from(block.receive).unwrap();
                        let wire = wires.entry((from, gpu, block.channel)).or_default();
                        if wire.is_empty() {
                            continue;
                        }
                        let received = wire.remove(0);
                        let places = run("dstbuf", "dstoff");
                        assert_eq!(received.len(), places.len());
                        for (place, chunk) in places.into_iter().zip(received) {
                            let contents = memory[gpu].get_mut(&place).unwrap();
                            if kind == "rrc" {
                                assert!(contents.is_disjoint(&chunk), "nothing is reduced twice");
                                contents.extend(chunk);
                            } else {
                                *contents = chunk;
                            }
                        }
                    }
                    other => panic!("step {other}"),
                }
                done[gpu][number] += 1;
                has_advanced = true;
            }
        }
        if !has_advanced {
            break;
        }
    }
    for (blocks, done) in gpus.iter().zip(&done) {
        assert!(blocks.iter().zip(done).all(|(block, &done)| block.steps.len() == done), "a deadlock");
    }
    memory
}

fn xml(run: &Run) -> Vec<u8> {
    ProgramFormat::MSCCL_XML.write(run).unwrap().files.remove(0).1
}

#[test]
fn all_reduces_leave_every_input_in_every_chunk_of_every_rank() {
    let programs = [
        ("[4, 4]", "algorithm = \"swing\"\nports = \"all\""),
        ("[4, 4]", "algorithm = \"recursive-doubling\"\nexchange = \"whole\""),
        ("[4, 4]", "algorithm = \"bucket\"\nports = \"all\""),
        ("[6, 3]", "algorithm = \"trivance\""),
        ("[3, 3]", "algorithm = \"hamiltonian-rings\""),
        ("[5]", "algorithm = \"ring\""),
        ("[5]", "algorithm = \"bidirectional-ring\""),
        ("[7]", "algorithm = \"swing\""),
        ("[8]", "algorithm = \"bine\""),
    ];
    for (shape, program) in programs {
        let run = collective(shape, &format!("kind = \"all-reduce\"\nunits = 1440\n{program}"));
        let file = xml(&run);
        let memory = interpret(&file, |gpu, _, _| BTreeSet::from([gpu]));
        let all: Chunk = (0..memory.len()).collect();
        for buffers in &memory {
            let inputs = buffers.iter().filter(|((buffer, _), _)| buffer == "i");
            assert!(inputs.clone().count() > 0);
            assert!(inputs.into_iter().all(|(_, chunk)| *chunk == all), "{shape} {program}");
        }
    }
}

#[test]
fn gathers_scatters_and_all_to_alls_leave_each_chunk_where_it_belongs() {
    for (kind, algorithm) in [("all-gather", "bruck"), ("all-gather", "ring"), ("reduce-scatter", "bruck")] {
        let run = collective("[6]", &format!("kind = \"{kind}\"\nalgorithm = \"{algorithm}\"\nunits = 60"));
        let gathers = kind == "all-gather";
        let memory =
            interpret(
                &xml(&run),
                |gpu, _, at| {
                    if gathers && gpu != at { BTreeSet::new() } else { BTreeSet::from([gpu]) }
                },
            );
        for (gpu, buffers) in memory.iter().enumerate() {
            for ((buffer, at), chunk) in buffers {
                match (gathers, buffer.as_str()) {
                    (true, "o") => assert_eq!(*chunk, BTreeSet::from([*at])),
                    (false, "i") if *at == gpu => assert_eq!(*chunk, (0..6).collect()),
                    _ => {}
                }
            }
        }
    }
    for algorithm in ["direct", "pairwise"] {
        let run =
            collective("[6]", &format!("kind = \"all-to-all\"\nalgorithm = \"{algorithm}\"\nunits = 60"));
        // Chunk d of the input of o is 10 o + d.
        let memory = interpret(&xml(&run), |gpu, buffer, at| match buffer {
            "i" => BTreeSet::from([10 * gpu + at]),
            _ => BTreeSet::new(),
        });
        for (gpu, buffers) in memory.iter().enumerate() {
            for ((_, origin), chunk) in buffers.iter().filter(|buffer| buffer.0.0 == "o") {
                assert_eq!(*chunk, BTreeSet::from([10 * origin + gpu]));
            }
        }
    }
    let run = collective("[8]", "kind = \"broadcast\"\nalgorithm = \"binomial\"\nunits = 64\nroot = 3");
    let memory = interpret(&xml(&run), |gpu, _, _| BTreeSet::from([gpu]));
    assert!(memory.iter().all(|buffers| {
        buffers.iter().all(|((buffer, _), chunk)| buffer == "i" || *chunk == BTreeSet::from([3]))
    }));
}

/// The contribution of rank `origin` to a chunk.
fn given(origin: usize, chunk: usize) -> usize {
    1000 * origin + chunk
}

/// MSCCL's layout in place: of `k P` chunks, rank `r` owns `k r` to `k (r + 1) - 1`, for any number of
/// shares.
#[test]
fn chunks_of_a_rank_lie_side_by_side_in_every_share() {
    let programs = [
        ("[6]", "algorithm = \"bidirectional-ring\""),
        ("[3, 3]", "algorithm = \"hamiltonian-rings\""),
        ("[4, 4]", "algorithm = \"bucket\"\nports = \"all\""),
        ("[4, 4]", "algorithm = \"swing\"\nports = \"all\""),
        ("[4, 4]", "algorithm = \"recursive-doubling\"\nports = \"all\""),
        ("[9]", "algorithm = \"trivance\"\nports = \"all\""),
        ("[9, 9]", "algorithm = \"trivance\"\nports = \"all\""),
    ];
    for (shape, program) in programs {
        for kind in ["all-gather", "reduce-scatter"] {
            let run = collective(shape, &format!("kind = \"{kind}\"\nunits = 6480\n{program}"));
            let file = xml(&run);
            let (algorithm, gpus) = read(&file);
            let number = |name: &str| algorithm[name].parse::<usize>().unwrap();
            let (ranks, shares) = (number("ngpus"), number("nchannels"));
            assert_eq!((gpus.len(), number("inplace")), (ranks, 1));
            assert!(shares > 1, "{kind} {shape} {program}");
            assert_eq!(number("nchunksperloop"), ranks * shares, "{kind} {shape} {program}");
            let owner = |chunk: usize| chunk / shares;
            let gathers = kind == "all-gather";
            let memory = interpret(&file, |gpu, _, at| {
                if gathers && owner(at) != gpu { BTreeSet::new() } else { BTreeSet::from([given(gpu, at)]) }
            });
            for (gpu, buffers) in memory.iter().enumerate() {
                for ((buffer, at), chunk) in buffers {
                    let expected: Chunk = match (gathers, buffer.as_str()) {
                        (true, "o") => BTreeSet::from([given(owner(*at), *at)]),
                        (false, "i") if owner(*at) == gpu => {
                            (0..ranks).map(|origin| given(origin, *at)).collect()
                        }
                        _ => continue,
                    };
                    assert_eq!(*chunk, expected, "chunk {at} of rank {gpu}: {kind} {shape} {program}");
                }
            }
        }
    }
}
