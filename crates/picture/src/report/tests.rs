//! Reports of small scenarios: their tables, figures and sentences.

use std::path::Path;

use super::*;
use crate::support::finished;
use cubefold_records::{RunRecord, TraceTimesRecord};
use cubefold_scenario::{Run, load_text};

const TEXT: &str = "name = \"<b>bold & co</b>\"\n[machine]\nkind = \"torus\"\nshape = [4, 4]\n[program]\n\
                    kind = \"cc-cube\"\ncompute_cycles = 2\n[mapping]\nembeddings = [\"standard\", \"xor\"]\n";

fn reported(run: &Run) -> ReportedRun<'_> {
    let finished = finished(run);
    let record = RunRecord::new(run, 0, &finished);
    ReportedRun {
        name: run.embedding.to_string(),
        group: String::new(),
        bar: run.embedding.to_string(),
        run,
        record,
        finished,
    }
}

fn page_of(text: &str) -> String {
    let scenario = load_text(Path::new("a test"), text).unwrap();
    let runs: Vec<ReportedRun<'_>> = scenario.runs.iter().map(reported).collect();
    report(&scenario, &runs, &[]).unwrap()
}

#[test]
fn nothing_is_fetched_and_no_name_is_markup() {
    let page = page_of(TEXT);
    crate::page::assert_fetches_nothing(&page);
    assert!(!page.contains("<b>bold") && page.contains("&lt;b&gt;bold &amp; co&lt;/b&gt;"));
}

#[test]
fn no_name_and_no_text_reaches_the_page_with_what_a_reader_does_not_see() {
    let name = "a \u{202e}b\u{9b}31m\\u001b]0;c\\u0007";
    let text = TEXT.replace("<b>bold & co</b>", name).replace("[program]", "[program] # \u{202e}\tend\r");
    let page = page_of(&text);
    for hidden in ['\u{202e}', '\u{9b}', '\u{1b}', '\u{7}', '\r'] {
        assert!(!page.contains(hidden), "{hidden:?}");
    }
    assert!(page.contains("<h1>a \\u{202e}b\\u{9b}31m\\u{1b}]0;c\\u{7}</h1>"), "{}", &page[..9000]);
    assert!(page.contains("[program] # \\u{202e}\tend\n") && page.contains(SCRIPT) && page.contains(STYLE));
}

#[test]
fn what_is_left_out_is_said_once_for_each_reason() {
    let part = |name: usize, reason: &str| Part {
        name: name.to_string(),
        open: false,
        picture: Err(reason.to_owned()),
    };
    let many: Vec<Part> = (0..467).map(|name| part(name, "the page would be too large.")).collect();
    assert_eq!(left_out(&many), ["Left out, all 467: the page would be too large."]);
    assert_eq!(left_out(&many[..1]), ["Left out: the page would be too large."]);
    let reasons = [part(0, "large."), part(1, "wide."), part(2, "wide."), part(3, "wide."), part(4, "wide.")];
    assert_eq!(left_out(&reasons), ["Left out, 0: large.", "Left out, 4 of 5: wide."]);
    assert_eq!(left_out(&reasons[..3]), ["Left out, 0: large.", "Left out, 1 and 2: wide."]);
}

#[test]
fn every_column_leads_to_a_definition_that_is_there() {
    let page = page_of(TEXT);
    let links: Vec<&str> =
        page.split("href=\"#term-").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() > 8, "{links:?}");
    for link in links {
        assert_eq!(page.matches(&format!("id=\"term-{link}\"")).count(), 1, "{link}");
    }
}

#[test]
fn the_fastest_algorithm_is_named_at_each_size() {
    assert!(!page_of(TEXT).contains("The fastest algorithm"));
    // 2 (P - 1) steps of a ring cost 14 (9 + M / 8) cycles; whole vectors by recursive doubling
    // 3 * 9 + M (1 + 2 + 4).
    let page = page_of(
        "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\nkind = \"all-reduce\"\n\
         algorithm = [\"ring\", \"recursive-doubling\"]\nexchange = \"whole\"\ncompute_cycles = 9\n\
         [sweep]\n\"program.units\" = [8, 800]\n",
    );
    assert!(page.contains("<th scope=\"row\">8 units</th><td>recursive-doubling</td>"), "{page}");
    assert!(page.contains("<th scope=\"row\">800 units</th><td>ring</td><td>1526</td><td>1.00</td>"));
    assert!(
        page.contains("Between 8 units and 800 units the fastest changes from recursive-doubling to ring.")
    );
}

#[test]
fn the_communication_of_traces_stands_in_a_table() {
    let scenario = load_text(Path::new("a test"), TEXT).unwrap();
    let times = |kind: &'static str| TraceTimesRecord {
        kind: kind.into(),
        operations: 4,
        traced_operations: 4,
        traced_seconds: 8e-6,
        simulated_seconds: 6e-6,
        simulated_cycles: 6000,
    };
    let mut runs: Vec<ReportedRun<'_>> = scenario.runs.iter().map(reported).collect();
    runs[1].record.trace_communication = Some(vec![times("all-reduce"), times("send")]);
    let page = report(&scenario, &runs, &[]).unwrap();
    let table = page.split("<h2>Communication of the traces</h2>").nth(1).unwrap();
    let table = table.split("</table>").next().unwrap();
    assert!(
        table.contains(
            "<th scope=\"row\">all-reduce</th><td>4</td><td>2.00 us</td><td>1.50 us</td><td>0.75</td>"
        ),
        "{table}"
    );
    assert!(
        table.contains("href=\"#term-trace_communication\"")
            && page.contains("id=\"term-trace_communication\"")
    );
    assert!(!page.contains("<h2>Steps</h2>") && !page_of(TEXT).contains("Communication of the traces"));
}

#[test]
fn steps_of_jobs_stand_in_tables_of_the_first_runs_and_rows() {
    let mut text = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nshape = [4]\niterations = 31\n\
                    [[program.steps]]\nname = \"<i>\"\ncompute_cycles = 9\n\
                    [[program.steps]]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 8\nafter = []\n"
        .to_owned();
    let page = page_of(&text);
    crate::page::assert_fetches_nothing(&page);
    assert!(page.contains("2 further rows are in JSON only") && !page.contains("<i>"), "{page}");
    // Its ranks compute and send at the same time.
    assert!(!page.contains("Where the time goes") && page_of(TEXT).contains("Where the time goes"));
    let silent =
        text.replace("kind = \"all-reduce\"\nalgorithm = \"ring\"", "kind = \"send\"\nover = [0]\nby = 4");
    assert!(page_of(&silent).contains("<p>step &quot;step 1&quot; sends nothing.</p>"));
    assert!(page.contains("<td class=\"words\">&lt;i&gt;</td>"), "{page}");
    text += "[sweep]\n\"program.iterations\" = [1, 2, 3, 4, 5]\n";
    let page = page_of(&text);
    assert_eq!(page.matches("aria-label=\"Table of steps, ").count(), 4);
    assert!(page.contains("These are the first 4 of 5 runs"), "{page}");
}

#[test]
fn what_all_runs_have_in_common_is_said_once() {
    let page = page_of(TEXT);
    let sentence = page.split("The same in all rows: ").nth(1).unwrap().split(".</p>").next().unwrap();
    for common in [">blocked</a> 0", ">bound</a> 12", ">compute</a> 128"] {
        assert!(sentence.contains(common), "{sentence}");
    }
    assert!(!page.contains("aria-label=\"what blocked means\""));
    assert!(page.contains("aria-label=\"what makespan means\""));
    let alone = page_of(&TEXT.replace("\"standard\", ", ""));
    assert!(!alone.contains("The same in all rows: ") && alone.contains("aria-label=\"what blocked means\""));
}

#[test]
fn the_fastest_is_named_over_all_combinations() {
    // On a 4 x 4 torus all distances are 1 under xor: 4 (2 + 1) cycles; standard takes 2 links
    // twice.
    assert!(page_of(TEXT).contains(
        "xor takes the fewest cycles: 12, 1.17x faster than standard; no one-to-one placement in this"
    ));
    let swept = format!("{TEXT}[sweep]\n\"execution.mode\" = [\"asynchronous\", \"coordinated\"]\n");
    let page = page_of(&swept);
    assert!(
        page.contains("xor takes the fewest cycles in 2 of 2 combinations; meets the lower bound of one-to-one placements (theorem) in 2.")
    );
    assert_eq!(page.matches("class=\"mark-best\"").count(), 2);
}

#[test]
fn collectives_have_their_goodput_and_timelines() {
    let text = "[machine]\nkind = \"ring\"\nshape = [4]\n\
                link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\n[program]\nkind = \"all-reduce\"\n\
                algorithm = [\"ring\", \"swing\"]\nbytes = \"4 kB\"\n";
    let page = page_of(text);
    assert!(page.contains("goodput [GB/s]") && page.contains("ring: "));
    assert!(page.contains("rank 3, stage 2: transfer ") && !page.contains("process 3, stage"));
    assert!(!page_of(TEXT).contains("Goodput") && page_of(TEXT).contains("process 3, stage"));
    let ports = page_of(&format!("{text}[sweep]\n\"program.ports\" = [1, \"all\"]\n"));
    assert!(ports.contains("the fewest cycles of each combination with any ports are marked with *."));
}

#[test]
fn maps_of_links_that_stand_side_by_side_have_one_scale() {
    // In a ring of 4 standard exchanges over one link and over two, xor over one: standard has 2 guest edges on a
    // link, xor 1, and each is crossed both ways.
    let page = page_of(TEXT);
    let after = |title: &str| page.split(&format!("<h2>{title}</h2>")).nth(1).unwrap().to_owned();
    let section = |title: &str| after(title).split("</section>").next().unwrap().to_owned();
    let (links, busy) = (section("Links"), section("Busy links"));
    assert!(links.contains("one scale for all placements"));
    assert_eq!(links.matches("up to 2 guest edges.").count(), 2, "{links}");
    assert_eq!(links.matches("\nThe most here: 1\n").count(), 1);
    assert_eq!(busy.matches("up to 2 busy cycles.").count(), 2, "{busy}");
    assert_eq!(busy.matches("\nThe most here: 1, 8.3 % of a direction, 1 unit\n").count(), 1, "{busy}");
    assert!(busy.contains("have one scale"));
    let swept = format!("{TEXT}[sweep]\n\"program.units\" = [1, 2]\n");
    let page = page_of(&swept);
    for scale in ["up to 2 busy cycles.", "up to 4 busy cycles."] {
        assert_eq!(page.matches(scale).count(), 2, "{scale}");
    }
}

#[test]
fn a_long_text_is_cut_and_that_is_told() {
    let remark = format!("# {}\n", "a".repeat(60)).repeat(10_000);
    let page = page_of(&format!("{TEXT}{remark}"));
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let length = TEXT.len() + remark.len();
    let told = page.split(&format!(" of {length} bytes of the file; the rest is left out.")).next().unwrap();
    let shown: usize = told.rsplit("The first ").next().unwrap().parse().unwrap();
    assert!((MAX_TEXT_BYTES - 100..=MAX_TEXT_BYTES).contains(&shown), "{shown}");
    let lettered = "é".repeat(MAX_TEXT_BYTES);
    assert_eq!(beginning(&lettered).len(), MAX_TEXT_BYTES);
    assert_eq!(beginning("a\nb"), "a\nb");
}

#[test]
fn the_same_runs_give_the_same_page() {
    assert_eq!(page_of(TEXT), page_of(TEXT));
}
