//! The questions of `cubefold new`.

use std::io;

use cubefold_collectives::{OPERATIONS, Operation};
use cubefold_topology::MachineKind;
use dialoguer::{Input, Select};

use super::new_scenario::{BANDWIDTH, Grid, LATENCY, SIZES};
use crate::{
    arguments::{Lengths, NewOptions, ProgramKind},
    failure::Failure,
};

/// Who answers: a person, or a test.
pub(super) trait Questions {
    /// Which of the choices, of which `usual` is offered first.
    fn choose(&mut self, question: &str, choices: &[&str], usual: usize) -> io::Result<usize>;

    /// The lengths of a shape; `usual` is offered.
    fn lengths(&mut self, question: &str, usual: &str) -> io::Result<Lengths>;

    /// A text; `usual` is offered.
    fn text(&mut self, question: &str, usual: &str) -> io::Result<String>;
}

/// Asks on standard error, and reads from the terminal.
#[derive(Debug)]
pub(super) struct TerminalQuestions;

impl Questions for TerminalQuestions {
    fn choose(&mut self, question: &str, choices: &[&str], usual: usize) -> io::Result<usize> {
        let select = Select::new().with_prompt(question).items(choices).default(usual);
        select.interact().map_err(io::Error::other)
    }

    fn lengths(&mut self, question: &str, usual: &str) -> io::Result<Lengths> {
        let check = |text: &String| text.parse::<Lengths>().map(drop);
        let input =
            Input::<String>::new().with_prompt(question).default(usual.to_owned()).validate_with(check);
        let text = input.interact_text().map_err(io::Error::other)?;
        text.parse().map_err(io::Error::other)
    }

    fn text(&mut self, question: &str, usual: &str) -> io::Result<String> {
        let input = Input::<String>::new().with_prompt(question).default(usual.to_owned());
        input.interact_text().map_err(io::Error::other)
    }
}

/// The kinds of programs, in the order of [`ProgramKind`].
const PROGRAMS: [(ProgramKind, &str); 3] = [
    (ProgramKind::CcCube, "the neighbours in a hypercube (FFT, sort, all-reduce)"),
    (ProgramKind::NeighbourExchange, "the neighbours on a ring (stencil, pipeline)"),
    (ProgramKind::Collective, "all together (all-reduce, all-to-all and other collectives)"),
];

/// The options with answers for what they leave open: which machine, which shape, which program.
pub(super) fn answers(options: &NewOptions, questions: &mut dyn Questions) -> Result<NewOptions, Failure> {
    let unanswered = |error: io::Error| {
        Failure::usage(format!("the question was not answered: {error}"), "give options instead of answers")
    };
    let mut answered = options.clone();
    let kind = if let Some(kind) = options.machine {
        kind
    } else {
        let kinds = MachineKind::GRIDS.map(|kind| format!("{kind}: {}", kind.descriptor().description));
        let kinds = kinds.each_ref().map(String::as_str);
        MachineKind::GRIDS[questions.choose("Which machine?", &kinds, 3).map_err(unanswered)?]
    };
    answered.machine = Some(kind);
    let lengths = if let Some(lengths) = &options.shape {
        lengths.clone()
    } else {
        let (question, usual) = shape_question(kind);
        questions.lengths(question, usual).map_err(unanswered)?
    };
    // No hypercube lies on other lengths: what would be refused is not offered.
    let cube = Grid::new(kind, &lengths.0).holds_a_cube();
    let programs = if cube { &PROGRAMS[..] } else { &PROGRAMS[1..] };
    answered.shape = Some(lengths);
    if answered.program.is_none() {
        let choices: Vec<&str> = programs.iter().map(|(_, text)| *text).collect();
        let place = questions.choose("With whom do processes exchange messages?", &choices, 0);
        answered.program = programs.get(place.map_err(unanswered)?).map(|(program, _)| *program);
    }
    if answered.program == Some(ProgramKind::Collective) {
        ask_of_collective(&mut answered, questions).map_err(unanswered)?;
    }
    Ok(answered)
}

/// Asks what options leave open of a collective: its operation, the links, the sizes.
fn ask_of_collective(options: &mut NewOptions, questions: &mut dyn Questions) -> io::Result<()> {
    let operation = if let Some(operation) = options.operation {
        operation
    } else {
        let names: Vec<String> =
            OPERATIONS.iter().map(|own| format!("{}: {}", own.name, own.summary)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        OPERATIONS[questions.choose("Which operation?", &names, 0)?].operation
    };
    options.operation = Some(operation);
    if options.bandwidth.is_none() {
        options.bandwidth = Some(questions.text("Which bandwidth has a link?", BANDWIDTH)?);
    }
    if options.latency.is_none() {
        options.latency = Some(questions.text("Which latency has a link?", LATENCY)?);
    }
    if options.sizes.is_empty() && operation != Operation::Barrier {
        let sizes = questions.text("Which sizes has the vector?", &SIZES.join(", "))?;
        options.sizes = sizes.split(',').map(|size| size.trim().to_owned()).collect();
    }
    Ok(())
}

/// How the shape of a machine is asked for, and a usual answer.
fn shape_question(kind: MachineKind) -> (&'static str, &'static str) {
    match kind {
        MachineKind::Line | MachineKind::Ring => ("How many nodes?", "64"),
        MachineKind::Mesh | MachineKind::Torus => ("Which lengths do its dimensions have?", "8x8"),
        _ => ("How many dimensions?", "6"),
    }
}
