//! `draw animation`: the page, in a real browser where there is one, and its refusals.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::{
    browser::Browser,
    command::{Scratch, csv_table, done, refused},
};

/// The keys of the protocol.
const RIGHT: char = '\u{e014}';
const LEFT: char = '\u{e012}';
const END: char = '\u{e010}';
const HOME: char = '\u{e011}';

const FIGURE_4: &str = "scenarios/figure-4.toml";

/// Packets that a page shows: stage, source, destination, packet, and the ends of the channel; whether it moves.
type Shown = Vec<([u64; 6], bool)>;

/// By run and cycle, the packets that wait or move by the rows of `run --crossings`.
fn crossings(scenario: &str) -> BTreeMap<(u64, u64), Shown> {
    let scratch = Scratch::empty();
    done(&["run", scenario, "--quiet", "--force", "--crossings", &scratch.path("c.csv")]);
    let mut shown: BTreeMap<(u64, u64), Shown> = BTreeMap::new();
    for row in csv_table(&scratch.read("c.csv")).1 {
        let number = |column: usize| row[column].parse::<u64>().unwrap();
        let (run, joined, begin, end) = (number(1), number(12), number(10), number(11));
        let packet = [5, 6, 7, 4, 8, 9].map(number);
        for cycle in joined..end {
            shown.entry((run, cycle)).or_default().push((packet, cycle >= begin));
        }
    }
    shown.values_mut().for_each(|packets| packets.sort_unstable());
    shown
}

fn page(scenario: &str) -> (Scratch, String) {
    let scratch = Scratch::empty();
    let path = scratch.path("animation.html");
    done(&["draw", "animation", scenario, "--quiet", "--output", &path]);
    (scratch, path)
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_browser_shows_in_every_cycle_what_the_rows_of_crossings_say() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: there is no chromium with its chromedriver");
        return;
    };
    let (_scratch, path) = page(FIGURE_4);
    browser.open(&format!("file://{path}"));
    assert_eq!(browser.script("return document.title"), "figure-4 · cubefold animation");
    assert_eq!(browser.script("return performance.getEntriesByType('resource').length"), 0);
    check_cycles(&browser);
    check_places(&browser);
    check_stills(&browser);
    check_clock(&browser);
    check_widths(&browser);
    browser.prefer_dark();
    let paper = "return getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.script(paper), "rgb(22, 24, 27)");
    check_calm(&browser);
}

/// The packets that the page shows, by run.
fn shown(browser: &Browser) -> Vec<Shown> {
    let script = "return shows.map((show) => [...show.inDot].map(([dot, own]) => \
                  [[own.stage, own.source, own.destination, own.packet, own.from, own.to], dot.classList.contains('moving')]))";
    let mut runs: Vec<Shown> = serde_json::from_value(browser.script(script)).unwrap();
    runs.iter_mut().for_each(|packets| packets.sort_unstable());
    runs
}

fn check_cycles(browser: &Browser) {
    let expected = crossings(FIGURE_4);
    for cycle in 0..30 {
        for (run, found) in (0..).zip(shown(browser)) {
            let want = expected.get(&(run, cycle)).cloned().unwrap_or_default();
            assert_eq!(found, want, "run {run}, cycle {cycle}");
        }
        browser.press(RIGHT);
    }
    assert_eq!(browser.script("return document.getElementById('clock').textContent"), "cycle 30 of 30");
    assert_eq!(shown(browser), [vec![], vec![]]);
}

/// On a line the machine is a row: a packet is at the share of its link that has passed in the middle of the cycle.
fn check_places(browser: &Browser) {
    browser.press(HOME);
    browser.script("go(4)");
    browser.hover(".packets circle");
    let what = browser.script("return document.getElementById('what').textContent");
    assert!(
        what.as_str()
            .unwrap()
            .starts_with("process 0 to 1, stage 0, packet 0: node (0) to (1), cycles 4 to 6"),
        "{what}"
    );
    let script = "go(4); return shows.map((show) => Math.max(0, ...[...show.inDot].map(([dot, own]) => { \
                  const [from, to] = [own.from, own.to].map((node) => show.run.nodes[node][0]); \
                  const share = (4.5 - own.begin) / (own.end - own.begin); \
                  return own.begin > 4 ? 0 : Math.abs(Number(dot.getAttribute('cx')) - from - (to - from) * share); })))";
    let apart: Vec<f64> = serde_json::from_value(browser.script(script)).unwrap();
    assert!(apart.iter().all(|apart| *apart < 0.01), "{apart:?}");
    assert!(!shown(browser)[0].is_empty());
}

/// The text of a packet, and its place.
type Packet = (String, f64, f64);

/// The packets of the first run in the picture of a cycle.
fn still(scenario: &str, cycle: u64) -> Vec<Packet> {
    let svg = done(&["draw", "animation", scenario, "--run", "0", "--cycle", &cycle.to_string(), "--quiet"]);
    let document = Document::parse(&svg).unwrap();
    let packets = document
        .descendants()
        .filter(|node| node.has_tag_name("circle") && node.attribute("r") != Some("13"));
    let packet = |node: Node<'_, '_>| {
        let place = |name| node.attribute(name).unwrap().parse().unwrap();
        let title = node.children().find(|child| child.has_tag_name("title")).and_then(|title| title.text());
        (title.unwrap().to_owned(), place("cx"), place("cy"))
    };
    packets.map(packet).collect()
}

/// The page that pauses at a cycle, and the picture of that cycle, have the same packets at the same places.
fn check_stills(browser: &Browser) {
    for (scenario, cycles) in [(FIGURE_4, [4, 12, 21]), ("scenarios/figure-6.toml", [1, 5, 8])] {
        let (_scratch, path) = page(scenario);
        browser.open(&format!("file://{path}"));
        for cycle in cycles {
            let script = format!(
                "go({cycle}); return [...shows[0].inDot].map(([dot, own]) => [sentence(shows[0], own, dot.classList.contains('moving')), \
                 Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))])"
            );
            let mut shown: Vec<Packet> = serde_json::from_value(browser.script(&script)).unwrap();
            let mut drawn = still(scenario, cycle);
            for packets in [&mut shown, &mut drawn] {
                packets.sort_by(|one, other| one.0.cmp(&other.0));
            }
            let apart: Vec<(f64, f64)> =
                shown.iter().zip(&drawn).map(|(one, other)| (other.1 - one.1, other.2 - one.2)).collect();
            let says = |packets: &[Packet]| packets.iter().map(|packet| packet.0.clone()).collect::<Vec<_>>();
            assert!(
                !shown.is_empty() && says(&shown) == says(&drawn),
                "{scenario} {cycle}: {shown:?} {drawn:?}"
            );
            // The page is exact to a tenth of a pixel.
            let is_near = |offset: &(f64, f64)| {
                (offset.0 - apart[0].0).abs() < 0.25 && (offset.1 - apart[0].1).abs() < 0.25
            };
            assert!(apart.iter().all(is_near), "{scenario} {cycle}: {apart:?}");
        }
    }
    let (_scratch, path) = page(FIGURE_4);
    browser.open(&format!("file://{path}"));
}

fn check_clock(browser: &Browser) {
    let clock = || browser.script("return document.getElementById('clock').textContent");
    browser.press(END);
    assert_eq!(clock(), "cycle 30 of 30");
    let told = "return [...document.querySelectorAll('figure .told')].map((own) => own.textContent)";
    assert_eq!(browser.script(told), json!(["over at cycle 26", "over at cycle 30"]));
    browser.press(LEFT);
    assert_eq!(clock(), "cycle 29 of 30");
    browser.press(HOME);
    browser.click("#forward");
    browser.click("#forward");
    browser.click("#back");
    assert_eq!(clock(), "cycle 1 of 30");
    let said = browser.script("return document.getElementById('said').textContent");
    assert_eq!(said, "cycle 1. standard: 0 moving, 0 waiting. byweight: 0 moving, 0 waiting");
    browser.script(
        "const own = document.getElementById('cycle'); own.value = 12; own.dispatchEvent(new Event('input'))",
    );
    assert_eq!(clock(), "cycle 12 of 30");
    // It plays, and pauses where it is.
    browser
        .script("document.activeElement.blur(); speed.selectedIndex = speed.options.length - 1; time = 12.9");
    browser.press(' ');
    assert!((0..1000).any(|_| clock() != "cycle 12 of 30"), "it does not play");
    assert_eq!(browser.script("return play.textContent"), "Pause");
    browser.press(' ');
    assert_eq!(browser.script("return [play.textContent, isPlaying]"), json!(["Play", false]));
}

/// Nothing is wider than the window, and runs lie side by side where there is room.
fn check_widths(browser: &Browser) {
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    let sees = "return [...document.querySelectorAll('figure svg, button, select')].every((own) => own.getBoundingClientRect().right <= innerWidth)";
    let tops = "return [...document.querySelectorAll('figure')].map((own) => Math.round(own.getBoundingClientRect().top))";
    for width in [390, 768, 1280] {
        browser.set_width(width);
        for what in [fits, sees] {
            assert_eq!(browser.script(what), true, "{width}: {what}");
        }
        let tops = browser.script(tops);
        assert_eq!(tops[0] == tops[1], width == 1280, "{width}: {tops}");
    }
}

/// A reader who wants less motion sees whole cycles, a few a second.
fn check_calm(browser: &Browser) {
    browser.prefer("prefers-reduced-motion", "reduce");
    browser.script("go(5); toggle()");
    let script = "const apart = (show) => Math.max(0, ...[...show.inDot].map(([dot, own]) => { \
                  const [from, to] = [own.from, own.to].map((node) => show.run.nodes[node][0]); \
                  const share = (Math.floor(time) + 0.5 - own.begin) / (own.land - own.begin); \
                  return own.begin > time ? 0 : Math.abs(Number(dot.getAttribute('cx')) - from - (to - from) * share); })); \
                  return [isPlaying, time > 5, Math.max(...shows.map(apart)) < 0.01]";
    assert!(
        (0..1000).any(|_| browser.script(script) == json!([true, true, true])),
        "{}",
        browser.script(script)
    );
    assert_eq!(browser.script(script)[2], true);
    browser.script("toggle()");
}

#[test]
fn embeddings_and_runs_are_chosen() {
    let count = |arguments: &[&str]| {
        done(&[&["draw", "animation", FIGURE_4, "--quiet"], arguments].concat()).matches("<figure>").count()
    };
    assert_eq!(
        [count(&[]), count(&["--embedding", "byweight"]), count(&["--run", "1", "--run", "0"])],
        [2, 1, 2]
    );
}

#[test]
fn what_cannot_be_animated_is_refused() {
    let large = "machine = { kind = \"torus\", shape = [32, 32], packet_units = 1 }\nprogram.units = 100\n\
                 mapping.embeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("large.toml", large)]);
    let large = scratch.path("large.toml");
    for (arguments, reason) in [
        (vec![large.as_str()], "transmissions, expected at most 100000"),
        (vec!["scenarios/phases.toml", "--run", "0"], "coordinated execution has no transmissions"),
        (vec!["scenarios/two-to-the-sixteen.toml", "--run", "0"], "nodes, expected at most 1024"),
        (vec!["scenarios/link-modes.toml"], "24 runs side by side, expected at most 4"),
        (vec![FIGURE_4, "--embedding", "gray"], "embedding \"gray\" is none of the scenario's"),
        (vec![FIGURE_4, "--run", "2"], "run 2, expected 0 to 1"),
        (vec![FIGURE_4, "--format", "svg"], "writes a page of HTML, not a picture"),
        (vec![FIGURE_4, "--output", "a.svg"], "name a cycle with --cycle"),
        (vec![FIGURE_4, "--output", "a.txt"], "this command writes no .txt, expected .html, .htm"),
        (
            vec![FIGURE_4, "--cycle", "4", "--output", "a.html"],
            "pictures are not written as .html, expected .svg",
        ),
        (vec![FIGURE_4, "--cycle", "31"], "cycle 31, expected 0 to 30"),
        (vec!["scenarios/latency-over-load.toml", "--run", "0"], "an animation of open-loop traffic"),
    ] {
        let said = refused(&[&["draw", "animation"], &arguments[..]].concat());
        assert!(said.contains(reason), "{said}");
    }
}

/// A scenario on a machine, with a name that would be markup.
fn named(machine: &str, program: &str) -> String {
    format!(
        "name = \"</script><b>x\"\n[machine]\n{machine}\n[program]\n{program}\n[mapping]\nembeddings = [\"standard\"]\n"
    )
}

/// The data of a page, the script's part of it.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn programs_without_messages_or_time_and_names_like_markup_are_animated() {
    let ring = "kind = \"ring\"\nshape = [4]";
    for (program, makespan) in [
        ("kind = \"permutation\"\npattern = \"file:p.csv\"", 0),
        ("kind = \"cc-cube\"\ndimensions = 2\nunits = 1000000000000", 3_000_000_000_000_u64),
    ] {
        let files = [("s.toml", named(ring, program)), ("p.csv", "source,destination\n".to_owned())];
        let scratch = Scratch::with(&files);
        let page = done(&["draw", "animation", &scratch.path("s.toml"), "--quiet"]);
        assert!(page.contains("<h1>&lt;/script&gt;&lt;b&gt;x</h1>") && !page.contains("<b>x"), "{program}");
        assert_eq!(data(&page)["runs"][0]["makespan"], makespan, "{program}");
        let report = done(&["report", &scratch.path("s.toml"), "--quiet"]);
        assert_eq!(data(&report), data(&page), "{program}");
        assert!(!report.contains("<b>x"), "{program}");
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_report_plays_its_runs() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: there is no chromium with its chromedriver");
        return;
    };
    let scratch = Scratch::empty();
    let path = scratch.path("report.html");
    done(&["report", FIGURE_4, "--quiet", "--output", &path]);
    browser.open(&format!("file://{path}"));
    let clock = || browser.script("return document.getElementById('clock').textContent");
    assert_eq!(clock(), "cycle 0 of 30");
    browser.script("document.getElementById('forward').scrollIntoView()");
    browser.click("#forward");
    assert_eq!(clock(), "cycle 1 of 30");
    // Keys are the clock's inside of the section only.
    browser.press(RIGHT);
    assert_eq!(clock(), "cycle 2 of 30");
    browser.script("document.activeElement.blur()");
    browser.press(RIGHT);
    assert_eq!(clock(), "cycle 2 of 30");
    for _ in 0..3 {
        browser.click("#forward");
    }
    let count = "return [...document.querySelectorAll('#animation figure')].map((own) => own.querySelectorAll('.packets circle').length)";
    let expected = crossings(FIGURE_4);
    let at_five = [0, 1].map(|run| expected.get(&(run, 5)).map_or(0, Vec::len));
    assert_eq!(browser.script(count), json!(at_five));
    assert!(at_five[0] > 0);
    browser.click("#play");
    assert!((0..1000).any(|_| clock() != "cycle 5 of 30"), "it does not play");
}
