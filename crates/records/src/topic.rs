//! Topics of `explain` other than columns and terms of results: embeddings, machines, algorithms, the keys of
//! scenario files with their values, and the marks in tables. Most of it comes from the lists by which
//! scenarios are read.

mod words;

use cubefold_collectives::ALGORITHMS;
use cubefold_mapping::{CONSTRUCTIONS, ClassicConstruction, GREENBERG_CONSTRUCTIONS};
use cubefold_scenario::{
    Embedding, KeyDefault, KeyValues, MAX_INTEGER, ProgramKind, ScenarioKey, embeddings, kinds_of_steps,
    machine_keys, program_kinds, scenario_keys,
};
use cubefold_simulator::RouterRouting;
use cubefold_topology::MachineKind;

use self::words::{MARKS, MEMBERS, Member, WORDS, Word};
use crate::{
    glossary::plain,
    terms::{TERMS, Term},
};

/// Something that a scenario file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Name and category: `xor, an embedding`.
    pub title: String,
    /// Names by which a search finds it.
    pub names: Vec<String>,
    /// Further facts, each with its name.
    pub particulars: Vec<(&'static str, String)>,
    /// A description.
    pub text: String,
}

impl Topic {
    /// All topics: embeddings, machines, programs, algorithms, keys, words.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let machines = MachineKind::ALL.into_iter().map(machine);
        let programs = program_kinds()
            .iter()
            .map(|kind| Self::new(kind.name, "a kind of program").by("program.kind").with_text(kind.summary));
        let is_only_of_steps =
            |kind: &&&ProgramKind| program_kinds().iter().all(|known| known.name != kind.name);
        let steps = kinds_of_steps().iter().filter(is_only_of_steps).map(|kind| {
            Self::new(kind.name, "a kind of step").by("program.steps.kind").with_text(kind.summary)
        });
        let programs = programs.chain(steps);
        let algorithms = ALGORITHMS.iter().map(|algorithm| {
            Self::new(algorithm.name, "an algorithm of collectives")
                .by("program.algorithm")
                .source(algorithm.source)
                .with_text(algorithm.summary)
        });
        let described =
            embeddings().iter().flat_map(embedding).chain(machines).chain(programs).chain(algorithms);
        let keys = scenario_keys().iter().map(key).chain(MEMBERS.iter().map(member));
        let described = described.chain(TERMS.iter().map(term));
        let others = WORDS.iter().filter(|(path, ..)| *path != ROUTING).map(word);
        let words = scenario_keys().iter().flat_map(words).chain(others).chain(routings());
        described.chain(keys).chain(words).chain(MARKS.iter().map(mark)).collect()
    }

    /// The topics with this name in any spelling: `machine.links`, `links` or `Links`.
    #[must_use]
    pub fn find(term: &str) -> Vec<Self> {
        let term = plain(term);
        Self::all().into_iter().filter(|topic| topic.names.iter().any(|name| plain(name) == term)).collect()
    }

    fn new(name: &str, what: &str) -> Self {
        let names = vec![name.to_owned()];
        Self { title: format!("{name}, {what}"), names, particulars: vec![], text: String::new() }
    }

    /// Adds a fact, unless it is empty.
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.particulars.push((name, value));
        }
        self
    }

    /// Adds names by which a search finds it.
    fn also_named(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    fn by(self, key: &str) -> Self {
        self.with("key", key)
    }

    fn source(self, source: &str) -> Self {
        self.with("source", source)
    }

    /// Sets the description, as a sentence.
    fn with_text(mut self, line: &str) -> Self {
        let mut letters = line.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        let end = if line.ends_with('.') { "" } else { "." };
        self.text = format!("{first}{}{end}", letters.as_str());
        self
    }
}

fn machine(kind: MachineKind) -> Topic {
    let descriptor = kind.descriptor();
    let (what, key) =
        if descriptor.is_host { ("a machine", "machine.kind") } else { ("a guest", "program.guest.kind") };
    Topic::new(descriptor.name, what)
        .by(key)
        .with("described by", machine_keys(kind).join(", "))
        .with_text(descriptor.description)
}

/// The topics of an embedding and its constructions.
fn embedding(embedding: &'static Embedding) -> Vec<Topic> {
    let constructions = (embedding.constructions)();
    let named: Vec<String> = constructions.iter().map(|name| format!("{}:{name}", embedding.name)).collect();
    let family = Topic::new(embedding.name, "an embedding")
        .by("mapping.embeddings")
        .with("takes", embedding.takes)
        .with("constructions", named.join(", "))
        .source(embedding.source)
        .with_text(embedding.summary);
    let constructions = constructions.into_iter().map(|name| construction(embedding, name));
    std::iter::once(family).chain(constructions).collect()
}

fn construction(family: &Embedding, name: &str) -> Topic {
    let topic = Topic::new(&format!("{}:{name}", family.name), "an embedding").by("mapping.embeddings");
    if let Some(construction) =
        CONSTRUCTIONS.iter().find(|construction| construction.name == name && family.name == "tao")
    {
        let takes = format!("{} on {}", construction.guest, construction.host);
        let topic = topic.with("takes", takes).with("dilation", construction.dilation);
        return topic.source(construction.source).with_text(construction.summary);
    }
    if let Some(construction) = GREENBERG_CONSTRUCTIONS
        .iter()
        .find(|construction| construction.name == name && family.name == "greenberg")
    {
        let topic = topic.with("takes", construction.takes).with("dilation", construction.dilation);
        return topic.source(construction.source).with_text(construction.summary);
    }
    let Some(construction) = ClassicConstruction::ALL.iter().find(|one| one.name == name) else {
        return topic;
    };
    let source = format!("CS838 1999, {}", construction.source);
    topic.with("dilation", construction.promised_dilation).source(&source).with_text(construction.summary)
}

fn key(key: &'static ScenarioKey) -> Topic {
    let values = match key.values {
        KeyValues::Text => "a string".to_owned(),
        KeyValues::Integer { least, greatest } if greatest == MAX_INTEGER => {
            format!("an integer of at least {least}")
        }
        KeyValues::Integer { least, greatest } => format!("an integer from {least} to {greatest}"),
        KeyValues::Choice(_) => key.values.words().join(", "),
        KeyValues::Form(form, _) => form.to_owned(),
    };
    let default = match key.default {
        KeyDefault::Required => "none, it is required".to_owned(),
        KeyDefault::Absent => "none".to_owned(),
        KeyDefault::Integer(number) => number.to_string(),
        KeyDefault::Word(word) => word.to_owned(),
        KeyDefault::Differing { word, others } => format!("{word}; {others}"),
        KeyDefault::Derived(rule) => rule.to_owned(),
    };
    let short = Some(key.key()).filter(|short| *short != key.path);
    Topic::new(key.path, "a key of scenarios")
        .with("values", values)
        .with("default", default)
        .source("docs/scenarios.md")
        .with_text(key.summary)
        .also_named(short.into_iter().chain(key.key().rsplit_once('.').map(|(_, end)| end)))
}

fn term(term: &Term) -> Topic {
    Topic::new(term.names[0], "a term")
        .source(term.source)
        .with_text(term.text)
        .also_named(term.names[1..].iter().copied())
}

fn member(&(path, values, text): &Member) -> Topic {
    Topic::new(path, "a part of scenarios")
        .with("values", values)
        .source("docs/scenarios.md")
        .with_text(text)
        .also_named(path.match_indices('.').map(|(dot, _)| &path[dot + 1..]))
}

/// The words of a key that describe themselves.
fn words(key: &'static ScenarioKey) -> Vec<Topic> {
    let KeyValues::Choice(words) = key.values else { return vec![] };
    let described = words().into_iter().filter(|word| !word.summary.is_empty());
    described.map(|value| word(&(key.path, value.name, value.summary))).collect()
}

fn word(&(path, word, text): &Word) -> Topic {
    Topic::new(word, &format!("a value of {path}")).by(path).with_text(text)
}

/// The key of routings.
const ROUTING: &str = "execution.routing";

/// The topics of routings, each with what it does on every machine.
fn routings() -> Vec<Topic> {
    let of_queues = WORDS.iter().copied().filter(|(path, ..)| *path == ROUTING);
    let descriptors = RouterRouting::all().map(RouterRouting::descriptor);
    let of_routers =
        descriptors.filter(|rule| !rule.is_from_file).map(|rule| (ROUTING, rule.name, rule.summary));
    let mut topics: Vec<Topic> = vec![];
    for topic in of_queues.chain(of_routers).map(|entry| word(&entry)) {
        match topics.iter_mut().find(|known| known.names == topic.names) {
            Some(known) => known.text += &format!(" {}", topic.text),
            None => topics.push(topic),
        }
    }
    topics
}

fn mark(&(mark, text): &(&str, &str)) -> Topic {
    Topic::new(mark, "a mark in tables").with_text(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cubefold_scenario::RoutingRule;
    use serde_json::Value;

    use super::*;
    use crate::Definition;

    #[test]
    fn every_value_of_every_key_is_a_topic_of_its_own() {
        let is_about = |topic: &Topic, path: &str| topic.particulars.contains(&("key", path.to_owned()));
        for key in scenario_keys() {
            let mut of_path = Topic::find(key.path);
            // Members of steps may be called as a key.
            of_path.retain(|topic| topic.title.ends_with(", a key of scenarios"));
            assert_eq!(of_path.len(), 1, "{}", key.path);
            for word in key.values.words() {
                let topics = Topic::find(word).into_iter().filter(|topic| is_about(topic, key.path));
                assert_eq!(topics.count(), 1, "{} = {word}", key.path);
            }
        }
    }

    #[test]
    fn words_are_values_of_their_keys() {
        let in_schemas = names_in_schemas();
        for (path, word, _) in WORDS {
            let key = scenario_keys().iter().find(|key| key.path == *path);
            let is_known = match key.map(|key| key.values) {
                Some(KeyValues::Choice(words)) => words().iter().any(|known| known.name == *word),
                Some(KeyValues::Form(form, _)) if form.contains(word) => true,
                // After some patterns comes a number.
                _ => in_schemas.contains(&(path.to_string(), word.trim_end_matches("+n").to_owned())),
            };
            assert!(is_known, "{path} = {word}");
        }
    }

    /// The words and the members of values of keys, each with its path.
    fn names_in_schemas() -> BTreeSet<(String, String)> {
        fn collect(schema: &Value, path: &str, found: &mut BTreeSet<(String, String)>) {
            let words = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
            for word in words.filter_map(Value::as_str) {
                found.insert((path.to_owned(), word.trim_end_matches('+').to_owned()));
            }
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                found.insert((path.to_owned(), name.clone()));
                collect(member, &format!("{path}.{name}"), found);
            }
            let alternatives = schema["anyOf"].as_array().into_iter().flatten();
            alternatives.chain(schema.get("items")).for_each(|part| collect(part, path, found));
        }
        let mut found = BTreeSet::new();
        for key in scenario_keys() {
            if let KeyValues::Form(_, schema) = key.values {
                collect(&schema(), key.path, &mut found);
            }
        }
        found
    }

    #[test]
    fn every_word_and_member_of_a_value_is_explained() {
        for (path, name) in names_in_schemas() {
            let is_explained = |name: &str| !Topic::find(name).is_empty() || Definition::find(name).is_some();
            assert!(is_explained(&name) || is_explained(&format!("{name}+n")), "{path}: {name}");
        }
    }

    #[test]
    fn a_routing_of_several_machines_says_what_it_does_on_each() {
        let text = |name: &str| {
            let mut found = Topic::find(name);
            found.retain(|topic| topic.title.ends_with(ROUTING));
            found.remove(0).text
        };
        for part in ["both legs in dimension order", "a random group", "a random router", "random order"] {
            assert!(text("valiant").contains(part), "{}", text("valiant"));
        }
        assert!(text("ugal").contains("a random group") && text("ugal").contains("a random router"));
    }

    #[test]
    fn the_default_of_ports_is_that_of_collectives_and_of_cubes() {
        let found = Topic::find("program.ports");
        let default = found[0].particulars.iter().find(|(name, _)| *name == "default").unwrap();
        assert!(default.1.starts_with("1; ") && default.1.contains("all"), "{default:?}");
    }

    #[test]
    fn every_routing_is_a_topic_and_no_name_of_the_column() {
        for name in RoutingRule::all().map(RoutingRule::name) {
            let is_value = |topic: &Topic| topic.title.ends_with(", a value of execution.routing");
            assert_eq!(Topic::find(name).iter().filter(|topic| is_value(topic)).count(), 1, "{name}");
            let column = Definition::find(name).map(|definition| definition.name);
            assert_ne!(column, Some("execution_routing"), "{name}");
        }
    }

    #[test]
    fn every_embedding_is_a_topic_with_a_sentence() {
        for name in embeddings().iter().flat_map(Embedding::names) {
            let mut found = Topic::find(&name);
            found.retain(|topic| topic.title.ends_with(", an embedding"));
            let [topic] = &found[..] else { panic!("{name}: {found:?}") };
            assert!(topic.text.ends_with('.') && topic.text.len() > 10, "{topic:?}");
        }
    }

    #[test]
    fn terms_of_papers_and_of_other_tools_are_explained() {
        for term in [
            "matrix",
            "halo",
            "stencil",
            "rankfile",
            "roofline",
            "longest dilation",
            "average load",
            "permutation type",
            "slowdown",
            "load factor",
            "edge grammar",
            "backlog",
            "growth",
            "half-width",
            "escape",
        ] {
            let mut found = Topic::find(term);
            found.retain(|topic| topic.title.ends_with(", a term"));
            let [topic] = &found[..] else { panic!("{term}: {found:?}") };
            assert!(topic.title.ends_with(", a term") && topic.text.ends_with('.'), "{topic:?}");
        }
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        let titles = |term: &str| Topic::find(term).into_iter().map(|topic| topic.title).collect::<Vec<_>>();
        assert_eq!(titles("Byweight"), ["byweight, an embedding"]);
        assert_eq!(titles("tao basic f"), ["tao:basic-f, an embedding"]);
        assert_eq!(titles("ring"), ["ring, a machine", "ring, an algorithm of collectives"]);
        assert_eq!(titles("hop-cycles"), ["machine.hop_cycles, a key of scenarios"]);
        assert_eq!(titles("nonsense"), [""; 0]);
    }
}
