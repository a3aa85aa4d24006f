//! The report page, in a real browser where there is one.

use serde_json::{Value, json};

use super::{
    browser::Browser,
    command::{Scratch, done, run},
};

/// The keys of the protocol.
const RIGHT: char = '\u{e014}';

fn page(scenario: &str) -> (Scratch, String) {
    let scratch = Scratch::with::<&str>(&[]);
    let path = scratch.path("report.html");
    done(&["report", scenario, "--quiet", "--output", &path]);
    (scratch, path)
}

#[test]
fn the_page_is_the_same_for_any_number_of_threads_and_is_below_its_size() {
    let one = done(&["report", "scenarios/first-comparison.toml", "--quiet", "--threads", "1"]);
    let two = done(&["report", "scenarios/first-comparison.toml", "--quiet", "--threads", "2"]);
    assert!(one == two, "the pages differ");
    // 20 runs of machines that are drawn as large as the page draws any.
    let scratch = Scratch::with(&[(
        "s.toml",
        "[machine]\nkind = \"torus\"\nshape = [16, 16]\n[program]\nkind = \"cc-cube\"\n[mapping]\n\
         embeddings = [\"standard\", \"xor\", \"byweight\", \"gray\"]\n[sweep]\n\
         \"program.compute_cycles\" = [1, 2, 3, 4, 5]\n",
    )]);
    let page = done(&["report", &scratch.path("s.toml"), "--quiet"]);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let part = page.split("</table>").next().unwrap();
    assert_eq!(part.matches("<tr data-place").count(), 20);
    assert!(page.matches("<svg").count() > 40, "{}", page.matches("<svg").count());
}

#[test]
fn what_cannot_be_reported_is_refused_and_nothing_is_written() {
    let scratch = Scratch::with(&[(
        "s.toml",
        "machine = { kind = \"ring\", shape = [8] }\nmapping.embeddings = [\"xor\"]\n[sweep]\nseed = [1]\n",
    )]);
    let (scenario, path) = (scratch.path("s.toml"), scratch.path("r.html"));
    let many: Vec<String> = (1..=501).map(|cycles| cycles.to_string()).collect();
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [8] }}\nmapping.embeddings = [\"xor\"]\n[sweep]\n\
         \"program.compute_cycles\" = [{}]\n",
        many.join(", ")
    );
    std::fs::write(&scenario, text).unwrap();
    let refused = run(&["report", &scenario, "--output", &path]);
    let expected = "error: 501 runs, expected at most 500\n  help: sweep fewer values, or draw scaling from \
                    what cubefold run --output writes\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(2), expected));
    assert!(!std::path::Path::new(&path).exists());
    let onto_itself = run(&["report", &scenario, "--output", &scenario]);
    assert_eq!(onto_itself.code, Some(2));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_browser_sorts_shows_values_and_leads_to_definitions() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: there is no chromium with its chromedriver");
        return;
    };
    let (_scratch, path) = page("scenarios/first-comparison.toml");
    browser.open(&format!("file://{path}"));
    assert_eq!(browser.script("return document.title"), "first comparison · cubefold");
    check_that_nothing_is_fetched(&browser);
    check_sorting(&browser);
    check_hovering(&browser);
    check_keyboard(&browser);
    check_definitions(&browser);
    check_widths(&browser);
    check_dark(&browser);
}

fn check_that_nothing_is_fetched(browser: &Browser) {
    assert_eq!(browser.script("return performance.getEntriesByType('resource').length"), 0);
    let fits = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(browser.script(fits), true, "the page is wider than the window");
}

/// The first cells of all rows, and a column's numbers.
fn column(browser: &Browser, number: usize) -> Value {
    browser.script(&format!(
        "return [...document.querySelector('#runs tbody').rows].map((row) => row.children[{number}].textContent)"
    ))
}

fn check_sorting(browser: &Browser) {
    assert_eq!(column(browser, 1), json!(["20", "16", "24", "20", "16", "24"]));
    let sorted = "return document.querySelector('#runs thead th:nth-child(2)').getAttribute('aria-sort')";
    let header = "#runs thead th:nth-child(2) button";
    browser.click(header);
    assert_eq!(column(browser, 1), json!(["16", "16", "20", "20", "24", "24"]));
    assert_eq!(browser.script(sorted), "ascending");
    browser.click(header);
    assert_eq!(column(browser, 1), json!(["24", "24", "20", "20", "16", "16"]));
    assert_eq!(browser.script(sorted), "descending");
    assert_eq!(column(browser, 2), json!(["1.200", "1.200", "1.000", "1.000", "0.800", "0.800"]));
    // Equal rows stay in the scenario's order.
    assert!(column(browser, 0)[0].as_str().unwrap().starts_with("byweight, asynchronous"));
    // The other part of the table has the same rows in the same order.
    let places = "return [...document.querySelectorAll('#runs tbody')].map((part) => [...part.rows].map((row) => row.dataset.place).join())";
    let places = browser.script(places);
    assert!(places[1].is_string() && places[0] == places[1], "{places}");
}

const TIP: &str = "const tip = document.getElementById('tip'); return tip.hidden ? null : tip.textContent";

fn check_hovering(browser: &Browser) {
    assert_eq!(browser.script(TIP), Value::Null);
    browser.hover("figure .mark");
    let expected = "standard, asynchronous: compute, 30.0 % of 20 cycles; 384 cycles over all processes";
    assert_eq!(browser.script(TIP), expected);
    browser.hover("h1");
    assert_eq!(browser.script(TIP), Value::Null);
}

fn check_keyboard(browser: &Browser) {
    browser.script("document.querySelector('figure').focus()");
    browser.press(RIGHT);
    browser.press(RIGHT);
    let said = browser.script("return document.getElementById('said').textContent");
    assert_eq!(said, "standard, asynchronous: transfer, 70.0 % of 20 cycles; 896 cycles over all processes");
    assert_eq!(browser.script(TIP), said);
}

fn check_definitions(browser: &Browser) {
    browser.click("#runs thead th:nth-child(2) a");
    assert_eq!(browser.script("return location.hash"), "#term-makespan_cycles");
    let meaning = "return document.querySelector(':target').nextElementSibling.textContent";
    let meaning = browser.script(meaning);
    assert!(meaning.as_str().unwrap().contains("Source: "), "{meaning}");
}

/// On a telephone the names leave room for values, and pictures keep the size of their text.
fn check_widths(browser: &Browser) {
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    let sees_makespan =
        "return document.querySelector('#runs tbody td').getBoundingClientRect().right < innerWidth";
    let sees_sentence = "return [...document.querySelectorAll('p')].every((own) => own.getBoundingClientRect().right <= innerWidth)";
    for width in [390, 768, 1280] {
        browser.set_width(width);
        for what in [fits, sees_makespan, sees_sentence] {
            assert_eq!(browser.script(what), true, "{width}: {what}");
        }
    }
    browser.set_width(390);
    let scale = "const own = document.querySelector('figure svg'); return own.getBoundingClientRect().width / own.viewBox.baseVal.width";
    assert_eq!(browser.script(scale), 1);
    // The script marks tables and pictures that are wider than the screen. It hears of a new width later than the
    // browser applies it, so ask until it has.
    let told = "const all = [...document.querySelectorAll('.scroll, figure')].filter((own) => own.checkVisibility()); \
                const wide = all.filter((own) => own.scrollWidth > own.clientWidth + 1); \
                const says = (own) => getComputedStyle(own, '::before').content.includes('scroll sideways'); \
                return wide.length > 0 && wide.every(says)";
    assert!((0..1000).any(|_| browser.script(told) == true), "nothing says that it is wider");
    browser.set_width(1280);
    let none = "return document.querySelectorAll('.scroll.wide').length === 0";
    assert!((0..1000).any(|_| browser.script(none) == true), "a table that fits says that it is wider");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_picture_inside_a_dark_page_is_readable() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: there is no chromium with its chromedriver");
        return;
    };
    let picture = done(&["draw", "links", "scenarios/figure-6.toml", "--embedding", "standard"]);
    for (scheme, letters, paper) in
        [("normal", "rgb(0, 0, 0)", "rgb(255, 255, 255)"), ("dark", "rgb(232, 232, 232)", "rgb(22, 24, 27)")]
    {
        let page = format!(
            "<!doctype html><body style=\"background: #111; color: #eee; color-scheme: {scheme}\">{picture}</body>"
        );
        let scratch = Scratch::with(&[("p.html", page)]);
        browser.open(&format!("file://{}", scratch.path("p.html")));
        let fill = |what: &str| {
            browser.script(&format!("return getComputedStyle(document.querySelector('svg {what}')).fill"))
        };
        assert_eq!((fill("text"), fill(".paper")), (json!(letters), json!(paper)), "{scheme}");
    }
}

/// Whether all tables are seen as a whole.
const WHOLE: &str =
    "return [...document.querySelectorAll('.scroll')].every((own) => own.scrollWidth <= own.clientWidth)";

/// The printable width of A4 with the margins of a browser \[pixels\].
const PAPER: u32 = 717;

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn no_table_is_cut_on_a_screen_of_1280_pixels_or_on_paper() {
    let Some(browser) = Browser::start() else {
        eprintln!("skipped: there is no chromium with its chromedriver");
        return;
    };
    for name in ["first-comparison", "link-modes", "all-reduce", "all-reduce-sizes"] {
        let (_scratch, path) = page(&format!("scenarios/{name}.toml"));
        browser.open(&format!("file://{path}"));
        browser.set_width(1280);
        assert_eq!(browser.script(WHOLE), true, "{name}: a table is cut at 1280 pixels");
        browser.set_width(390);
        let sticks = "const region = document.querySelector('#runs .scroll'); region.scrollLeft = 200; \
                      const name = region.querySelector('tbody th').getBoundingClientRect(); \
                      return Math.abs(name.left - region.getBoundingClientRect().left) < 1 && name.right < 200";
        assert_eq!(browser.script(sticks), true, "{name}: names do not stay");
        browser.print();
        browser.set_width(PAPER);
        let widest = "return Math.max(...[...document.querySelectorAll('table, pre, figure svg, p')].map((own) => own.getBoundingClientRect().right))";
        let widest = browser.script(widest).as_f64().unwrap();
        assert!(widest <= PAPER.into(), "{name}: {widest} pixels on paper");
        browser.show();
    }
}

fn check_dark(browser: &Browser) {
    let background = "return getComputedStyle(document.body).backgroundColor";
    assert_eq!(browser.script(background), "rgb(255, 255, 255)");
    browser.prefer_dark();
    assert_eq!(browser.script(background), "rgb(22, 24, 27)");
    let letters = "return getComputedStyle(document.querySelector('figure svg text')).fill";
    assert_eq!(browser.script(letters), "rgb(232, 232, 232)");
}
