//! The part of a page that shows the runs of an animation: the clock's controls, the machines, the legend, the keys, and the
//! transmissions in the format of the script.

use std::collections::BTreeMap;

use cubefold_formats::input::printable;
use cubefold_mapping::ProcessId;
use cubefold_scenario::Run;
use cubefold_simulator::Transmission;
use cubefold_topology::NodeId;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::{
    AnimatedRun,
    layout::{Layout, stub_end},
};
use crate::{
    link_paths::{LinkPath, PlannedLink},
    sheet::{Point, as_drawn},
};

/// The style of a [`scene`].
pub(crate) const STYLE: &str = include_str!("stage.css");

/// The script of a [`scene`], to be run after it.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// The number of colours of stages, which repeat.
pub(super) const STAGE_COLOURS: u32 = 8;

/// The most processes of a node that its text under the pointer names.
const MAX_NAMED: usize = 16;

/// The content of an element of the class `animation`: the style lays it out, and the script moves it. The caller has
/// checked that the runs are few and small enough.
pub(super) fn scene(runs: &[AnimatedRun<'_>]) -> Markup {
    let layouts: Vec<Layout> = runs.iter().map(|animated| Layout::new(animated.run)).collect();
    let pages: Vec<Value> =
        runs.iter().zip(&layouts).map(|(animated, layout)| page_run(animated, layout)).collect();
    // Escaped so that nothing in it ends its element.
    let data = json!({ "colours": STAGE_COLOURS, "runs": pages }).to_string().replace('<', "\\u003c");
    html! {
        (controls())
        div.runs { @for (animated, layout) in runs.iter().zip(&layouts) { (figure(animated, layout)) } }
        p #what .told {}
        (legend(runs))
        p.keys {
            kbd { "Space" } " plays and pauses, " kbd { "←" } " and " kbd { "→" }
            " go by a cycle, " kbd { "Home" } " and " kbd { "End" } " to the first and the last, "
            kbd { "+" } " and " kbd { "-" } " change the speed. Point at a packet, or tap it, to see what it is."
        }
        script #data type="application/json" { (PreEscaped(&data)) }
    }
}

/// A run in the format of the script.
///
/// - `name`, `makespan` \[cycles\];
/// - `latency`: the cycles from the end of a packet's last transmission to its receipt; 0 if links differ;
/// - `nodes`: by node, across and down \[pixels\];
/// - `links`: the two ends of each, and the points of its path if it is not straight: the control point of a curve, or
///   the ends of its two stubs;
/// - `messages`: stage, source and destination of each, and five numbers for each of its transmissions, by packet and start:
///   the packet, the channel (twice the link, and 1 more if it leads from the second end to the first), the cycle at which
///   it joined, the cycles for which it waited, and those for which it occupied the channel.
fn page_run(animated: &AnimatedRun<'_>, layout: &Layout) -> Value {
    let mut channels = BTreeMap::new();
    for (place, link) in (0_u64..).zip(&layout.links) {
        channels.insert((link.near, link.far), 2 * place);
        channels.insert((link.far, link.near), 2 * place + 1);
    }
    let message = |of_message: &[&Transmission]| {
        let first = of_message[0];
        let rows = of_message.iter().flat_map(|one| {
            let channel = channels.get(&(one.from, one.to)).copied().unwrap_or_default();
            let (waited, took) = ((one.begin - one.joined).get(), (one.end - one.begin).get());
            [u64::from(one.packet), channel, one.joined.get(), waited, took]
        });
        json!([first.stage, first.source.label(), first.destination.label(), rows.collect::<Vec<u64>>()])
    };
    let messages: Vec<Value> =
        animated.by_packet().chunk_by(|one, other| one.message == other.message).map(message).collect();
    json!({
        "name": printable(animated.name),
        "makespan": animated.makespan,
        "latency": animated.latency(),
        "nodes": layout.places.iter().map(|&place| point(place)).collect::<Vec<_>>(),
        "links": layout.links.iter().map(page_link).collect::<Vec<_>>(),
        "messages": messages,
    })
}

/// A link in the format of the script.
fn page_link(link: &PlannedLink) -> Value {
    let points = |points: &[Point]| points.iter().copied().flat_map(point).collect::<Vec<f64>>();
    let numbers = match link.path {
        LinkPath::Straight(_) => vec![],
        // A single number marks it.
        LinkPath::ToLayer(_, dimension) => vec![as_drawn(dimension as u64)],
        LinkPath::Curve([_, control, _]) => points(&[control]),
        LinkPath::Stubs(stubs) => points(&stubs.map(stub_end)),
    };
    json!([link.near.index(), link.far.index(), numbers])
}

/// A point to a tenth of a pixel.
fn point(place: Point) -> [f64; 2] {
    [place.x, place.y].map(|length| (length * 10.0).round() / 10.0)
}

fn controls() -> Markup {
    html! {
        div.controls role="group" aria-label="Clock" {
            button #play type="button" { "Play" }
            button #first type="button" aria-label="First cycle" { "Start" }
            button #back type="button" aria-label="A cycle back" { "−1" }
            button #forward type="button" aria-label="A cycle forward" { "+1" }
            input #cycle type="range" min="0" value="0" step="1" aria-label="Cycle";
            output #clock {}
            label { span { "speed " } select #speed aria-label="Speed" {} }
            label { span { "colours " } select #colours aria-label="Colours" {
                option value="stage" { "by stage" }
                option value="state" { "waiting or moving" }
            } }
        }
    }
}

fn figure(animated: &AnimatedRun<'_>, layout: &Layout) -> Markup {
    let view = format!("0 0 {:.0} {:.0}", layout.width.ceil(), layout.height.ceil());
    let widths = [0.35 * layout.width, 2.5 * layout.width.max(200.0)];
    let natural = format!("min-width: {:.0}px; max-width: {:.0}px", widths[0], widths[1]);
    let machine = &animated.run.machine;
    let processes = processes_by_node(animated.run);
    html! {
        figure {
            figcaption { b { (animated.name) } span.told {} }
            div.machine {
                svg viewBox=(view) style=(natural) role="img" aria-label={ "The machine of " (animated.name) } {
                    g { @for link in &layout.links { (link_line(link)) } }
                    g {
                        @for (node, place) in machine.nodes().zip(&layout.places) {
                            @let [x, y] = point(*place);
                            g data-node=(layout.name(node)) {
                                @if machine.is_host(node) { circle.node cx=(x) cy=(y) r="11" {} }
                                @else { rect.node.switch x=(x - 10.0) y=(y - 10.0) width="20" height="20" {} }
                                @let here = processes.get(&node).map_or(&[][..], Vec::as_slice);
                                title { "node " (layout.name(node)) ": " (of_processes(here)) }
                            }
                        }
                        @for (title, place) in &layout.titles {
                            @let [x, y] = point(*place);
                            text.layer x=(x) y=(y) { (title) }
                        }
                    }
                    g.packets {}
                    // Above packets that pass over a node on their way to another layer.
                    g.names {
                        @for (node, here) in &processes {
                            @let [x, y] = point(layout.place(*node));
                            text.name x=(x) y=(y) { (in_node(here)) }
                        }
                    }
                    g.counts {}
                }
            }
        }
    }
}

/// The processes of every node that has any.
pub(super) fn processes_by_node(run: &Run) -> BTreeMap<NodeId, Vec<ProcessId>> {
    let mut found: BTreeMap<NodeId, Vec<ProcessId>> = BTreeMap::new();
    for process in ProcessId::first(run.program.body.process_count()) {
        found.entry(run.placement.node(process)).or_default().push(process);
    }
    found
}

/// The text in a node: its process, or the number of its processes.
pub(super) fn in_node(processes: &[ProcessId]) -> String {
    match processes {
        [] => String::new(),
        [one] => one.label().to_string(),
        several => format!("{}×", several.len()),
    }
}

/// The processes of a node in words.
pub(super) fn of_processes(here: &[ProcessId]) -> String {
    let named: Vec<String> = here.iter().take(MAX_NAMED).map(|process| process.label().to_string()).collect();
    match (here.len(), named.join(", ")) {
        (0, _) => "no process".to_owned(),
        (1, name) => format!("process {name}"),
        (count, names) if count <= MAX_NAMED => format!("processes {names}"),
        (count, names) => format!("{count} processes: {names}, .."),
    }
}

fn link_line(link: &PlannedLink) -> Markup {
    let text = |place: Point| {
        let [x, y] = point(place);
        format!("{x} {y}")
    };
    let d = match link.path {
        LinkPath::Straight([from, to]) => format!("M{} L{}", text(from), text(to)),
        LinkPath::Curve([from, control, to]) => format!("M{} Q{} {}", text(from), text(control), text(to)),
        LinkPath::Stubs(stubs) => {
            stubs.map(|stub| format!("M{} L{}", text(stub[0]), text(stub_end(stub)))).join(" ")
        }
        LinkPath::ToLayer(..) => return html! {},
    };
    html! { path .link .down[link.is_down] d=(d) {} }
}

/// The number of stages of the runs' messages: the highest stage, and 1.
pub(super) fn stage_count(runs: &[AnimatedRun<'_>]) -> u32 {
    let stages = runs.iter().flat_map(|run| run.transmissions).map(|one| one.stage.saturating_add(1));
    stages.max().unwrap_or(0)
}

/// The stages of the colour of a stage in words.
pub(super) fn of_stage(stage: u32, stages: u32) -> String {
    let next = stage + STAGE_COLOURS;
    match stages {
        few if few <= next => format!("stage {stage}"),
        more if more <= next + STAGE_COLOURS => format!("stages {stage}, {next}"),
        _ => format!("stages {stage}, {next}, .."),
    }
}

/// The signs of packets, and the colours of the stages.
fn legend(runs: &[AnimatedRun<'_>]) -> Markup {
    let stages = stage_count(runs);
    html! {
        ul.legend {
            li { svg viewBox="0 0 14 14" { circle.packet.moving cx="7" cy="7" r="5" {} } "moves along a link" }
            li { svg viewBox="0 0 14 14" { circle.packet.waiting cx="7" cy="7" r="5" {} } "waits for a link; with a number, so many wait for it" }
            li { ul.stages {
                @for stage in 0..stages.min(STAGE_COLOURS) {
                    li {
                        svg viewBox="0 0 14 14" { circle class={ "packet moving stage-" (stage) } cx="7" cy="7" r="5" {} }
                        (of_stage(stage, stages))
                    }
                }
            } }
        }
    }
}
