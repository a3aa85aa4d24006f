//! What is written is read back: GOAL and lists of messages by us, XML and protobuf by libraries.

use std::{collections::BTreeMap, path::Path};

use cubefold_simulator::{OperationKind, TaskGraph};
use prost::Message as _;

use super::*;
use crate::{Progress, runner::KeepRecords, runner::execute, scenario::load_text};

/// The run of a scenario without a sweep.
fn run_of(text: &str) -> Run {
    let mut scenario = load_text(Path::new("s.toml"), text).unwrap();
    assert_eq!(scenario.runs.len(), 1);
    scenario.runs.remove(0)
}

fn makespan(run: &Run) -> u64 {
    execute(run, 0, KeepRecords::No, &Progress::default()).unwrap().outcome.summary.makespan().get()
}

const CC_CUBE: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\nlatency_cycles = 2\n[program]\nkind = \"cc-cube\"\n\
                       compute_cycles = 5\nunits = [1, 4, 2, 9]\n[mapping]\nembeddings = [\"byweight\"]\n";

/// A collective on a torus of 4 x 4, or on a ring.
fn collective(shape: &str, program: &str) -> Run {
    run_of(&format!("[machine]\nkind = \"torus\"\nshape = {shape}\n[program]\n{program}\n"))
}

#[test]
fn a_program_written_as_goal_reads_back_with_the_same_cycles() {
    let in_seconds = "[machine]\nkind = \"torus\"\nshape = [4, 4]\nlink = { bandwidth = \"16 GB/s\", latency = \"40 ns\" }\n\
                      [program]\nkind = \"all-reduce\"\nalgorithm = \"swing\"\nbytes = \"10 kB\"\ncompute = \"400 ns\"\n";
    for text in [CC_CUBE, in_seconds] {
        let run = run_of(text);
        let written = ProgramFormat::GOAL.write(&run).unwrap();
        assert_eq!(written.notes, [] as [String; 0]);
        let directory = tempfile::tempdir().unwrap();
        let [(_, goal)] = &written.files[..] else { panic!("one file") };
        std::fs::write(directory.path().join("p.goal"), goal).unwrap();
        let begin = text.find("[program]").unwrap();
        let end = text.find("[mapping]").unwrap_or(text.len());
        let goal =
            format!("{}[program]\nkind = \"goal\"\nfile = \"p.goal\"\n{}", &text[..begin], &text[end..]);
        let mut scenario = load_text(&directory.path().join("s.toml"), &goal).unwrap();
        let read = scenario.runs.remove(0);
        assert_eq!(makespan(&read), makespan(&run));
        let schedule = read.program.task_graph().unwrap().schedule().clone();
        let expected = schedule_of(&run, "goal").unwrap();
        assert_eq!(schedule.operations().len(), expected.operations().len());
        assert_eq!(schedule.requirements(), expected.requirements());
        // A graph that was read is written as it was.
        assert_eq!(ProgramFormat::GOAL.write(&read).unwrap().files, written.files);
    }
}

#[test]
fn a_program_written_as_stages_reads_back_with_the_same_cycles() {
    let run = run_of(CC_CUBE);
    let written = ProgramFormat::STAGES.write(&run).unwrap();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("p.csv"), &written.files[0].1).unwrap();
    assert_eq!(
        written.notes,
        ["give program.processes = 16 and program.compute_cycles = [5, 5, 5, 5] beside the file"]
    );
    let begin = CC_CUBE.find("[program]").unwrap();
    let stages = format!(
        "{}[program]\nkind = \"stages\"\nfile = \"p.csv\"\nprocesses = 16\ncompute_cycles = [5, 5, 5, 5]\n\
         [mapping]\nembeddings = [\"byweight\"]\n",
        &CC_CUBE[..begin]
    );
    let mut scenario = load_text(&directory.path().join("s.toml"), &stages).unwrap();
    assert_eq!(makespan(&scenario.runs.remove(0)), makespan(&run));
}

#[test]
fn what_a_format_cannot_say_is_named() {
    let error = |format: ProgramFormat, run: &Run| format.write(run).unwrap_err().to_string();
    let cube = run_of(CC_CUBE);
    assert_eq!(
        error(ProgramFormat::MSCCL_XML, &cube),
        "msccl-xml cannot say a program of kind cc-cube, expected all-reduce, reduce-scatter, all-gather, broadcast or all-to-all"
    );
    let coordinated = run_of(&format!("{CC_CUBE}[execution]\nmode = \"coordinated\"\n"));
    assert_eq!(
        error(ProgramFormat::GOAL, &coordinated),
        "goal cannot say coordinated execution, expected asynchronous execution"
    );
    let bruck = collective("[8]", "kind = \"all-to-all\"\nalgorithm = \"bruck\"\nunits = 64");
    assert!(error(ProgramFormat::MSCCL_XML, &bruck).contains("items that go by way of other ranks"));
}

#[test]
fn chakra_traces_read_back_by_the_schema() {
    use chakra::schema::{GlobalMetadata, Node, NodeType, Value};
    let run = run_of(CC_CUBE);
    let schedule = schedule_of(&run, "chakra").unwrap();
    let written = ProgramFormat::CHAKRA.write(&run).unwrap();
    assert_eq!(written.files.len(), 16);
    let requirements = schedule.requirements();
    let mut of_rank: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, own) in (0..).zip(schedule.operations()) {
        of_rank.entry(own.process.label()).or_default().push(number);
    }
    for (rank, (name, bytes)) in (0..).zip(&written.files) {
        assert_eq!(*name, format!("program.{rank}.et"));
        let mut rest = &bytes[..];
        assert_eq!(GlobalMetadata::decode_length_delimited(&mut rest).unwrap().version, "0.0.4");
        for (id, &number) in (0..).zip(&of_rank[&rank]) {
            let node = Node::decode_length_delimited(&mut rest).unwrap();
            let own = &schedule.operations()[number as usize];
            assert_eq!(node.id, id);
            let value =
                |name: &str| node.attr.iter().find(|own| own.name == name).and_then(|own| own.value.clone());
            assert_eq!(value("is_cpu_op"), Some(Value::Bool(false)));
            let first = of_rank[&rank][0];
            let required: Vec<u64> =
                requirements[number as usize].iter().map(|own| u64::from(own.0 - first)).collect();
            assert_eq!(node.data_deps, required);
            match own.kind {
                OperationKind::Calc => assert_eq!(node.kind, i32::from(NodeType::Comp)),
                OperationKind::Send | OperationKind::Receive => {
                    let bytes = i64::try_from(own.amount).unwrap();
                    assert_eq!(value("comm_size"), Some(Value::Int64(bytes)));
                    let is_send = own.kind == OperationKind::Send;
                    assert_eq!(node.kind == i32::from(NodeType::CommSend), is_send);
                    let label = |own: u32| Some(Value::Int32(i32::try_from(own).unwrap()));
                    let ends = [own.process.label(), own.peer.label()];
                    let [from, to] = if is_send { ends } else { [ends[1], ends[0]] };
                    assert_eq!((value("comm_src"), value("comm_dst")), (label(from), label(to)));
                }
            }
        }
        assert!(rest.is_empty());
    }
}

#[test]
fn time_independent_traces_wait_for_what_they_require() {
    let run = run_of(CC_CUBE);
    let written = ProgramFormat::SIMGRID.write(&run).unwrap();
    assert_eq!(written.files.len(), 17);
    let first = String::from_utf8(written.files[0].1.clone()).unwrap();
    let expected = "0 init\n0 compute 5\n0 isend 1 0 1\n0 irecv 1 0 1\n0 wait 1 0 0\n0 compute 5\n0 isend 2 1 4\n\
                    0 irecv 2 1 4\n0 wait 2 0 1\n0 compute 5\n0 isend 4 2 2\n0 irecv 4 2 2\n0 wait 4 0 2\n0 compute 5\n\
                    0 isend 8 3 9\n0 irecv 8 3 9\n0 waitall\n0 finalize\n";
    assert_eq!(first, expected);
    assert!(String::from_utf8_lossy(&written.files[16].1).starts_with("rank-0.txt\nrank-1.txt\n"));
}

mod msccl {
    use super::*;
    use quick_xml::{Reader, events::Event};
    use std::collections::BTreeSet;

    #[derive(Debug, Default)]
    struct Block {
        send: i64,
        receive: i64,
        channel: i64,
        steps: Vec<BTreeMap<String, String>>,
    }

    /// The thread blocks of every GPU of a file.
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
                .map(|own| {
                    let own = own.unwrap();
                    (own.key.as_ref().to_owned(), own.value.to_string())
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

    /// The origins of what a chunk holds: ranks whose inputs have been combined.
    type Chunk = BTreeSet<usize>;

    /// Executes the file, each thread block in order, and gives the buffers of every rank.
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
                            for (from, to) in run("srcbuf", "srcoff").into_iter().zip(run("dstbuf", "dstoff"))
                            {
                                let chunk = memory[gpu][&from].clone();
                                memory[gpu].insert(to, chunk);
                            }
                        }
                        "s" => {
                            let to = usize::try_from(block.send).unwrap();
                            let sent =
                                run("srcbuf", "srcoff").iter().map(|at| memory[gpu][at].clone()).collect();
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
                                let own = memory[gpu].get_mut(&place).unwrap();
                                if kind == "rrc" {
                                    assert!(own.is_disjoint(&chunk), "nothing is reduced twice");
                                    own.extend(chunk);
                                } else {
                                    *own = chunk;
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
        for (kind, algorithm) in
            [("all-gather", "bruck"), ("all-gather", "ring"), ("reduce-scatter", "bruck")]
        {
            let run =
                collective("[6]", &format!("kind = \"{kind}\"\nalgorithm = \"{algorithm}\"\nunits = 60"));
            let gathers = kind == "all-gather";
            let memory = interpret(&xml(&run), |gpu, _, at| {
                if gathers && gpu != at { BTreeSet::new() } else { BTreeSet::from([gpu]) }
            });
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
                for ((_, origin), chunk) in buffers.iter().filter(|own| own.0.0 == "o") {
                    assert_eq!(*chunk, BTreeSet::from([10 * origin + gpu]));
                }
            }
        }
        let run = collective("[8]", "kind = \"broadcast\"\nalgorithm = \"binomial\"\nunits = 64\nroot = 3");
        let memory = interpret(&xml(&run), |gpu, _, _| BTreeSet::from([gpu]));
        assert!(memory.iter().all(|own| {
            own.iter().all(|((buffer, _), chunk)| buffer == "i" || *chunk == BTreeSet::from([3]))
        }));
    }
}

#[test]
fn a_task_graph_keeps_its_overhead_out_of_files_that_cannot_say_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("a.goal"),
        "num_ranks 2\nrank 0 {\nsend 4b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n",
    )
    .unwrap();
    let text = "[machine]\nkind = \"line\"\nshape = [2]\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\ncompute_cycles = 3\n";
    let mut scenario = load_text(&directory.path().join("s.toml"), text).unwrap();
    let run = scenario.runs.remove(0);
    assert_eq!(makespan(&run), 3 + 4);
    assert_eq!(run.program.task_graph().map(TaskGraph::message_count), Some(1));
    let error = ProgramFormat::GOAL.write(&run).unwrap_err().to_string();
    assert_eq!(
        error,
        "goal cannot say 3 cycles of overhead before every send, expected program.compute_cycles = 0"
    );
    assert!(ProgramFormat::STAGES.write(&run).unwrap_err().to_string().contains("a task graph"));
}
