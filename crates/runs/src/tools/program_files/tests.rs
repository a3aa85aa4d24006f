//! Round trips: our readers read GOAL and lists of messages, libraries read XML and protobuf.

use std::collections::BTreeMap;

use cubefold_simulator::{OperationKind, TaskGraph};
use prost::Message as _;

use super::*;
use crate::support::{finished, makespan_of, only_run, run_beside};

mod msccl;

/// The run of a scenario in a folder with these files.
fn read_back(text: &str, files: &[(String, Vec<u8>)]) -> Run {
    run_beside(text, files.iter().map(|(name, contents)| (name, contents))).unwrap()
}

/// A scenario with other tables from `[program]` to `[mapping]`, or to the end.
fn with_program(text: &str, program: &str) -> String {
    let begin = text.find("[program]").unwrap();
    let end = text.find("[mapping]").unwrap_or(text.len());
    format!("{}{program}{}", &text[..begin], &text[end..])
}

const CC_CUBE: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\nlatency_cycles = 2\n[program]\nkind = \"cc-cube\"\n\
                       compute_cycles = 5\nunits = [1, 4, 2, 9]\n[mapping]\nembeddings = [\"byweight\"]\n";

/// A collective on a torus of 4 x 4, or on a ring.
fn collective(shape: &str, program: &str) -> Run {
    only_run(&format!("[machine]\nkind = \"torus\"\nshape = {shape}\n[program]\n{program}\n"))
}

#[test]
fn what_no_file_has_is_told() {
    let of = |keys: &str| {
        let run =
            collective("[4]", &format!("kind = \"all-to-all\"\nunits = 8\nalgorithm = \"direct\"\n{keys}"));
        ProgramFormat::GOAL.write(&run).unwrap().notes
    };
    assert_eq!(of("order = \"listed\""), [] as [String; 0]);
    let shares = ProgramFormat::GOAL.write(&collective(
        "[4]",
        "kind = \"all-reduce\"\nunits = 8\nalgorithm = \"bucket\"\nports = \"all\"",
    ));
    let told = "each of the 4 ranks is divided into 2 shares, which are ranks of the file: rank n is on the node of rank n mod 4";
    assert_eq!(shares.unwrap().notes, [told]);
    let notes = of("message_cost_cycles = 3");
    assert!(notes[0].contains("no cost of each message (3 cycles)"), "{notes:?}");
    assert!(notes[1].contains("no order of messages that join a queue in one cycle"), "{notes:?}");
}

#[test]
fn a_program_written_as_goal_reads_back_with_the_same_cycles() {
    for text in [CC_CUBE, IN_SECONDS] {
        let run = only_run(text);
        let written = ProgramFormat::GOAL.write(&run).unwrap();
        assert_eq!((written.files.len(), &written.notes[..]), (1, &[] as &[String]));
        let goal = with_program(text, "[program]\nkind = \"goal\"\nfile = \"program.goal\"\n");
        let read = read_back(&goal, &written.files);
        assert_eq!(makespan_of(&read), makespan_of(&run));
        let schedule = read.program.body.special().tasks().unwrap().schedule().clone();
        let expected = schedule_of(&run, "goal").unwrap();
        assert_eq!(schedule.operations().len(), expected.operations().len());
        assert_eq!(schedule.requirements(), expected.requirements());
        // Writing a graph that was read gives the same text.
        assert_eq!(ProgramFormat::GOAL.write(&read).unwrap().files, written.files);
    }
}

/// A file makes every step wait for the one before it: jobs whose steps do so take the same cycles, others are refused.
#[test]
fn chakra_says_if_places_in_files_order_messages_otherwise_than_stages() {
    let is_told = |program: &str| {
        let notes = ProgramFormat::CHAKRA.write(&collective("[8]", program)).unwrap().notes;
        notes.iter().any(|note| note.contains("stands first in the file of its rank"))
    };
    assert!(!is_told("kind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 64"));
    // Ranks that a tree reaches late send in late stages, but early in their files.
    assert!(is_told("kind = \"broadcast\"\nalgorithm = \"binomial\"\nunits = 64"));
}

#[test]
fn jobs_are_written_if_no_steps_are_side_by_side() {
    let job = |after: &str| {
        let text = format!(
            "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nshape = [4]\n[[program.steps]]\nname = \"a\"\n\
             compute_cycles = 100\n[[program.steps]]\nname = \"b\"\nkind = \"send\"\nover = [0]\nwrap = true\n\
             units = 50\n{after}"
        );
        only_run(&text)
    };
    let (chain, beside) = (job(""), job("after = []\n"));
    assert_eq!([makespan_of(&chain), makespan_of(&beside)], [150, 100]);
    assert!(ProgramFormat::GOAL.write(&chain).is_ok());
    for format in ProgramFormat::ALL {
        let error = format.write(&beside).map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{} cannot express steps side by side", format.name())),
            "{error}"
        );
    }
}

/// Section 28.6; the predicted cycles are those promised if the tree has nodes of its own.
#[test]
fn divide_and_conquer_on_a_tree_agrees_with_its_goal_schedule() {
    let (compute, hop) = (5, 3);
    // Dimensions of the cube above the levels of the tree, links from the root to the farthest leaf above them.
    for (construction, dimensions, links) in
        [("double-rooted-tree", 1, Some(1)), ("wide-tree", 2, Some(0)), ("binomial-tree", 0, None)]
    {
        for levels in 1..=6_u64 {
            let run = only_run(&format!(
                "[machine]\nkind = \"hypercube\"\ndimensions = {}\nhop_cycles = {hop}\nprocessors_per_node = 64\n\
                 [program]\nkind = \"divide-and-conquer\"\ncompute_cycles = {compute}\n\
                 guest = {{ kind = \"binary-tree\", levels = {levels} }}\n\
                 [mapping]\nembeddings = [\"cs838:{construction}\"]\n",
                levels + dimensions
            ));
            if let Some(links) = links {
                assert_eq!(
                    finished(&run).predicted,
                    Some((2 * levels + 1) * compute + 2 * hop * (levels + links))
                );
            }
            let written = ProgramFormat::GOAL.write(&run).unwrap();
            let goal = "[machine]\nkind = \"ring\"\nshape = [128]\n[program]\nkind = \"goal\"\nfile = \"program.goal\"\n";
            let read = read_back(goal, &written.files);
            assert_eq!(
                makespan_of(&Run { program: read.program, ..run.clone() }),
                makespan_of(&run),
                "{construction}"
            );
        }
    }
}

/// A cycle is 4 ns, so that times in nanoseconds are exact.
const IN_SECONDS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\nlink = { bandwidth = \"16 GB/s\", latency = \"40 ns\" }\n\
                          [program]\nkind = \"all-reduce\"\nalgorithm = \"swing\"\nbytes = \"10 kB\"\ncompute = \"400 ns\"\n";

/// The tables of a program of traces, whose messages wait for their receives.
const CHAKRA: &str =
    "[program]\nkind = \"chakra\"\nfile = \"program.{rank}.et\"\n[execution]\neager_units = 0\n";

#[test]
fn a_program_written_as_chakra_reads_back_with_the_same_cycles() {
    for text in [CC_CUBE, IN_SECONDS] {
        let run = only_run(text);
        let written = ProgramFormat::CHAKRA.write(&run).unwrap();
        let read = read_back(&with_program(text, CHAKRA), &written.files);
        assert_eq!(makespan_of(&read), makespan_of(&run));
        let schedule = read.program.body.special().tasks().unwrap().schedule().clone();
        assert_eq!(schedule.requirements(), schedule_of(&run, "chakra").unwrap().requirements());
    }
}

#[test]
fn chakra_keeps_the_processor_of_the_host_and_says_what_is_not_eager() {
    let goal = "num_ranks 2\nrank 0 {\nl1: calc 50\nl2: calc 40 cpu 1\nl3: send 8b to 1 tag 1\nl3 requires l2\n}\n\
                rank 1 {\nl1: recv 8b from 0 tag 1\nl2: calc 30 cpu 1\nl3: calc 20 cpu 1\nl3 requires l1\n}\n";
    let machine = "[machine]\nkind = \"ring\"\nshape = [2]\n";
    let of_goal = |goal: &str| {
        let text = format!("{machine}[program]\nkind = \"goal\"\nfile = \"p.goal\"\n");
        read_back(&text, &[("p.goal".to_owned(), goal.as_bytes().to_vec())])
    };
    let run = of_goal(goal);
    let written = ProgramFormat::CHAKRA.write(&run).unwrap();
    let eager = |note: &&String| note.contains("execution.eager_units = 0");
    assert_eq!(written.notes.iter().filter(eager).count(), 1, "{:?}", written.notes);
    let read = read_back(&format!("{machine}{CHAKRA}"), &written.files);
    assert_eq!((makespan_of(&read), makespan_of(&run)), (68, 68));
    // With one processor a rank the send waits for both calculations.
    assert_eq!(makespan_of(&of_goal(&goal.replace(" cpu 1", ""))), 118);
}

#[test]
fn jobs_are_written_if_their_ranks_have_one_share_and_their_steps_an_order() {
    let job = |ports: &str, last: &str| {
        only_run(&format!(
            "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\n[[program.steps]]\nname = \"a\"\ncompute_cycles = 17\n\
             [[program.steps]]\nkind = \"all-reduce\"\nalgorithm = \"bucket\"\nunits = 64\n{ports}{last}"
        ))
    };
    for format in [ProgramFormat::GOAL, ProgramFormat::CHAKRA, ProgramFormat::STAGES] {
        let error = |run: &Run| format.write(run).unwrap_err().to_string();
        assert!(format.write(&job("", "")).is_ok(), "{format:?}");
        let shares = "cannot express a job whose ranks are divided into shares, as by ports = \"all\"";
        assert!(error(&job("ports = \"all\"\n", "")).contains(shares), "{format:?}");
        assert!(error(&job("", "after = []\n")).contains("cannot express steps side by side"), "{format:?}");
    }
}

#[test]
fn a_program_written_as_stages_reads_back_with_the_same_cycles() {
    let run = only_run(CC_CUBE);
    let written = ProgramFormat::STAGES.write(&run).unwrap();
    assert_eq!(
        written.notes,
        ["give program.processes = 16 and program.compute_cycles = [5, 5, 5, 5] with the file"]
    );
    let program = "[program]\nkind = \"stages\"\nfile = \"program.csv\"\nprocesses = 16\ncompute_cycles = [5, 5, 5, 5]\n";
    let read = read_back(&with_program(CC_CUBE, program), &written.files);
    assert_eq!(makespan_of(&read), makespan_of(&run));
}

#[test]
fn what_a_format_cannot_say_is_named() {
    let error = |format: ProgramFormat, run: &Run| format.write(run).unwrap_err().to_string();
    let cube = only_run(CC_CUBE);
    assert_eq!(
        error(ProgramFormat::MSCCL_XML, &cube),
        "msccl-xml cannot express a program of kind cc-cube, expected all-reduce, reduce-scatter, all-gather, broadcast or all-to-all"
    );
    let coordinated = only_run(&format!("{CC_CUBE}[execution]\nmode = \"coordinated\"\n"));
    assert_eq!(
        error(ProgramFormat::GOAL, &coordinated),
        "goal cannot express coordinated execution, expected asynchronous execution"
    );
    let bruck = collective("[8]", "kind = \"all-to-all\"\nalgorithm = \"bruck\"\nunits = 64");
    assert!(error(ProgramFormat::MSCCL_XML, &bruck).contains("items that are relayed by other ranks"));
}

#[test]
fn chakra_traces_read_back_by_the_schema() {
    use chakra::schema::{GlobalMetadata, Node, NodeType, Value};
    let run = only_run(CC_CUBE);
    let schedule = schedule_of(&run, "chakra").unwrap();
    let written = ProgramFormat::CHAKRA.write(&run).unwrap();
    assert_eq!(written.files.len(), 16);
    let requirements = schedule.requirements();
    let mut of_rank: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, operation) in (0..).zip(schedule.operations()) {
        of_rank.entry(operation.process.label()).or_default().push(number);
    }
    for (rank, (name, bytes)) in (0..).zip(&written.files) {
        assert_eq!(*name, format!("program.{rank}.et"));
        let mut rest = &bytes[..];
        assert_eq!(GlobalMetadata::decode_length_delimited(&mut rest).unwrap().version, "0.0.4");
        for (id, &number) in (0..).zip(&of_rank[&rank]) {
            let node = Node::decode_length_delimited(&mut rest).unwrap();
            let operation = &schedule.operations()[number as usize];
            assert_eq!(node.id, id);
            let value = |name: &str| {
                node.attr
                    .iter()
                    .find(|attribute| attribute.name == name)
                    .and_then(|attribute| attribute.value.clone())
            };
            assert_eq!(value("is_cpu_op"), Some(Value::Bool(false)));
            let first = of_rank[&rank][0];
            let required: Vec<u64> =
                requirements[number as usize].iter().map(|(before, _)| u64::from(before - first)).collect();
            assert_eq!(node.data_deps, required);
            match operation.kind {
                OperationKind::Calc => assert_eq!(node.kind, i32::from(NodeType::Comp)),
                OperationKind::Send | OperationKind::Receive => {
                    let bytes = i64::try_from(operation.amount).unwrap();
                    assert_eq!(value("comm_size"), Some(Value::Int64(bytes)));
                    let is_send = operation.kind == OperationKind::Send;
                    assert_eq!(node.kind == i32::from(NodeType::CommSend), is_send);
                    let label = |process: u32| Some(Value::Int32(i32::try_from(process).unwrap()));
                    let ends = [operation.process.label(), operation.peer.label()];
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
    let run = only_run(CC_CUBE);
    let written = ProgramFormat::SIMGRID.write(&run).unwrap();
    assert_eq!(written.files.len(), 17);
    let first = String::from_utf8(written.files[0].1.clone()).unwrap();
    let expected = "0 init\n0 compute 5\n0 isend 1 0 1\n0 irecv 1 0 1\n0 wait 1 0 0\n0 compute 5\n0 isend 2 1 4\n\
                    0 irecv 2 1 4\n0 wait 2 0 1\n0 compute 5\n0 isend 4 2 2\n0 irecv 4 2 2\n0 wait 4 0 2\n0 compute 5\n\
                    0 isend 8 3 9\n0 irecv 8 3 9\n0 waitall\n0 finalize\n";
    assert_eq!(first, expected);
    assert!(String::from_utf8_lossy(&written.files[16].1).starts_with("rank-0.txt\nrank-1.txt\n"));
}

#[test]
fn a_task_graph_keeps_its_overhead_out_of_files_that_cannot_say_it() {
    let goal = b"num_ranks 2\nrank 0 {\nsend 4b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n";
    let text = "[machine]\nkind = \"line\"\nshape = [2]\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\ncompute_cycles = 3\n";
    let run = read_back(text, &[("a.goal".to_owned(), goal.to_vec())]);
    assert_eq!(makespan_of(&run), 3 + 4);
    assert_eq!(run.program.body.special().tasks().map(TaskGraph::message_count), Some(1));
    let error = ProgramFormat::GOAL.write(&run).unwrap_err().to_string();
    assert_eq!(
        error,
        "goal cannot express 3 cycles of overhead before every send, expected program.compute_cycles = 0"
    );
    assert!(ProgramFormat::STAGES.write(&run).unwrap_err().to_string().contains("a task graph"));
}

#[test]
fn durations_in_whole_microseconds_are_told_with_their_error() {
    let text = "[machine]\nkind = \"ring\"\nshape = [8]\nlink = { bandwidth = \"50 GB/s\", latency = \"500 ns\" }\n\
                switching = \"cut-through\"\n[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\ncompute = \"TIME\"\nbytes = \"1 MiB\"\n";
    let note = |time: &str| {
        let written = ProgramFormat::CHAKRA.write(&only_run(&text.replace("TIME", time))).unwrap();
        written.notes[0].clone()
    };
    let rounded = note("300 ns");
    assert!(rounded.contains("300 ns become 1000 ns, 233.3 % more"), "{rounded}");
    assert!(rounded.contains("in all 4200 ns of a rank become 14000 ns"), "{rounded}");
    assert_eq!(note("1.28 ms"), "durations are whole microseconds, and exact");
}

#[test]
fn runtimes_have_their_names_and_limits() {
    let scatter = collective("[8]", "kind = \"reduce-scatter\"\nalgorithm = \"ring\"\nunits = 64");
    let written = |run: &Run, runtime: Option<MscclRuntime>| {
        let written = ProgramFormat::MSCCL_XML.write_with(run, ProgramOptions { runtime });
        written.map(|written| (String::from_utf8(written.files[0].1.clone()).unwrap(), written.notes))
    };
    let named = |runtime: MscclRuntime| written(&scatter, Some(runtime)).unwrap().0;
    for (runtime, name) in MscclRuntime::ALL.into_iter().zip([
        "reduce_scatter",
        "reducescatter",
        "reducescatter",
        "reduce_scatter",
    ]) {
        assert!(named(runtime).contains(&format!("coll=\"{name}\"")), "{runtime}");
    }
    let (text, notes) = written(&scatter, None).unwrap();
    assert!(text.contains("maxBytes=\"4611686018427387904\""), "{text}");
    assert!(notes.iter().any(|note| note.contains("msccl-executor and rccl expect")), "{notes:?}");
    let sized = only_run(
        "[machine]\nkind = \"ring\"\nshape = [8]\nlink = { bandwidth = \"50 GB/s\" }\nunit_bytes = 64\n\
         [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"1 MiB\"\n",
    );
    assert!(written(&sized, None).unwrap().0.contains("maxBytes=\"4194304\""));
    let long = collective("[64]", "kind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 64");
    let error = written(&long, Some(MscclRuntime::ALL[1])).unwrap_err().to_string();
    assert!(
        error.contains("for the runtime msccl-executor 126 steps in a thread block, of at most 64"),
        "{error}"
    );
    assert!(written(&long, Some(MscclRuntime::ALL[0])).is_ok());
    let direct = collective("[64]", "kind = \"all-to-all\"\nalgorithm = \"direct\"\nunits = 64");
    let notes = written(&direct, None).unwrap().1;
    assert!(
        notes.contains(&"msccl cannot execute it: 63 peers on a channel, of at most 32".to_owned()),
        "{notes:?}"
    );
    let astra = written(&direct, Some(MscclRuntime::ALL[3])).unwrap_err().to_string();
    assert!(astra.contains("different places at their source and destination"), "{astra}");
}
