//! `program.stages`: the dimension of every stage of a program on a hypercube, as a list, an order or a link sequence.

use cubefold_mapping::{CubeDimension, Hypercube, LinkSequence};
use cubefold_simulator::CubeProgram;

use super::{
    errors::{Errors, ScenarioError, alternatives, help},
    keys::Key,
    machine::MachineSection,
    settings::Settings,
    source_file::Place,
    value::{Content, Value, read_each},
};

const ORDERS: [&str; 3] = ["ascend", "descend", "bitonic"];

/// The place of the number of dimensions, or of the value that it derives from.
pub(super) fn cube_place<'a>(settings: &'a Settings<'_>, machine: &'a MachineSection) -> Option<&'a Place> {
    settings.place(Key::ProgramDimensions).or(machine.size.as_ref().map(|size| &size.place))
}

/// Reads the stages; the number of dimensions derives from `cube_place`. Without a cube, only errors that
/// apply to every cube are reported.
pub(super) fn read_stages(
    settings: &Settings<'_>,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
) -> Option<Vec<CubeDimension>> {
    let Some(value) = settings.get(Key::ProgramStages) else {
        return cube.map(CubeProgram::ascend);
    };
    match &value.content {
        Content::Text(name) => match name.as_str() {
            "ascend" => cube.map(CubeProgram::ascend),
            "descend" => cube.map(CubeProgram::descend),
            "bitonic" => cube.map(CubeProgram::bitonic),
            _ => link_sequence(value, name, cube, settings.errors()),
        },
        Content::List(_) => dimensions(value, cube, cube_place, settings.errors()),
        _ => settings.fail(value.unexpected(Key::ProgramStages.path(), expected())),
    }
}

fn expected() -> String {
    format!("a list of dimensions, or {}", alternatives(&words()))
}

/// The names of orders and of link sequences.
pub(crate) fn words() -> Vec<&'static str> {
    ORDERS.into_iter().chain(LinkSequence::ALL.map(LinkSequence::name)).collect()
}

/// The stages of a link sequence of Jacobi methods: `br` of all dimensions, `br:3` of the first three, `br:sweep`.
fn link_sequence(
    value: &Value,
    name: &str,
    cube: Option<Hypercube>,
    errors: &Errors,
) -> Option<Vec<CubeDimension>> {
    let (first, part) = name.split_once(':').map_or((name, None), |(first, part)| (first, Some(part)));
    let sequence = LinkSequence::ALL.into_iter().find(|sequence| sequence.name() == first);
    let dimensions = cube.map_or(1, Hypercube::dimension_count);
    let part_dimensions = part.filter(|&part| part != "sweep").map(str::parse::<u8>);
    let (Some(sequence), None | Some(Ok(_))) = (sequence, &part_dimensions) else {
        let error = value.unexpected(Key::ProgramStages.path(), expected());
        return errors.fail(error.with_help(help(first, &words())));
    };
    let cube = cube?;
    let of_part = part_dimensions.and_then(Result::ok);
    if let Some(part) = of_part.filter(|&part| part > dimensions) {
        let expected = format!("at most the {dimensions} dimensions of the cube");
        return errors.fail(
            value
                .unexpected(Key::ProgramStages.path(), expected)
                .with_help(format!("{sequence}:{part} uses {part} dimensions")),
        );
    }
    let links = if part == Some("sweep") {
        sequence.sweep(dimensions)
    } else {
        sequence.path(of_part.unwrap_or(dimensions))
    };
    match links {
        Ok(links) => links.into_iter().map(|link| cube.dimension(link.into()).ok()).collect(),
        Err(error) => errors.fail(ScenarioError::at(&value.place, error.to_string(), "not defined")),
    }
}

fn dimensions(
    value: &Value,
    cube: Option<Hypercube>,
    cube_place: Option<&Place>,
    errors: &Errors,
) -> Option<Vec<CubeDimension>> {
    let values = value.list(Key::ProgramStages.path(), "dimensions", errors)?;
    read_each(values.iter().enumerate(), |(stage, entry)| {
        let Content::Integer(Some(number)) = entry.content else {
            return errors.fail(entry.unexpected(format_args!("dimension of stage {stage}"), "an integer"));
        };
        let cube = cube?;
        let dimension = cube.dimension(number);
        dimension.ok().or_else(|| errors.fail(out_of_range(entry, stage, cube, cube_place)))
    })
}

fn out_of_range(entry: &Value, stage: usize, cube: Hypercube, cube_place: Option<&Place>) -> ScenarioError {
    let count = cube.dimension_count();
    let expected = format!("expected 0 to {}", count - 1);
    let message = format!("stage {stage} uses dimension {}, {expected}", entry.place.text());
    ScenarioError::at(&entry.place, message, expected)
        .because(cube_place, format!("a cube of {count} dimensions"))
}
