//! Stages from lists of messages, and the errors of wrong lists.

use super::*;

fn message(stage: usize, source: u32, destination: u32, units: u64) -> StageMessage {
    let [source, destination] = [source, destination].map(ProcessId::new);
    StageMessage { stage, source, destination, units }
}

fn program(messages: &[StageMessage]) -> Result<StageProgram, StageProgramError> {
    StageProgram::new(4, Computations::Same(Cycles::new(7)), messages)
}

#[test]
fn partners_are_those_of_the_pairs_whether_few_or_most_processes_have_some() {
    for processes in [vec![], vec![0], vec![3], vec![0, 1, 3], vec![1, 9], vec![2, 9, 40], vec![0, 2, 4]] {
        let count = |process: u32| 1 + process % 3;
        let pairs = || processes.iter().flat_map(|&process| (0..count(process)).map(move |to| (process, to)));
        let lists = Partners::new(pairs().map(|(process, to)| (ProcessId::new(process), ProcessId::new(to))));
        for process in 0..50 {
            let expected: Vec<_> =
                pairs().filter(|pair| pair.0 == process).map(|(_, to)| ProcessId::new(to)).collect();
            assert_eq!(lists.of(ProcessId::new(process)), expected, "{processes:?} {process}");
        }
    }
}

#[test]
fn messages_are_found_by_source_and_by_destination() {
    let messages = [message(2, 3, 0, 5), message(0, 1, 2, 9), message(2, 0, 3, 4), message(2, 3, 1, 1)];
    let program = program(&messages).unwrap();
    assert_eq!((program.stage_count(), program.facts().max_received, program.message_count()), (3, 1, 4));
    let peers = |end, stage, process| {
        let mut peers = vec![];
        program.list(end, stage, ProcessId::new(process), &mut peers);
        peers.iter().map(|peer| (peer.process.label(), peer.units)).collect::<Vec<_>>()
    };
    assert_eq!(peers(End::Source, 2, 3), [(0, 5), (1, 1)]);
    assert_eq!([peers(End::Source, 1, 3), peers(End::Source, 2, 1)], [vec![], vec![]]);
    assert_eq!(peers(End::Destination, 2, 3), [(0, 4)]);
    assert_eq!(peers(End::Destination, 0, 2), [(1, 9)]);
    for StageMessage { stage, source, destination, units } in messages {
        assert_eq!(program.units(stage, source, destination), units);
    }
    assert_eq!([0, 1, 2].map(|stage| program.max_units(stage)), [9, 1, 5]);
    assert_eq!(program.facts().uniform_units, None);
    assert_eq!(program.facts().total_compute, 7 * 3 * 4);
    assert_eq!(program.guest.shape().link_count(), 3);
}

#[test]
fn rounds_repeat_the_stages() {
    let messages = [message(0, 1, 2, 9), message(1, 0, 3, 4)];
    let (once, thrice) = (program(&messages).unwrap(), program(&messages).unwrap().repeated(3));
    assert_eq!((thrice.stage_count(), thrice.message_count()), (6, 6));
    assert_eq!(thrice.facts().total_compute, 3 * once.facts().total_compute);
    for stage in 0..6 {
        let expected = once.messages(stage % 2).into_iter().map(|message| StageMessage { stage, ..message });
        assert_eq!(thrice.messages(stage), expected.collect::<Vec<_>>());
        assert_eq!(thrice.max_units(stage), once.max_units(stage % 2));
        assert!(!thrice.repeats(stage));
    }
    let single = program(&messages[..1]).unwrap().repeated(2);
    assert_eq!([0, 1].map(|stage| single.repeats(stage)), [false, true]);
    let distinct = |program: &dyn Program| program.distinct_stages().collect::<Vec<_>>();
    assert_eq!(distinct(&thrice), [0, 1, 2, 3, 4, 5].map(|stage| (stage, 1)));
    assert_eq!(distinct(&single), [(0, 2)]);
}

#[test]
fn computations_are_those_given() {
    let two = |computations| StageProgram::new(2, computations, &[message(0, 0, 1, 1)]).unwrap();
    let by_stage = two(Computations::ByStage([3, 0, 5].map(Cycles::new).to_vec()));
    let facts = by_stage.facts();
    assert_eq!((facts.stage_count, facts.total_compute), (3, 16));
    assert_eq!((facts.compute, facts.has_one_compute_time), (Cycles::new(5), false));
    assert_eq!(by_stage.computation(1, ProcessId::new(0)), Cycles::ZERO);
    let by_process = two(Computations::ByProcess(vec![[3, 4].map(Cycles::new).to_vec()]));
    assert_eq!(by_process.computation(0, ProcessId::new(1)), Cycles::new(4));
    assert_eq!(by_process.facts().total_compute, 7);
}

#[test]
fn wrong_messages_are_named_by_their_places() {
    let of = |messages: &[StageMessage]| program(messages).unwrap_err();
    let no_such = of(&[message(0, 0, 1, 1), message(0, 0, 4, 1)]);
    assert_eq!(no_such.to_string(), "process 4, expected 0 to 3");
    assert!(matches!(no_such, StageProgramError::NoSuchProcess { message: 1, .. }));
    assert_eq!(of(&[message(0, 2, 2, 1)]).to_string(), "process 2 sends to itself, expected another process");
    assert_eq!(of(&[message(0, 2, 1, 0)]), StageProgramError::NoUnits { message: 0 });
    let twice = of(&[message(1, 2, 1, 3), message(0, 2, 1, 3), message(1, 2, 1, 8)]);
    assert_eq!(twice.to_string(), "stage 1 has two messages from process 2 to process 1, expected one");
    assert!(matches!(twice, StageProgramError::Repeated { messages: [0, 2], .. }));
}
