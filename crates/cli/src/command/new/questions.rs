//! The questions of `cubefold new`.

use std::io;

use cubefold_collectives::{OPERATIONS, Operation};
use cubefold_topology::{Machine, MachineKind};
use dialoguer::{Input, Select};

use super::new_scenario::{BANDWIDTH, Grid, LATENCY, NewScenario, SIZES};
use crate::{
    arguments::{Lengths, MACHINES, NewOptions, ProgramKind},
    failure::Failure,
    interruption,
};

/// The fault of an answer.
pub(super) type Check<'a, T> = &'a dyn Fn(&T) -> Result<(), String>;

/// The source of answers: a person or a test. A question is repeated if the check refuses the answer.
pub(super) trait Questions {
    /// The index of the chosen one; `usual` is offered first.
    fn choose(&mut self, question: &str, choices: &[&str], usual: usize) -> io::Result<usize>;

    /// The lengths of a shape; `usual` is offered.
    fn lengths(&mut self, question: &str, usual: &str, check: Check<'_, Lengths>) -> io::Result<Lengths>;

    /// A text; `usual` is offered.
    fn text(&mut self, question: &str, usual: &str, check: Check<'_, String>) -> io::Result<String>;
}

/// Asks on standard error, and reads from the terminal.
#[derive(Debug)]
pub(super) struct TerminalQuestions;

impl Questions for TerminalQuestions {
    fn choose(&mut self, question: &str, choices: &[&str], usual: usize) -> io::Result<usize> {
        Select::new().with_prompt(question).items(choices).default(usual).interact().map_err(not_answered)
    }

    fn lengths(&mut self, question: &str, usual: &str, check: Check<'_, Lengths>) -> io::Result<Lengths> {
        let check = |text: &String| text.parse::<Lengths>().and_then(|lengths| check(&lengths));
        self.text(question, usual, &check)?.parse().map_err(io::Error::other)
    }

    fn text(&mut self, question: &str, usual: &str, check: Check<'_, String>) -> io::Result<String> {
        let input = Input::<String>::new().with_prompt(question).default(usual.to_owned());
        input.validate_with(check).interact_text().map_err(not_answered)
    }
}

fn not_answered(error: dialoguer::Error) -> io::Error {
    let dialoguer::Error::IO(error) = error;
    error
}

/// The kinds of programs, in the order of [`ProgramKind`].
const PROGRAMS: [(ProgramKind, &str); 4] = [
    (ProgramKind::CcCube, "the neighbours in a hypercube (FFT, sort, all-reduce)"),
    (ProgramKind::NeighbourExchange, "the neighbours on a ring (stencil, pipeline)"),
    (ProgramKind::Collective, "all together (all-reduce, all-to-all and other collectives)"),
    (ProgramKind::Job, "all together, beside computations (a step of training, an iteration of a solver)"),
];

/// The options with answers for the missing ones: machine, shape, program.
pub(super) fn answers(options: &NewOptions, questions: &mut dyn Questions) -> Result<NewOptions, Failure> {
    let unanswered = |error: io::Error| {
        if error.kind() == io::ErrorKind::Interrupted {
            interruption::interrupt();
        }
        let message = format!("the question was not answered: {error}");
        Failure::usage(message, "give options instead of answers")
    };
    let mut answered = options.clone();
    let kind = if let Some(kind) = options.machine {
        kind
    } else {
        let kinds = MACHINES.map(|kind| format!("{kind}: {}", kind.descriptor().description));
        let kinds = kinds.each_ref().map(String::as_str);
        MACHINES[questions.choose("Which machine?", &kinds, 3).map_err(unanswered)?]
    };
    answered.machine = Some(kind);
    let lengths = if let Some(lengths) = &options.shape {
        lengths.clone()
    } else {
        let (question, usual) = shape_question(kind);
        let check = |lengths: &Lengths| {
            let grid = Grid::new(kind, &lengths.0);
            if grid.has_switches() {
                return grid.check_numbers().map_err(|failure| failure.to_string());
            }
            Machine::new(kind, &grid.lengths).map(drop).map_err(|error| error.to_string())
        };
        questions.lengths(question, usual, &check).map_err(unanswered)?
    };
    // Hypercubes need other lengths, so they are not offered.
    let machine = Grid::new(kind, &lengths.0);
    let programs = match (machine.has_switches(), machine.holds_a_cube()) {
        (true, _) => &PROGRAMS[2..], // hosts are not adjacent
        (false, true) => &PROGRAMS[..],
        (false, false) => &PROGRAMS[1..],
    };
    answered.shape = Some(lengths);
    if answered.program.is_none() {
        let choices: Vec<&str> = programs.iter().map(|(_, text)| *text).collect();
        let place = questions.choose("With whom do processes exchange messages?", &choices, 0);
        answered.program = programs.get(place.map_err(unanswered)?).map(|(program, _)| *program);
    }
    if answered.program == Some(ProgramKind::Collective) {
        ask_of_operation(&mut answered, questions).map_err(unanswered)?;
    }
    if matches!(answered.program, Some(ProgramKind::Collective | ProgramKind::Job)) {
        ask_of_links(&mut answered, questions).map_err(unanswered)?;
    }
    Ok(answered)
}

/// Asks for the operation of a collective, if it is missing.
fn ask_of_operation(options: &mut NewOptions, questions: &mut dyn Questions) -> io::Result<()> {
    if options.operation.is_none() {
        let names: Vec<String> =
            OPERATIONS.iter().map(|operation| format!("{}: {}", operation.name, operation.summary)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let place = questions.choose("Which operation?", &names, 0)?;
        options.operation = Some(OPERATIONS[place].operation);
    }
    Ok(())
}

/// Asks for the missing options of a collective or a job: the links, the sizes.
fn ask_of_links(options: &mut NewOptions, questions: &mut dyn Questions) -> io::Result<()> {
    if options.bandwidth.is_none() {
        let with = |text: &String| NewOptions { bandwidth: Some(text.clone()), ..options.clone() };
        let bandwidth =
            questions.text("What is the bandwidth of a link?", BANDWIDTH, &|text| check(&with(text)))?;
        options.bandwidth = Some(bandwidth);
    }
    if options.latency.is_none() {
        let with = |text: &String| NewOptions { latency: Some(text.clone()), ..options.clone() };
        let latency =
            questions.text("What is the latency of a link?", LATENCY, &|text| check(&with(text)))?;
        options.latency = Some(latency);
    }
    if options.sizes.is_empty() && options.operation != Some(Operation::Barrier) {
        let sizes = |text: &String| text.split(',').map(|size| size.trim().to_owned()).collect();
        let with = |text: &String| NewOptions { sizes: sizes(text), ..options.clone() };
        let question = match options.program {
            Some(ProgramKind::Job) => "Which sizes does the vector of an all-reduce have?",
            _ => "Which sizes does the vector have?",
        };
        let text = questions.text(question, &SIZES.join(", "), &|text| check(&with(text)))?;
        options.sizes = sizes(&text);
    }
    Ok(())
}

/// The fault of a scenario for these options, with usual answers to the open questions.
fn check(options: &NewOptions) -> Result<(), String> {
    let scenario = NewScenario::new(options).map_err(|error| error.to_string())?;
    super::check(&scenario).map_err(|problem| problem.message)
}

/// The question for the shape of a machine, and a usual answer.
fn shape_question(kind: MachineKind) -> (&'static str, &'static str) {
    match kind {
        MachineKind::Line | MachineKind::Ring => ("How many nodes?", "64"),
        MachineKind::FatTree => ("How many leaves x hosts a leaf x spines?", "8x16x8"),
        MachineKind::Dragonfly => {
            ("How many hosts a switch x switches a group x links of a switch to other groups?", "4x8x4")
        }
        MachineKind::Cluster => ("How many nodes x devices a node?", "8x8"),
        MachineKind::Mesh | MachineKind::Torus => ("Which lengths do its dimensions have?", "8x8"),
        _ => ("How many dimensions?", "6"),
    }
}
