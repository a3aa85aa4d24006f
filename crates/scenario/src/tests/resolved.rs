use std::fs;

use cubefold_formats::input::text::hexadecimal;
use sha2::{Digest, Sha256};

use super::*;
use crate::{MODEL, resolved::canonical_text};

/// The settings of the first run of a scenario.
fn text(scenario: &str) -> String {
    super::scenario(scenario).runs[0].resolved.text()
}

/// A value of JSON in TOML.
fn in_toml(value: &serde_json::Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        serde_json::Value::Array(values) => format!("[{}]", joined(values.iter().map(in_toml).collect())),
        serde_json::Value::Object(entries) => {
            let entry = |(key, value): (&String, &serde_json::Value)| format!("{key} = {}", in_toml(value));
            format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
        }
        value => value.to_string(),
    }
}

#[test]
fn the_canonical_form_is_that_of_the_checked_values() {
    let golden = include_str!("../../../../tests/golden/research/digest.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(golden).unwrap();
    assert!(cases.len() > 2);
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        for (key, contents) in case["files"].as_object().unwrap() {
            let (table, key) = key.split_once('.').unwrap();
            let name = case["scenario"][table][key].as_str().unwrap();
            let path = folder.path().join(name.strip_prefix("file:").unwrap_or(name));
            let in_folder = |(name, contents): (&String, &serde_json::Value)| {
                (path.join(name), contents.as_str().unwrap().to_owned())
            };
            let single = contents.as_str().map(|contents| (path.clone(), contents.to_owned()));
            let named = single.into_iter().chain(contents.as_object().into_iter().flatten().map(in_folder));
            for (path, contents) in named {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, contents).unwrap();
            }
        }
        let entries = case["scenario"].as_object().unwrap().iter();
        let text: String = entries.map(|(key, value)| format!("{key} = {}\n", in_toml(value))).collect();
        let lines = canonical_text(&text, folder.path());
        let expected = case["canonical"].as_str().unwrap();
        let text = format!("cubefold 1\nmodel {}\n{lines}", case["model"]);
        assert_eq!(text, expected);
        assert_eq!(hexadecimal(&Sha256::digest(text)), case["digest"].as_str().unwrap());
    }
}

#[test]
fn every_key_has_its_value_or_its_default() {
    let text = text(
        "seed = 3\n[machine]\nkind = \"ring\"\nshape = [8]\nlatency_cycles = 2\nrouter.cycles = 5\n\
         switching = \"wormhole\"\n[program]\nkind = \"open-loop\"\nload = 1\n",
    );
    for line in [
        "machine.shape = [8]",
        "machine.hop_cycles = 1",
        "machine.latency_cycles = 2",
        "machine.router.cycles = 5",
        "machine.links = \"full-duplex\"",
        "mapping.embeddings = [\"standard\"]",
        "program.load = f3ff0000000000000",
        "program.sizes = [[1,1]]",
        "program.hotspot_share = f3fb999999999999a",
        "seed = 3",
    ] {
        assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
    }
    let paths: Vec<&str> = text.lines().map(|line| line.split_once(" = ").unwrap().0).collect();
    assert!(paths.is_sorted(), "{paths:?}");
    assert!(!text.contains("program.stages"), "another kind takes it");
}

#[test]
fn a_value_is_the_same_wherever_it_is_written() {
    let alone = text(&format!("{RING}hop_cycles = 3\n[mapping]\nembeddings = [\"xor\"]\n"));
    let swept = scenario(&format!("{RING}[sweep]\n\"machine.hop_cycles\" = [1, 3]\n"));
    assert_eq!(swept.runs[4].resolved.text(), alone);
    let in_file = "machine.file = \"m.toml\"\nmapping.embeddings = [\"xor\"]\n";
    let files = Files::new(&[("s.toml", in_file), ("m.toml", "kind=\"ring\"\nshape=[8]\nhop_cycles=3\n")]);
    assert_eq!(files.load().unwrap().runs[0].resolved.text(), alone);
    let set = ["machine.hop_cycles=3".parse().unwrap(), "mapping.embeddings=[\"xor\"]".parse().unwrap()];
    let set = load_text_with(Path::new("s.toml"), RING, &set, u64::MAX).unwrap();
    assert_eq!(set.runs[0].resolved.text(), alone);
    // An unset key has its default, and names are captions.
    let default = text(&format!("name = \"n\"\n{RING}packet_units = 4\nhop_cycles = 1\n"));
    assert_eq!(default, text(&format!("{RING}packet_units = 4\n")));
}

#[test]
fn ranks_tell_apart_all_that_changes_results() {
    let ring = |more: &str| {
        let text = format!("{RING}{more}");
        super::scenario(&text).runs[0].resolved.digest()
    };
    let plain = ring("");
    for more in [
        "latency_cycles = 1\n",
        "switching = \"cut-through\"\n",
        "packet_units = 2\n",
        "arbitration = \"round-robin\"\npacket_units = 2\n",
        "local_unit_cycles = 1\n",
        "local_latency_cycles = 1\n",
        "processors_per_node = 2\n",
        "switching = \"wormhole\"\n",
        "[execution]\neager_units = 1\n",
        "[program]\ncompute_cycles = 1\n",
        "[execution]\ntie = \"negative\"\n",
    ] {
        assert_ne!(ring(more), plain, "{more}");
    }
    let routers = "switching = \"wormhole\"\n";
    assert_ne!(ring(routers), ring(&format!("{routers}router.cycles = 3\n")));
    // A file counts by its contents, not by its name.
    let of_file = |name: &str, contents: &str| {
        let text = format!("{RING}[program]\nkind = \"stages\"\nfile = \"{name}\"\n");
        let files = Files::new(&[("s.toml", &text), (name, contents)]);
        files.load().unwrap().runs[0].resolved.digest()
    };
    let messages = "stage,source,destination,units\n0,0,1,1\n";
    assert_eq!(of_file("a.csv", messages), of_file("b.csv", messages));
    assert_ne!(of_file("a.csv", messages), of_file("a.csv", "stage,source,destination,units\n0,0,2,1\n"));
}

/// The scenarios of the project with a file beside them.
#[test]
fn every_file_that_is_read_is_one_of_the_settings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scenario = load(std::slice::from_ref(&path)).unwrap().remove(0);
        let known: Vec<String> =
            scenario.runs.iter().flat_map(Run::named_files).map(|file| file.path).collect();
        for input in scenario.inputs.iter().filter(|input| **input != path) {
            let is_machine = input.extension().is_some_and(|extension| extension == "toml");
            let is_known = |listed: &str| listed == input.to_string_lossy() || listed.contains("{rank}");
            assert!(
                is_machine || known.iter().any(|path| is_known(path)),
                "{}: {}",
                path.display(),
                input.display()
            );
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
}

/// The nodes of each run of a list of scenarios of one command.
fn nodes_of_runs(files: &[&str]) -> Vec<Vec<u32>> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(number, text): (usize, &&str)| {
        let path = folder.path().join(format!("{number}.toml"));
        fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<PathBuf> = files.iter().enumerate().map(write).collect();
    let runs = load(&paths).unwrap().into_iter().flat_map(|scenario| scenario.runs);
    runs.map(|run| nodes(&run)).collect()
}

#[test]
fn blocks_of_a_sweep_are_those_of_their_runs() {
    let cube = |per_node: &str| {
        format!(
            "machine = {{ kind = \"torus\", shape = [8, 8] }}\n\
             program = {{ kind = \"cc-cube\", dimensions = 6{per_node} }}\nmapping.embeddings = [\"standard\"]\n"
        )
    };
    let [one, eight] = [1, 8].map(|count| cube(&format!(", processes_per_node = {count}")));
    let alone = [nodes_of_runs(&[&one]), nodes_of_runs(&[&eight])].concat();
    assert_ne!(alone[0], alone[1]);
    assert_eq!(nodes_of_runs(&[&one, &eight]), alone);
    let swept = format!("{}[sweep]\n\"program.processes_per_node\" = [1, 8]\n", cube(""));
    assert_eq!(nodes_of_runs(&[&swept]), alone);
    let cases = format!(
        "{}[[sweep.cases]]\n\"program.processes_per_node\" = 1\n[[sweep.cases]]\n\"program.processes_per_node\" = 8\n",
        cube("")
    );
    assert_eq!(nodes_of_runs(&[&cases]), alone);
}

#[test]
fn blocks_of_guests_collectives_and_jobs_are_placed_one_by_one() {
    let torus = "machine = { kind = \"torus\", shape = [4, 4], processors_per_node = 4 }\n";
    let ring = "machine = { kind = \"ring\", shape = [4] }\n";
    let guest = "kind = \"neighbour-exchange\"\nguest = { kind = \"torus\", shape = [8, 8] }\n";
    let collective = "kind = \"all-gather\"\nshape = [4, 4]\nover = [0]\nalgorithm = \"ring\"\nunits = 64\n";
    let job = "shape = [4, 4]\n[[program.steps]]\nname = \"halo\"\nkind = \"neighbour-exchange\"\n\
               communication = \"stencil\"\nunits = 4\n";
    let blocks = ["4", "[2, 2]", "[4, 1]", "[1, 4]"];
    for (machine, program) in [(torus, guest), (ring, collective), (ring, job)] {
        let text = |more: &str| {
            format!("{machine}[mapping]\nembeddings = [\"standard\", \"block\"]\n{more}[program]\n{program}")
        };
        let alone: Vec<_> = blocks
            .into_iter()
            .flat_map(|block| {
                nodes_of_runs(&[&text(&format!("[sweep]\n\"program.processes_per_node\" = [{block}]\n"))])
            })
            .collect();
        let together = format!("[sweep]\n\"program.processes_per_node\" = [{}]\n", blocks.join(", "));
        assert_eq!(nodes_of_runs(&[&text(&together)]), alone, "{program}");
        assert_ne!(alone[2], alone[4], "{program}");
    }
}

/// A cube of processes on a ring whose links have a bandwidth and a latency.
fn in_seconds(link: &str, program: &str) -> Run {
    let text = format!("[machine]\nkind = \"ring\"\nshape = [8]\n{link}\n[program]\n{program}\n");
    super::scenario(&text).runs.remove(0)
}

#[test]
fn times_and_sizes_are_cycles_and_units_in_a_digest() {
    let link = "link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }";
    let run = in_seconds(link, "kind = \"all-reduce\"\nbytes = \"64 MiB\"\nalgorithm = \"ring\"");
    let text = run.canonical();
    assert!(text.starts_with(&format!("cubefold 1\nmodel {MODEL}\nexecution.")), "{text}");
    for line in [
        "machine.cycle_seconds = \"1/781250000\"",
        "machine.hop_cycles = 1",
        "machine.latency_cycles = 312",
        "machine.unit_bytes = 64",
        "program.units = 1048576",
    ] {
        assert_eq!(text.lines().filter(|written| *written == line).count(), 1, "{line} in\n{text}");
    }
    assert!(
        !text.contains("bandwidth") && !text.contains("MiB") && !text.contains("program.bytes"),
        "{text}"
    );
    let same = in_seconds(
        "link = { bandwidth = \"50000 MB/s\", latency = \"0.4 us\" }",
        "kind = \"all-reduce\"\nbytes = 67108864\nalgorithm = \"ring\"",
    );
    assert_eq!(same.canonical(), text);
    let faster = link.replace("50 GB/s", "100 GB/s").replace("400 ns", "200 ns");
    let faster = in_seconds(&faster, "kind = \"all-reduce\"\nbytes = \"64 MiB\"\nalgorithm = \"ring\"");
    assert_ne!(faster.digest(), run.digest(), "as many cycles, but other seconds");
}

#[test]
fn times_in_steps_and_sizes_that_fill_no_unit_are_in_a_digest() {
    let link = "link = [{ bandwidth = \"50 GB/s\", latency = \"400 ns\" }]";
    let steps = "kind = \"job\"\nshape = [8]\n\
                 steps = [{ name = \"c\", compute = \"513 ns\" },\n\
                 { name = \"s\", kind = \"all-reduce\", algorithm = \"ring\", bytes = 1000 }]";
    let text = in_seconds(link, steps).canonical();
    for line in
        ["program.steps.0.compute_cycles = 401", "program.steps.1.units = 16", "program.steps.1.bytes = 1000"]
    {
        assert!(text.lines().any(|written| written == line), "{line} is not in\n{text}");
    }
}

#[test]
fn a_key_in_a_higher_layer_replaces_one_in_other_units() {
    let in_file = "machine.file = \"m.toml\"\nmachine.hop_cycles = 2\nmapping.embeddings = [\"xor\"]\n";
    let link = "kind = \"ring\"\nshape = [8]\nlink = { bandwidth = \"1 GB/s\" }\n";
    let files = Files::new(&[("s.toml", in_file), ("m.toml", link)]);
    let text = files.load().unwrap().runs[0].canonical();
    assert!(text.contains("machine.hop_cycles = 2\n") && !text.contains("machine.link."), "{text}");
}
