//! The given inputs.

use std::{fs, path::PathBuf};

use cubefold_formats::inspection::Inspection;
use serde_json::Value;

/// An input and what is expected of it.
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Value,
}

/// The answer of `inspect` as JSON.
pub(crate) fn answer(inspection: &Inspection) -> Value {
    serde_json::to_value(inspection).unwrap()
}

/// All inputs, by name.
pub(crate) fn given() -> Vec<Given> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/formats/given"));
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|own| own.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".expect.json"))
        .collect();
    names.sort_unstable();
    let read = |name: String| {
        let expected = fs::read(folder.join(format!("{name}.expect.json"))).unwrap();
        let bytes = fs::read(folder.join(&name)).unwrap();
        Given { name, bytes, expected: serde_json::from_slice(&expected).unwrap() }
    };
    names.into_iter().map(read).collect()
}
