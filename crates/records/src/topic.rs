//! Topics of `explain` other than columns and terms of results: embeddings, machines, algorithms, the keys of
//! scenario files with their values, and the marks in tables. Most of it comes from the lists by which
//! scenarios are read.

use cubefold_collectives::ALGORITHMS;
use cubefold_mapping::{CONSTRUCTIONS, ClassicConstruction, GREENBERG_CONSTRUCTIONS};
use cubefold_scenario::{
    Embedding, KeyDefault, KeyValues, MAX_INTEGER, ScenarioKey, embeddings, machine_keys, program_kinds,
    scenario_keys,
};
use cubefold_simulator::{RouterRouting, RoutingDescriptor};
use cubefold_topology::MachineKind;

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
        let machines = MachineKind::HOSTS.into_iter().map(machine);
        let programs = program_kinds()
            .iter()
            .map(|kind| Self::new(kind.name, "a kind of program").by("program.kind").with_text(kind.summary));
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
        let mut routings: Vec<&RoutingDescriptor> =
            RouterRouting::all().map(RouterRouting::descriptor).filter(|rule| !rule.is_from_file).collect();
        // Rules of one name are described by the first.
        routings.dedup_by_key(|rule| rule.name);
        let routings = routings.into_iter().map(|rule| word(&("execution.routing", rule.name, rule.summary)));
        let words = scenario_keys().iter().flat_map(words).chain(WORDS.iter().map(word)).chain(routings);
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
    Topic::new(descriptor.name, "a machine")
        .by("machine.kind")
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
        KeyDefault::Derived(rule) => rule.to_owned(),
    };
    let mut topic = Topic::new(key.path, "a key of scenarios")
        .with("values", values)
        .with("default", default)
        .source("docs/scenarios.md")
        .with_text(key.summary);
    if key.key() != key.path {
        topic.names.push(key.key().to_owned());
    }
    if let Some((_, end)) = key.key().rsplit_once('.') {
        topic.names.push(end.to_owned());
    }
    topic
}

fn term(term: &Term) -> Topic {
    let mut topic = Topic::new(term.names[0], "a term").source(term.source).with_text(term.text);
    topic.names.extend(term.names[1..].iter().map(|&name| name.to_owned()));
    topic
}

/// A table of scenarios, or a member of a key's value: its path, its values, and its description.
type Member = (&'static str, &'static str, &'static str);

fn member(&(path, values, text): &Member) -> Topic {
    let mut topic = Topic::new(path, "a part of scenarios")
        .with("values", values)
        .source("docs/scenarios.md")
        .with_text(text);
    let ends = path.match_indices('.').map(|(dot, _)| path[dot + 1..].to_owned());
    topic.names.extend(ends);
    topic
}

/// Parts of scenarios that are not keys themselves.
const MEMBERS: &[Member] = &[
    ("machine", "", "The table of the machine: its kind, its shape, its links."),
    ("program", "", "The table of the program: its kind, its stages, the sizes of its messages."),
    ("mapping", "", "The table of placements: the node of each process."),
    ("execution", "", "The table of the execution: its mode, its routing, its engine."),
    (
        "sweep",
        "a list of values for each key",
        "The table of keys with several values: every combination is run.",
    ),
    (
        "sweep.cases",
        "tables of keys and values",
        "Single combinations: each is run with the scenario's other keys.",
    ),
    ("machine.link.bandwidth", "such as \"50 GB/s\"", "The bytes per second of a link in one direction."),
    (
        "machine.link.latency",
        "such as \"400 ns\"",
        "The time on the wire and in the router, which does not occupy the link.",
    ),
    (
        "machine.local.bandwidth",
        "such as \"200 GB/s\"",
        "The bytes per second between two processes of a node.",
    ),
    (
        "machine.local.latency",
        "such as \"100 ns\"",
        "The time of a message inside a node, without that of its bytes.",
    ),
    (
        "machine.router",
        "a table of virtual_channels, buffer_units, cycles, credit_cycles, terminal_latency_cycles, speedup, ejection and allocator",
        "The routers with finite buffers of a machine whose switching is wormhole or virtual-cut-through.",
    ),
    (
        "program.loading.code_types",
        "a word, or a list with an entry for each process",
        "The type of code of each process.",
    ),
    (
        "program.loading.broadcast_cycles",
        "an integer from 1 to 4294967296",
        "The cycles that the broadcast of one type of code takes.",
    ),
    (
        "file:PATH",
        "a value of mapping.embeddings",
        "A placement from a file: CSV, text, or an array of NumPy.",
    ),
];

/// The words of a key that describe themselves.
fn words(key: &'static ScenarioKey) -> Vec<Topic> {
    let KeyValues::Choice(words) = key.values else { return vec![] };
    let described = words().into_iter().filter(|word| !word.summary.is_empty());
    described.map(|value| word(&(key.path, value.name, value.summary))).collect()
}

/// A word that a key takes: the path of the key, the word, and its meaning.
type Word = (&'static str, &'static str, &'static str);

fn word(&(path, word, text): &Word) -> Topic {
    Topic::new(word, &format!("a value of {path}")).by(path).with_text(text)
}

/// Words of keys that no other list describes.
const WORDS: &[Word] = &[
    (
        "machine.switching",
        "store-and-forward",
        "A message or packet joins the next queue when all of it has arrived.",
    ),
    (
        "machine.switching",
        "cut-through",
        "A message or packet joins the next queue when its first unit has arrived.",
    ),
    (
        "machine.switching",
        "wormhole",
        "Through routers with finite buffers: a packet may span several of them while its head waits.",
    ),
    (
        "machine.switching",
        "virtual-cut-through",
        "Through routers with finite buffers: a head gets a channel only where the whole packet fits.",
    ),
    ("machine.nics_on", "one-switch", "All links of a host lead to one switch."),
    ("machine.nics_on", "neighbours", "Each link of a host leads to another of neighbouring switches."),
    ("program.exchange", "best", "Both are run, and the faster is kept."),
    (
        "program.communication",
        "shift",
        "Each stage sends to the next neighbour in one dimension and direction.",
    ),
    (
        "program.communication",
        "permutation",
        "In each stage every process draws the direction of its message.",
    ),
    ("program.communication", "to-children", "In one stage every process of a tree sends to its children."),
    ("program.communication", "to-parents", "In one stage every process of a tree sends to its parent."),
    (
        "program.communication",
        "stencil",
        "In one stage every process sends to all around it, also across edges and corners.",
    ),
    ("program.communication", "scatter", "In one stage every process sends to all of its neighbours."),
    ("program.stages", "ascend", "Every dimension once, from the lowest to the highest."),
    ("program.stages", "descend", "Every dimension once, from the highest to the lowest."),
    (
        "program.stages",
        "bitonic",
        "Dimension 0, then 1 and 0, then 2, 1 and 0, and so on: the stages of Batcher's bitonic sort.",
    ),
    ("program.dependencies", "data", "Operations of traces wait for the operations whose data they need."),
    (
        "program.dependencies",
        "both",
        "Operations of traces wait for those whose data they need and for those that control them.",
    ),
    ("program.access", "read", "Every process gets the data of the process that it names."),
    ("program.access", "write", "The data of every process go to the process that it names."),
    ("program.channels", "nics", "A channel for each NIC of a node."),
    ("program.pipelining", "best", "The number of parts with the least makespan, of those that are tried."),
    ("execution.eager_units", "all", "Every message is sent before its destination is ready."),
    ("execution.phases", "embedding", "The phase lengths of the embedding, for which Tao's bounds hold."),
    ("execution.phases", "unlimited", "To the end of its leg."),
    ("execution.mode", "asynchronous", "Every process advances on its own; messages may block each other."),
    ("execution.mode", "coordinated", "All processes route a stage together, and begin the next together."),
    (
        "execution.tie",
        "random",
        "Of two equally long directions, one drawn for each packet; through routers only.",
    ),
    (
        "execution.routing",
        "embedding",
        "Between neighbours of the guest, the path that the embedding's construction gives.",
    ),
    ("execution.routing", "sorting", "The messages are sorted by their destinations."),
    ("execution.routing", "lowest", "Over the lowest-numbered neighbour that is nearer to the destination."),
    ("execution.routing", "spread", "Over one of the nearer neighbours, chosen by source and destination."),
    ("execution.routing", "d-mod-k", "Over the cable that the number of the destination chooses."),
    ("execution.engine", "auto", "The faster of the engines that can compute the run."),
    ("execution.engine", "hop", "Every crossing of a link is an event."),
    (
        "execution.engine",
        "belt",
        "Messages that move alike are computed together, and one line stands for all equal ones.",
    ),
];

fn mark(&(mark, text): &(&str, &str)) -> Topic {
    Topic::new(mark, "a mark in tables").with_text(text)
}

/// The marks in tables of results, and their meaning.
const MARKS: &[(&str, &str)] = &[
    (
        "*",
        "The fewest cycles of a combination: of the runs that differ only in the embedding or the algorithm.",
    ),
    ("..", "A shortened text; a wider terminal or another --format shows all of it."),
];

#[cfg(test)]
mod tests {
    use cubefold_scenario::RoutingRule;

    use super::*;
    use crate::Definition;

    #[test]
    fn every_value_of_every_key_is_a_topic_of_its_own() {
        let is_about = |topic: &Topic, path: &str| topic.particulars.contains(&("key", path.to_owned()));
        for key in scenario_keys() {
            assert_eq!(Topic::find(key.path).len(), 1, "{}", key.path);
            for word in key.values.words() {
                let topics = Topic::find(word).into_iter().filter(|topic| is_about(topic, key.path));
                assert_eq!(topics.count(), 1, "{} = {word}", key.path);
            }
        }
    }

    #[test]
    fn words_are_values_of_their_keys() {
        for (path, word, _) in WORDS {
            let key = scenario_keys().iter().find(|key| key.path == *path).unwrap();
            match key.values {
                KeyValues::Choice(_) => assert!(key.values.words().contains(word), "{path} = {word}"),
                KeyValues::Form(form, _) => assert!(form.contains(word), "{path} = {word}"),
                _ => panic!("{path} takes no words"),
            }
        }
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
