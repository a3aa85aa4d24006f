//! Tests of the scenarios made from options and answers.

use clap::ValueEnum;
use cubefold_scenario::{Scenario, ScenarioErrors};
use cubefold_topology::{LinkMode, MachineKind};

use super::{questions::Check, *};
use crate::arguments::{ExecutionModes, Lengths, MACHINES, ProgramKind, new_scenario::Guest};

fn options() -> NewOptions {
    NewOptions {
        machine: None,
        shape: None,
        program: None,
        guest: None,
        operation: None,
        sizes: vec![],
        bandwidth: None,
        latency: None,
        embeddings: vec![],
        compute_cycles: 0,
        links: LinkMode::FullDuplex,
        mode: ExecutionModes::Asynchronous,
        name: None,
    }
}

/// The tested shapes of a kind of machine.
fn shapes(kind: MachineKind) -> &'static [&'static str] {
    match kind {
        MachineKind::Line | MachineKind::Ring => &["2", "3", "64", "63"],
        MachineKind::Mesh | MachineKind::Torus => &["2x2", "8x8", "3x5", "4x6x2", "9"],
        MachineKind::FatTree => &["2x2x1", "4x3x2"],
        MachineKind::Dragonfly => &["1x2x1", "2x4x2"],
        MachineKind::Cluster => &["1x2", "2x4", "5x3"],
        _ => &["6", "2x2x2", "1"],
    }
}

/// Complete options: every kind of machine in some shapes, under every link mode and mode, with both programs.
fn all_options() -> Vec<NewOptions> {
    let mut all = vec![];
    for kind in MACHINES {
        for shape in shapes(kind) {
            let has_switches = !MachineKind::GRIDS.contains(&kind);
            for program in ProgramKind::value_variants() {
                if has_switches && !matches!(program, ProgramKind::Collective | ProgramKind::Job) {
                    continue;
                }
                // Links of switches have no dimensions, so these cannot take turns.
                let modes_of_links = LinkMode::ALL
                    .into_iter()
                    .filter(|mode| !has_switches || *mode != LinkMode::SingleDirection);
                for links in modes_of_links {
                    // Collectives have no coordinated mode.
                    let modes = ExecutionModes::value_variants();
                    let has_one = matches!(program, ProgramKind::Collective | ProgramKind::Job);
                    let count = if has_one { 1 } else { modes.len() };
                    for mode in &modes[..count] {
                        let shape = Some(shape.parse().unwrap());
                        let (machine, program, mode) = (Some(kind), Some(*program), *mode);
                        all.push(NewOptions { machine, shape, program, links, mode, ..options() });
                    }
                }
            }
        }
    }
    all
}

/// The text of the scenario for these options.
fn text(options: &NewOptions) -> String {
    text_of(&new_scenario(options, None).unwrap())
}

fn text_of(new_scenario: &NewScenario) -> String {
    scenario_text(new_scenario, Path::new("new.toml"))
}

fn load(text: &str) -> Result<Scenario, ScenarioErrors> {
    load_text(Path::new("new.toml"), text)
}

/// Whether a scenario for these options exists: cubes need lengths that are powers of two.
fn exists(options: &NewOptions) -> bool {
    options.program != Some(ProgramKind::CcCube)
        || new_scenario(options, None).unwrap().machine.holds_a_cube()
}

/// The scenario with its proposals accepted: commented settings become settings.
fn with_proposals(text: &str) -> String {
    let setting = |line: &str| match line.strip_prefix("# ") {
        Some(proposal) if proposal.starts_with(['[', '"']) || proposal.starts_with("wrap = ") => {
            proposal.to_owned()
        }
        _ => line.to_owned(),
    };
    text.lines().map(setting).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_combination_of_options_gives_a_scenario_that_check_accepts() {
    for options in all_options() {
        let text = text(&options);
        let checked = load(&text);
        assert_eq!(checked.is_ok(), exists(&options), "{options:?}\n{text}\n{checked:?}");
    }
}

#[test]
fn what_comments_propose_is_accepted_too() {
    for options in all_options().into_iter().filter(exists) {
        // Tao's constructions support mixed wrapping for some guests only.
        if options.program == Some(ProgramKind::NeighbourExchange) {
            continue;
        }
        let text = with_proposals(&text(&options));
        let checked = load(&text);
        assert!(checked.is_ok(), "{options:?}\n{text}\n{checked:?}");
    }
}

#[test]
fn all_that_is_asked_for_stands_in_the_scenario() {
    let guest = Some(Guest { kind: MachineKind::Torus, lengths: "4x6".parse().unwrap() });
    let options = NewOptions {
        machine: Some(MachineKind::Mesh),
        shape: Some("2x2x2x3".parse().unwrap()),
        program: Some(ProgramKind::NeighbourExchange),
        guest,
        embeddings: vec!["tao".to_owned(), "tao:expansion-g".to_owned()],
        compute_cycles: 10,
        links: LinkMode::HalfDuplex,
        mode: ExecutionModes::Both,
        name: Some("a \"name\" # with\u{7f}\n".to_owned()),
        ..options()
    };
    let scenario = load(&text(&options)).unwrap();
    assert_eq!((scenario.name.as_str(), scenario.runs.len()), ("a \"name\" # with\u{7f}\n", 4));
    let run = &scenario.runs[3];
    assert_eq!(run.machine.shape().lengths(), [2, 2, 2, 3]);
    assert_eq!(run.communication.links(), LinkMode::HalfDuplex);
    assert_eq!((run.program.body.facts().compute.get(), run.program.body.process_count()), (10, 24));
    assert_eq!(
        (run.embedding.to_string().as_str(), run.execution.mode.name()),
        ("tao:expansion-g", "coordinated")
    );
}

/// Prepared answers.
#[derive(Debug, Default)]
struct Prepared {
    choices: Vec<usize>,
    lengths: Vec<&'static str>,
    texts: Vec<&'static str>,
    asked: Vec<String>,
    offered: Vec<usize>, // the number of choices of each question
    refused: Vec<String>,
}

impl Questions for Prepared {
    fn choose(&mut self, question: &str, choices: &[&str], _: usize) -> io::Result<usize> {
        self.asked.push(question.to_owned());
        self.offered.push(choices.len());
        if self.choices.is_empty() {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            Ok(self.choices.remove(0))
        }
    }

    fn lengths(&mut self, question: &str, _: &str, check: Check<'_, Lengths>) -> io::Result<Lengths> {
        self.asked.push(question.to_owned());
        loop {
            let lengths = self.lengths.remove(0).parse().map_err(io::Error::other)?;
            match check(&lengths) {
                Ok(()) => return Ok(lengths),
                Err(refused) => self.refused.push(refused),
            }
        }
    }

    fn text(&mut self, question: &str, _: &str, check: Check<'_, String>) -> io::Result<String> {
        self.asked.push(question.to_owned());
        loop {
            let text = self.texts.remove(0).to_owned();
            match check(&text) {
                Ok(()) => return Ok(text),
                Err(refused) => self.refused.push(refused),
            }
        }
    }
}

#[test]
fn three_answers_are_as_good_as_three_options() {
    let mut answers = Prepared { choices: vec![2, 1], lengths: vec!["4x8"], ..Prepared::default() };
    let answered = new_scenario(&options(), Some(&mut answers)).unwrap();
    assert_eq!(answers.asked.len(), 3, "{:?}", answers.asked);
    let (machine, shape) = (Some(MachineKind::Mesh), Some("4x8".parse().unwrap()));
    let program = Some(ProgramKind::NeighbourExchange);
    assert_eq!(answered, new_scenario(&NewOptions { machine, shape, program, ..options() }, None).unwrap());
}

#[test]
fn a_wrong_answer_is_asked_for_again() {
    let mut answers = Prepared {
        choices: vec![3, 2, 0],
        lengths: vec!["0x8", "1x4", "4x4"],
        texts: vec!["50 GBs", "50 GB/s", "soon", "400 ns", "1 MiB, -3", "1 MiB"],
        ..Prepared::default()
    };
    let answered = new_scenario(&options(), Some(&mut answers)).unwrap();
    assert_eq!(answers.refused.len(), 5, "{:?}", answers.refused);
    for (refused, part) in answers.refused.iter().zip(["is 0", "is 1", "50 GBs", "soon", "-3"]) {
        assert!(refused.contains(part) && !refused.contains(".toml"), "{refused}");
    }
    assert!(check(&answered).is_ok());
}

#[test]
fn a_program_that_would_be_refused_is_not_offered() {
    let mut answers = Prepared { choices: vec![3, 0], lengths: vec!["3x5"], ..Prepared::default() };
    let answered = new_scenario(&options(), Some(&mut answers)).unwrap();
    // Of four programs, that on a hypercube is left out.
    assert_eq!(answers.offered, [MACHINES.len(), 3]);
    assert!(matches!(answered.program, new_scenario::Program::Neighbours(_)));
    assert!(check(&answered).is_ok());
}

#[test]
fn a_collective_is_asked_for_its_operation_links_and_sizes() {
    let mut answers = Prepared {
        choices: vec![3, 1, 2],
        lengths: vec!["3x6"],
        texts: vec!["45 GB/s", "1 us", "4 KiB, 3 MB"],
        ..Prepared::default()
    };
    let answered = new_scenario(&options(), Some(&mut answers)).unwrap();
    assert_eq!(
        answers.asked[2..],
        [
            "With whom do processes exchange messages?",
            "Which operation?",
            "What is the bandwidth of a link?",
            "What is the latency of a link?",
            "Which sizes does the vector have?"
        ]
    );
    let scenario = load(&text_of(&answered)).unwrap();
    let specification = scenario.runs[0].program.collective.as_deref().unwrap().specification().unwrap();
    assert_eq!(specification.operation.name(), "all-gather");
    let sizes = |run: &cubefold_scenario::Run| run.program.vector_bytes();
    assert_eq!(sizes(&scenario.runs[0]), Some(4096));
    assert_eq!(sizes(scenario.runs.last().unwrap()), Some(3_000_000));
    // Every algorithm of the operation that is defined for 3 x 6.
    let names: Vec<&str> = scenario
        .runs
        .iter()
        .filter(|run| sizes(run) == Some(4096))
        .map(|run| run.program.collective.as_deref().unwrap().specification().unwrap().algorithm.name())
        .collect();
    assert_eq!(names, ["swing", "trivance", "ring", "bidirectional-ring", "bucket", "bruck", "direct"]);
    assert_eq!(scenario.runs[0].scale.unwrap().cycle_nanoseconds().to_string()[..4], *"1.42");
}

#[test]
fn options_of_collectives_are_for_collectives() {
    let (machine, shape) = (Some(MachineKind::Torus), Some("4x4".parse::<Lengths>().unwrap()));
    let given = NewOptions { machine, shape, sizes: vec!["1 MiB".to_owned()], ..options() };
    for program in [ProgramKind::CcCube, ProgramKind::NeighbourExchange] {
        let failure =
            new_scenario(&NewOptions { program: Some(program), ..given.clone() }, None).unwrap_err();
        let help = "leave out --sizes, or ask for --program collective";
        assert!(format!("{failure:?}").contains(help), "{failure:?}");
    }
    let program = Some(ProgramKind::Collective);
    let coordinated = NewOptions { program, mode: ExecutionModes::Both, ..given.clone() };
    assert!(format!("{:?}", new_scenario(&coordinated, None).unwrap_err()).contains("leave out --mode"));
    let barrier = NewOptions { program, operation: Some(cubefold_collectives::Operation::Barrier), ..given };
    let scenario = load(&text(&barrier)).unwrap();
    assert_eq!(scenario.runs.len(), 1);
}

#[test]
fn machines_with_switches_are_asked_for_their_numbers() {
    let mut answers = Prepared {
        choices: vec![7, 0, 0],
        lengths: vec!["8", "2x4"],
        texts: vec!["47 GB/s", "1 us", "1 MiB"],
        ..Prepared::default()
    };
    let answered = new_scenario(&options(), Some(&mut answers)).unwrap();
    assert_eq!(answers.offered[..2], [MACHINES.len(), 2]);
    assert!(answers.refused[0].starts_with("1 numbers of a cluster, expected 2"), "{:?}", answers.refused);
    let scenario = load(&text_of(&answered)).unwrap();
    assert_eq!(scenario.runs[0].machine.host_count(), 8);
    let failure = new_scenario(
        &NewOptions {
            machine: Some(MachineKind::FatTree),
            shape: Some("2x2x1".parse().unwrap()),
            program: Some(ProgramKind::CcCube),
            ..options()
        },
        None,
    );
    assert!(format!("{:?}", failure.unwrap_err()).contains("ask for --program collective, or job"));
}

#[test]
fn what_options_say_is_not_asked() {
    let given =
        NewOptions { machine: Some(MachineKind::Hypercube), program: Some(ProgramKind::CcCube), ..options() };
    let mut answers = Prepared { lengths: vec!["5"], ..Prepared::default() };
    let answered = new_scenario(&given, Some(&mut answers)).unwrap();
    assert_eq!(answers.asked, ["How many dimensions?"]);
    assert_eq!(answered.machine.lengths, [2; 5]);
}

#[test]
fn questions_without_answers_are_an_error() {
    let failure = new_scenario(&options(), Some(&mut Prepared::default())).unwrap_err();
    assert!(failure.to_string().starts_with("the question was not answered: "), "{failure}");
    assert_eq!(failure.exit_code(), crate::ExitCode::InputRefused);
}

#[test]
fn clusters_compare_hierarchical_algorithms_and_rings_over_all_nics() {
    let of = |shape: &str, operation| {
        let (machine, program) = (Some(MachineKind::Cluster), Some(ProgramKind::Collective));
        text(&NewOptions { machine, program, shape: Some(shape.parse().unwrap()), operation, ..options() })
    };
    let compared = of("4x8", None);
    let scenario = load(&compared).unwrap();
    let names = scenario.algorithms();
    for name in ["hierarchical direct/recursive-doubling", "hierarchical ring/double-tree in 4 chunks"] {
        assert!(names.iter().any(|found| **found == *name), "{name}: {names:?}");
    }
    let channels = |run: &cubefold_scenario::Run| {
        let specification = run.program.collective.as_deref()?.specification()?;
        specification.channels.as_ref().map(|channels| channels.count.get())
    };
    assert!(scenario.runs.iter().any(|run| channels(run) == Some(8)), "{compared}");
    // Trees perform no reduce-scatter, a barrier has one level, and a node alone has no NICs.
    let reduce_scatter = of("3x8", Some(cubefold_collectives::Operation::ReduceScatter));
    assert!(reduce_scatter.contains("outer = \"ring\"") && !reduce_scatter.contains("double-tree"));
    assert!(!of("4x8", Some(cubefold_collectives::Operation::Barrier)).contains("hierarchical"));
    assert!(!of("1x8", None).contains("channels"));
    assert!(of("2x100", None).contains("channels = 64 "));
}
