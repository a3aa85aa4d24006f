//! `draw`: pictures as SVG and PNG, and the texts of their marks.

mod refusals;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use roxmltree::Document;

use super::command::{Scratch, csv_table, done, files_in, program, refused, run, text_of};

const FIGURE_4: [&str; 4] = ["space-time", "scenarios/figure-4.toml", "--embedding", "byweight"];
const FIGURE_6: [&str; 4] = ["placement", "scenarios/figure-6.toml", "--embedding", "xor"];

/// A picture as an SVG text.
fn svg<A: AsRef<str>>(arguments: &[A]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    done(&[&["draw"], &arguments[..]].concat())
}

/// The texts of all marks, in order.
fn titles(svg: &str) -> Vec<String> {
    let is_mark = |class: &str| class.split(' ').any(|word| word == "mark");
    let document = Document::parse(svg).unwrap();
    let marks = document.descendants().filter(|node| node.attribute("class").is_some_and(is_mark));
    let titles = marks.map(|mark| mark.children().find(|child| child.has_tag_name("title")));
    titles.map(|title| title.and_then(|title| title.text()).unwrap_or_default().to_owned()).collect()
}

/// The texts that a picture shows.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().trim().to_owned()).collect()
}

/// Width and height of an SVG document \[pixels\].
fn size(svg: &str) -> (u32, u32) {
    let document = Document::parse(svg).unwrap();
    let length = |name| document.root_element().attribute(name).unwrap().parse().unwrap();
    (length("width"), length("height"))
}

/// A folder with the results of a small sweep in all formats.
fn results() -> Scratch {
    let scratch = Scratch::with(&[(
        "sweep.toml",
        "machine = { kind = \"torus\", shape = [4, 4] }\nprogram.compute_cycles = 3\n\
         mapping.embeddings = [\"xor\", \"gray\"]\n\
         sweep = { \"machine.shape\" = [[2, 2], [4, 4], [8, 8]], \"execution.mode\" = [\"asynchronous\", \"coordinated\"] }\n",
    )]);
    for extension in ["csv", "json", "jsonl", "parquet"] {
        done(&["run", &scratch.path("sweep.toml"), "--output", &scratch.path(&format!("r.{extension}"))]);
    }
    scratch
}

/// One command line for each picture, and more for those with options.
fn every_picture(scratch: &Scratch) -> Vec<Vec<String>> {
    let results = scratch.path("r.csv");
    let lines = [
        "space-time scenarios/figure-4.toml --embedding byweight",
        "space-time scenarios/figure-4.toml --embedding byweight --processes 2..5 --cycles 4..20",
        "placement scenarios/figure-6.toml --embedding xor",
        "placement scenarios/figure-6.toml --embedding xor --dimension 5",
        "links scenarios/figure-6.toml --embedding standard",
        "links scenarios/figure-6.toml --embedding standard --measure busy-cycles",
        "spectrum scenarios/figure-6.toml",
        "compare scenarios/first-comparison.toml",
        "histogram scenarios/figure-4.toml --embedding byweight",
        "links scenarios/reduce-scatter-on-8.toml --run 1 --measure busy-cycles --max 100%",
        "timeline scenarios/reduce-scatter-on-8.toml --run 3",
        "timeline scenarios/all-reduce.toml --run 4 --ranks 2..3 --cycles 0..2000",
        "goodput scenarios/all-reduce-sizes.toml",
        "animation scenarios/figure-4.toml --cycle 21",
        "animation scenarios/first-comparison.toml --run 0 --cycle 12",
    ];
    let split = |line: &str| line.split(' ').map(str::to_owned).collect();
    let mut lines: Vec<Vec<String>> = lines.into_iter().map(split).collect();
    lines.push(vec!["scaling".to_owned(), results]);
    lines
}

#[test]
fn every_picture_is_well_formed_with_text_as_text_and_names_no_file_of_the_system() {
    for arguments in every_picture(&results()) {
        let picture = svg(&arguments);
        let document = Document::parse(&picture).unwrap();
        let picture_root = document.root_element();
        assert_eq!(picture_root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"), "{arguments:?}");
        assert!(texts(&picture).len() > 2 && !titles(&picture).is_empty(), "{arguments:?}");
        assert!(titles(&picture).iter().all(|title| !title.is_empty()), "{arguments:?}");
        for word in ["/usr", ".ttf", "@font-face", "href", "<image"] {
            assert!(!picture.contains(word), "{arguments:?} {word}");
        }
    }
}

#[test]
fn the_same_bytes_come_every_time_from_any_number_of_threads() {
    let scratch = results();
    for arguments in every_picture(&scratch) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let with = |threads| svg(&[&arguments[..], &["--threads", threads]].concat());
        let one = with("1");
        assert_eq!(one, with("2"), "{arguments:?}");
        assert_eq!(one, with("1"), "{arguments:?}");
    }
}

/// The bytes of a PNG that the program writes, on a system with only the fonts of this folder.
fn png(arguments: &[&str], fonts: &str) -> Vec<u8> {
    let mut command = program();
    // The places where libraries look for the fonts of the system: none may affect the picture.
    command.env("FONTCONFIG_FILE", fonts).env("FONTCONFIG_PATH", fonts).env("HOME", fonts);
    let output = command.arg("draw").args(arguments).args(["--format", "png"]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]), "{arguments:?}");
    output.stdout
}

#[test]
fn a_png_has_two_pixels_for_each_of_the_svg_and_needs_no_font_of_the_system() {
    let scratch = results();
    for arguments in every_picture(&scratch) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let bytes = png(&arguments, "/nowhere");
        assert_eq!(bytes, png(&arguments, &scratch.path("")), "{arguments:?}");
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        let number = |from: usize| u32::from_be_bytes(bytes[from..from + 4].try_into().unwrap());
        let (width, height) = size(&svg(&arguments));
        assert_eq!((number(16), number(20)), (2 * width, 2 * height), "{arguments:?}");
    }
}

#[test]
fn every_picture_is_a_page_of_pdf_and_an_environment_of_tikz() {
    let scratch = results();
    for arguments in every_picture(&scratch) {
        let [page, environment] = ["p.pdf", "p.tikz"].map(|name| scratch.path(name));
        for output in [&page, &environment] {
            done(
                &[
                    &["draw".to_owned()],
                    &arguments[..],
                    &["--force".into(), "--output".into(), output.clone()],
                ]
                .concat(),
            );
        }
        let drawn = svg(&arguments);
        let (width, height) = size(&drawn);
        let page = std::fs::read(&page).unwrap();
        let media = format!("/MediaBox [0 0 {} {}]", 0.75 * f64::from(width), 0.75 * f64::from(height));
        let text = String::from_utf8_lossy(&page);
        assert!(page.starts_with(b"%PDF-") && text.contains(&media), "{arguments:?} {media}");
        let environment = scratch.read("p.tikz");
        assert!(environment.ends_with("\\end{tikzpicture}%\n"), "{arguments:?}");
        assert_eq!(environment.matches("\\node[").count(), texts(&drawn).len(), "{arguments:?}");
        let bodies = environment.lines().filter(|line| line.starts_with("  \\"));
        for line in bodies {
            let depth = |open: char| line.replace(&format!("\\{open}"), "").matches(open).count();
            assert!(line.ends_with(';') && depth('{') == depth('}'), "{arguments:?} {line}");
        }
    }
}

#[test]
fn the_extension_of_the_output_decides_how_it_is_written() {
    let scratch = Scratch::empty();
    for (name, signature) in [("p.svg", "<svg".as_bytes()), ("p", b"<svg"), ("p.png", b"\x89PNG")] {
        let path = scratch.path(name);
        assert_eq!(done(&[&["draw"], &FIGURE_4[..], &["--output", &path]].concat()), "");
        assert!(std::fs::read(&path).unwrap().starts_with(signature), "{name}");
    }
}

/// Process, stage, activity, start and end.
type Span = (u64, u64, String, u64, u64);

/// The spans in the marks of a space-time diagram.
fn told_spans(svg: &str) -> BTreeSet<Span> {
    let span = |title: &String| {
        // "process 3, stage 1: transfer 4 cycles, 16 to 20"
        let words: Vec<&str> = title.split([' ', ',', ':']).filter(|word| !word.is_empty()).collect();
        let number = |place: usize| words[place].parse::<u64>().unwrap();
        assert_eq!(number(5), number(9) - number(7), "{title}");
        (number(1), number(3), words[4].to_owned(), number(7), number(9))
    };
    titles(svg).iter().map(span).collect()
}

/// The spans in the rows of `run --processes`.
fn computed_spans(scenario: &str, embedding: &str) -> BTreeSet<Span> {
    let scratch = Scratch::empty();
    done(&["run", scenario, "--processes", &scratch.path("rows.csv")]);
    let (header, rows) = csv_table(&scratch.read("rows.csv"));
    let (mut spans, mut finished) = (BTreeSet::new(), BTreeMap::new());
    for row in rows.iter().filter(|row| row[2] == embedding) {
        let cell = |name: &str| {
            row[header.iter().position(|column| column == name).unwrap()].parse::<u64>().unwrap()
        };
        let (process, stage) = (cell("process"), cell("stage"));
        let mut from = finished.insert(process, cell("finish")).unwrap_or(0);
        let sharing = cell("sharing_cycles");
        let compute = cell("ready") - from - sharing;
        let (waiting, transfer, blocked) =
            (cell("waiting_cycles"), cell("transfer_cycles"), cell("blocked_cycles"));
        let parts = [
            ("sharing", sharing),
            ("compute", compute),
            ("waiting", waiting),
            ("transfer", transfer),
            ("blocked", blocked),
        ];
        for (doing, cycles) in parts.into_iter().filter(|(_, cycles)| *cycles > 0) {
            spans.insert((process, stage, doing.to_owned(), from, from + cycles));
            from += cycles;
        }
        assert_eq!(from, cell("finish"));
    }
    spans
}

#[test]
fn the_marks_of_a_space_time_diagram_are_the_rows_of_single_processes() {
    let spans = told_spans(&svg(&FIGURE_4));
    assert_eq!(spans, computed_spans("scenarios/figure-4.toml", "byweight"));
    let waiting: u64 = spans.iter().filter(|span| span.2 == "waiting").map(|(.., from, to)| to - from).sum();
    assert_eq!(waiting, 16, "as figure-4.toml promises");
    let blocked = "name = \"b\"\nmachine = { kind = \"torus\", shape = [8, 8], links = \"half-duplex\" }\n\
                   program.compute_cycles = 2\nmapping.embeddings = [\"byweight\"]\n";
    let scratch = Scratch::with(&[("blocked.toml", blocked)]);
    let path = scratch.path("blocked.toml");
    let spans = told_spans(&svg(&["space-time", &path]));
    assert!(spans.iter().any(|span| span.2 == "blocked"));
    assert_eq!(spans, computed_spans(&path, "byweight"));
}

#[test]
fn a_window_shows_a_part_of_what_the_whole_shows() {
    let part = told_spans(&svg(&[&FIGURE_4[..], &["--processes", "2..5", "--cycles", "4..20"]].concat()));
    let whole = told_spans(&svg(&FIGURE_4));
    // Marks are cut off at the edges; their texts describe the whole.
    let is_inside =
        |(process, _, _, from, to): &&Span| (2..=5).contains(process) && *from.max(&4) < *to.min(&20);
    assert_eq!(part, whole.iter().filter(is_inside).cloned().collect());
}

/// The processes of every node by its coordinates, as `place --format csv` lists them.
fn placed(arguments: &[&str]) -> BTreeMap<String, Vec<String>> {
    let (_, rows) = csv_table(&done(&[&["place"], arguments, &["--format", "csv"]].concat()));
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        nodes.entry(row[1..].join(", ")).or_default().push(row[0].clone());
    }
    nodes
}

/// The same from the marks of a picture of the placement.
fn drawn(svg: &str) -> BTreeMap<String, Vec<String>> {
    let node = |title: &String| {
        let (node, holds) = title.strip_prefix("node (")?.split_once("): ").unwrap();
        let processes = holds.strip_prefix("processes ").or_else(|| holds.strip_prefix("process "));
        let processes = processes.map(|list| list.split(", ").map(str::to_owned).collect());
        assert!(processes.is_some() || holds == "no process", "{title}");
        Some((node.to_owned(), processes.unwrap_or_default()))
    };
    titles(svg).iter().filter_map(node).collect()
}

#[test]
fn every_node_tells_the_processes_that_place_puts_there() {
    let shared = "machine = { kind = \"mesh\", shape = [2, 3] }\nprogram.dimensions = 2\n\
               mapping.embeddings = [\"file:own.csv\"]\n";
    let scratch = Scratch::with(&[
        (
            "partition.toml",
            "machine = { kind = \"torus\", shape = [16, 16, 4], partition = { base = [4, 12, 2], shape = [4, 4, 2] } }\nmapping.embeddings = [\"xor\"]\n",
        ),
        (
            "layers.toml",
            "machine = { kind = \"torus\", shape = [4, 2, 4] }\nmapping.embeddings = [\"xor\"]\n",
        ),
        (
            "mixed.toml",
            "machine = { kind = \"torus\", shape = [8, 4], wrap = [true, false] }\nmapping.embeddings = [\"optimal\"]\n",
        ),
        ("line.toml", "machine = { kind = \"ring\", shape = [128] }\nmapping.embeddings = [\"gray\"]\n"),
        (
            "cube.toml",
            "machine = { kind = \"hypercube\", dimensions = 6 }\nmapping.embeddings = [\"byweight\"]\n",
        ),
        (
            "tao.toml",
            "machine = { kind = \"mesh\", shape = [2, 2, 2, 3] }\nprogram = { kind = \"neighbour-exchange\", guest = { kind = \"torus\", shape = [4, 6] } }\nmapping.embeddings = [\"tao\"]\nexecution.mode = \"coordinated\"\n",
        ),
        ("shared.toml", shared),
        ("own.csv", "process,p_1,p_2\n0,0,0\n1,1,2\n2,1,2\n3,0,1\n"),
    ]);
    for name in ["partition", "layers", "mixed", "line", "cube", "tao", "shared"] {
        let path = scratch.path(&format!("{name}.toml"));
        let picture = svg(&["placement", &path, "--dimension", "0"]);
        let (mut drawn, placed) = (drawn(&picture), placed(&[&path]));
        drawn.retain(|_, processes| !processes.is_empty());
        assert_eq!(drawn, placed, "{name}");
        assert!(texts(&svg(&["links", &path])).len() > 2, "{name}");
        let busy = titles(&svg(&["links", &path, "--measure", "busy-cycles"]));
        assert!(busy.iter().all(|title| title.contains(" busy cycles, ")), "{name}");
        assert!(!titles(&svg(&["space-time", &path])).is_empty(), "{name}");
    }
    assert_eq!(drawn(&svg(&FIGURE_6)), placed(&FIGURE_6[1..]));
    let shared = drawn(&svg(&["placement", &scratch.path("shared.toml")]));
    assert_eq!((shared["1, 2"].join("+"), shared["1, 0"].len()), ("1+2".to_owned(), 0));
    let partition = svg(&["links", &scratch.path("partition.toml")]);
    assert!(titles(&partition).iter().any(|title| title.starts_with("(4, 12, 2) to (5, 12, 2): ")));
    assert!(texts(&partition).iter().any(|text| text == "p_3 = 3"));
}

#[test]
fn edges_tell_the_distances_of_the_dimension() {
    let picture = svg(&[&FIGURE_6[..], &["--dimension", "5"]].concat());
    let edges: Vec<String> =
        titles(&picture).into_iter().filter(|title| title.contains("distance")).collect();
    assert_eq!(edges.len(), 32);
    let ends: u64 = edges.iter().map(|title| title.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    let (header, rows) = csv_table(&done(&["measure", "scenarios/figure-6.toml", "--format", "csv"]));
    assert!(ends > 0 && !header.is_empty() && rows.len() == 2);
    assert!(edges.contains(&"processes 0 and 32: distance 2".to_owned()), "{edges:?}");
}

#[test]
fn all_formats_of_results_give_one_picture() {
    let scratch = results();
    let of = |extension: &str| svg(&["scaling", &scratch.path(&format!("r.{extension}"))]);
    let first = of("csv");
    for extension in ["json", "jsonl", "parquet"] {
        assert_eq!(first, of(extension), "{extension}");
    }
    let shown = texts(&first);
    // Three of the four curves coincide.
    for name in ["xor, asynchronous; gray, asynchronous; xor, coordinated", "gray, coordinated"] {
        assert!(shown.iter().any(|text| text == name), "{shown:?}");
    }
    assert_eq!(titles(&first).len(), 6);
}

#[test]
fn the_shares_of_a_bar_and_its_bound_are_those_of_the_results() {
    let picture = svg(&["compare", "scenarios/figure-4.toml"]);
    let said = titles(&picture);
    let (header, rows) = csv_table(&done(&["run", "scenarios/figure-4.toml", "--format", "csv"]));
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    for row in &rows {
        let (name, makespan) = (&row[column("embedding")], &row[column("makespan_cycles")]);
        for doing in ["compute", "transfer"] {
            let total = &row[column(&format!("totals_{doing}_cycles"))];
            let found = said.iter().any(|title| {
                title.starts_with(&format!("{name}: {doing}, "))
                    && title.ends_with(&format!(" % of {makespan} cycles; {total} cycles over all processes"))
            });
            assert!(found, "{name} {doing} {total}: {said:?}");
        }
        let bound = format!("{name}: lower bound {} cycles", row[column("lower_bound_cycles")]);
        assert!(said.contains(&bound), "{bound}: {said:?}");
    }
}

#[test]
fn a_spectrum_shows_every_placement_once() {
    let shown = texts(&svg(&["spectrum", "scenarios/first-comparison.toml"]));
    for name in ["standard", "xor", "byweight"] {
        assert_eq!(shown.iter().filter(|text| *text == name).count(), 1, "{shown:?}");
    }
    assert!(!shown.iter().any(|text| text.contains("coordinated")), "{shown:?}");
}

#[test]
fn names_are_never_markup_and_long_ones_stay_on_the_sheet() {
    let name = format!("a <b> & \\\"c\\\" {}", "x".repeat(300));
    let text = format!(
        "name = \"{name}\"\nmachine = {{ kind = \"ring\", shape = [8] }}\nmapping.embeddings = [\"xor\"]\n"
    );
    let scratch = Scratch::with(&[("names.toml", text)]);
    let path = scratch.path("names.toml");
    for what in ["space-time", "spectrum", "compare"] {
        let picture = svg(&[what, &path]);
        let document = Document::parse(&picture).unwrap();
        let title = document.root_element().children().find(|child| child.has_tag_name("title")).unwrap();
        assert!(title.text().unwrap().starts_with("a <b> & \"c\" xxx"), "{what}");
        assert_eq!(size(&picture).0, 960);
        let shown = texts(&picture);
        let caption = shown.iter().find(|text| text.starts_with("a <b>")).unwrap();
        assert!(caption.ends_with('…') && caption.chars().count() < 130, "{caption}");
        assert!(png(&[what, &path], "/nowhere").starts_with(b"\x89PNG"), "{what}");
    }
}

#[test]
fn what_does_not_show_in_a_name_is_escaped_in_every_picture() {
    let text = "name = \"a\\u001b[31m\\u0007\\u009b\\u202eb\\uffff\"\nmachine = { kind = \"ring\", shape = [8] }\n\
                program.kind = \"all-reduce\"\nprogram.algorithm = \"ring\"\nprogram.units = 64\nexecution.mode = \"asynchronous\"\n";
    let scratch = Scratch::with(&[("control.toml", text)]);
    let path = scratch.path("control.toml");
    for what in ["compare", "space-time", "timeline", "links", "goodput"] {
        let picture = svg(&[what, &path]);
        let raw = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{ffff}'];
        assert!(!picture.contains(raw), "{what}");
        let escaped = "a\\u{1b}[31m\\u{7}\\u{9b}\\u{202e}b\u{fffd}";
        assert!(texts(&picture).iter().any(|text| text.starts_with(escaped)), "{what}");
        assert!(png(&[what, &path], "/nowhere").starts_with(b"\x89PNG"), "{what}");
    }
    let results =
        "machine_shape,embedding,makespan_cycles,x\u{202e}\u{9b}\n4x4,a\u{1b}\u{202e},10,1\n8x8,b,20,2\n";
    let scratch = Scratch::with(&[("r.csv", results)]);
    let picture = svg(&["scaling", &scratch.path("r.csv"), "--x", "x\u{202e}\u{9b}"]);
    assert!(!picture.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{picture}");
    assert!(texts(&picture).contains(&"a\\u{1b}\\u{202e}".to_owned()), "{picture}");
}

#[test]
fn no_text_is_smaller_than_twelve_pixels() {
    let scratch = results();
    let more = ["timeline scenarios/all-reduce.toml --run 4", "links scenarios/failed-links.toml --run 9"];
    let more = more.map(|line| line.split(' ').map(str::to_owned).collect());
    for arguments in every_picture(&scratch).into_iter().chain(more) {
        let picture = svg(&arguments);
        let document = Document::parse(&picture).unwrap();
        for text in document.descendants().filter(|node| node.has_tag_name("text")) {
            let size = text.ancestors().find_map(|node| node.attribute("font-size")).unwrap();
            assert!(size.parse::<f64>().unwrap() > 11.999, "{arguments:?} {size}: {:?}", text.text());
        }
    }
}

#[test]
fn scaling_never_averages_and_says_how_rows_are_told_apart() {
    let scratch = Scratch::with(&[(
        "sweep.toml",
        "machine = { kind = \"torus\", shape = [4, 4] }\nmapping.embeddings = [\"xor\", \"gray\"]\n\
         sweep = { \"machine.shape\" = [[2, 2], [4, 4], [8, 8]], \"program.compute_cycles\" = [1, 9] }\n",
    )]);
    let results = scratch.path("r.csv");
    done(&["run", &scratch.path("sweep.toml"), "--output", &results]);
    let refused = run(&["draw", "scaling", &results]);
    assert_eq!(refused.code, Some(2));
    let said = "error: 2 rows at nodes 4 of \"xor\" differ in program_compute_cycles, expected one row at a place of a \
                curve\n  help: give each value a curve with --by program_compute_cycles, or draw the rows of one with \
                --where program_compute_cycles=1\n";
    assert_eq!(refused.stderr, said);
    let one = svg(&["scaling", &results, "--where", "program_compute_cycles=9"]);
    assert_eq!(titles(&one).len() % 3, 0);
    let all = svg(&["scaling", &results, "--by", "embedding", "--by", "program_compute_cycles"]);
    assert!(
        texts(&all).iter().any(|text| text.contains("xor, program compute cycles 9")),
        "{:?}",
        texts(&all)
    );
    for tick in ["4", "16", "64"] {
        assert!(texts(&all).contains(&tick.to_owned()), "{tick}");
    }
    let by = svg(&["scaling", &results, "--by", "program_compute_cycles", "--where", "embedding=xor"]);
    assert_eq!(titles(&by).len(), 6);
}

#[test]
fn a_large_picture_is_painted_within_the_memory_limit_or_refused() {
    let text = "machine = { kind = \"ring\", shape = [1024] }\nmapping.embeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("ring.toml", text)]);
    let path = scratch.path("ring.toml");
    let finished =
        run(&["draw", "placement", &path, "--memory-limit", "20MiB", "--output", &scratch.path("p.png")]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(
        finished.stderr.contains(" MiB to paint, expected at most the memory limit of 20 MiB"),
        "{}",
        finished.stderr
    );
    assert!(finished.stderr.contains("help: write it as .svg"), "{}", finished.stderr);
}

#[test]
fn a_histogram_of_nothing_is_a_sentence() {
    let said = refused(&["draw", "histogram", "scenarios/figure-4.toml", "--embedding", "standard"]);
    assert!(said.starts_with("error: no process waits or is blocked in any stage"), "{said}");
}

#[test]
fn a_comparison_is_grouped_by_what_is_swept() {
    let shown = texts(&svg(&["compare", "scenarios/link-modes.toml"]));
    let place = |name: &str| shown.iter().position(|text| text == name).unwrap();
    assert!(place("asynchronous, full-duplex") < place("coordinated, full-duplex"));
    assert_eq!(shown.iter().filter(|text| *text == "gray").count(), 6);
}

/// The commands of the pages that draw a file with this extension.
fn commands_of_pages(extension: &str) -> BTreeSet<String> {
    let pages: Vec<String> = files_in("docs", "md").iter().map(|page| text_of(page)).collect();
    let lines = pages.iter().flat_map(|page| page.lines());
    let draws = |line: &&str| {
        line.starts_with("$ cubefold draw ")
            && line.contains(" --output docs/")
            && Path::new(line).extension().is_some_and(|found| found == extension)
    };
    lines.filter(draws).map(str::to_owned).collect()
}

/// The image of a command of the page, and the picture that it draws; results go to the folder.
fn picture_of(command: &str, scratch: &Scratch) -> (String, String) {
    let (arguments, image) = command.split_once(" --output ").unwrap();
    let arguments = arguments.strip_prefix("$ cubefold draw ").unwrap();
    let arguments: Vec<String> = arguments
        .split(' ')
        .map(|word| if word == "results.csv" { scratch.path(word) } else { word.to_owned() })
        .collect();
    (image.to_owned(), svg(&arguments))
}

#[test]
fn the_images_of_the_pages_are_what_their_commands_draw() {
    let scratch = Scratch::empty();
    let results = scratch.path("results.csv");
    done(&["run", "scenarios/square-toruses.toml", "--quiet", "--output", &results]);
    let drawn: BTreeMap<String, String> =
        commands_of_pages("svg").iter().map(|command| picture_of(command, &scratch)).collect();
    let images: Vec<&String> = drawn.keys().collect();
    assert_eq!(images, files_in("docs/images", "svg").iter().collect::<Vec<_>>());
    let pages: Vec<String> = files_in("docs", "md").iter().map(|page| text_of(page)).collect();
    for (image, picture) in &drawn {
        assert_eq!(&text_of(image), picture, "{image}: draw it again with the command of the page");
        assert!(picture.len() < 90_000, "{image} is too large for the repository: {}", picture.len());
        let link = format!("](images/{})", image.rsplit('/').next().unwrap());
        assert!(pages.iter().any(|page| page.contains(&link)), "{image}");
    }
    assert_eq!(images.len(), 24);
}

#[test]
fn the_animations_of_the_pages_are_what_their_commands_draw() {
    let scratch = Scratch::empty();
    let drawn: BTreeMap<String, String> =
        commands_of_pages("html").iter().map(|command| picture_of(command, &scratch)).collect();
    assert_eq!(
        drawn.keys().collect::<Vec<_>>(),
        files_in("docs/animations", "html").iter().collect::<Vec<_>>()
    );
    let pages: Vec<String> = files_in("docs", "md").iter().map(|page| text_of(page)).collect();
    for (file, page) in &drawn {
        assert_eq!(&text_of(file), page, "{file}: draw it again with the command of the page");
        assert!(page.len() < 100_000, "{file} is too large for the repository: {}", page.len());
        // Its still is the link to it.
        let name = file.rsplit('/').next().unwrap().strip_suffix(".html").unwrap();
        let link = format!("](images/{name}.svg)](animations/{name}.html)");
        assert!(pages.iter().any(|page| page.contains(&link)), "{file}");
    }
    assert_eq!(drawn.len(), 5);
}
