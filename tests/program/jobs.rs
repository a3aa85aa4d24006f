//! Jobs and traffic matrices as people use them: tables, rows, pictures, measures.

use serde_json::Value;

use super::command::{Scratch, csv_table, done, json, run};

const JOB: &str = "[machine]\nkind = \"torus\"\nshape = [4, 2]\nhop_cycles = 1\nlatency_cycles = 4\n\
                   switching = \"cut-through\"\n[program]\nshape = [4, 2]\niterations = 2\n\
                   [[program.steps]]\nname = \"forward\"\ncompute_cycles = 100\n\
                   [[program.steps]]\nname = \"gradients\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 160\n\
                   [[program.steps]]\nname = \"backward\"\ncompute_cycles = 60\nafter = [\"forward\"]\n\
                   [mapping]\nembeddings = [\"standard\"]\n";

#[test]
fn steps_of_a_job_stand_in_a_table_and_in_json() {
    let scratch = Scratch::with(&[("job.toml", JOB)]);
    let path = scratch.path("job.toml");
    let record = &json(&["run", &path])["runs"][0];
    let steps = record["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["forward", "gradients", "backward", "forward", "gradients", "backward"]);
    assert_eq!((&steps[0]["begin_cycles"], &steps[0]["finish_cycles"]), (&0.into(), &100.into()));
    assert_eq!((&steps[2]["begin_cycles"], &steps[2]["finish_cycles"]), (&100.into(), &160.into()));
    assert_eq!(steps[5]["iteration"], 1);
    assert!(steps[0].get("begin_seconds").is_none());
    // The all-reduce at 100 to 506 runs beside `backward` at 100 to 160 on all eight ranks, and on some beside the next
    // `forward`: 30 cycles in all.
    assert_eq!(
        (&steps[1]["hidden_cycles"], &steps[1]["behind"]),
        (&510.into(), &serde_json::json!(["backward", "forward"]))
    );
    assert_eq!(steps[1]["hidden_share"], 510.0 / (510.0 + 2708.0));
    assert_eq!(steps[1]["share"], 406.0 / record["makespan_cycles"].as_f64().unwrap());
    assert!(
        steps[0]["share"].is_number()
            && steps[0].get("hidden_cycles").is_none()
            && steps[0].get("behind").is_none()
    );
    let (exposed, makespan) = (&record["exposed_cycles"], record["makespan_cycles"].as_u64().unwrap());
    assert!((1..8 * makespan).contains(&exposed.as_u64().unwrap()));
    assert_eq!(record["predicted_cycles"], Value::Null);
    assert_eq!(record["program"]["kind"], "job");
    assert_eq!(record["program"]["steps"][2]["after"][0], "forward");
    let page = done(&["run", &path, "--format", "markdown"]);
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = page.lines().map(cells).collect();
    assert!(
        rows.contains(&" step kind iteration ranks begin finish share exposed hidden behind ".into()),
        "{page}"
    );
    let of_gradients = " gradients all-reduce 0 8 100 506 40.1 % 338 15.8 % backward, forward ";
    assert!(rows.contains(&of_gradients.into()), "{page}");
    assert!(page.contains("are exposed: no computation step of it runs."), "{page}");
}

#[test]
fn the_report_of_a_job_has_its_steps_and_no_goodput() {
    let in_seconds = JOB
        .replace(
            "hop_cycles = 1\nlatency_cycles = 4",
            "link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }",
        )
        .replace("units = 160", "bytes = \"8 KiB\"");
    for job in [JOB, &in_seconds] {
        let scratch = Scratch::with(&[("job.toml", job)]);
        let path = scratch.path("job.toml");
        let page = done(&["report", &path, "--quiet"]);
        for text in [
            "<h2>Steps</h2>",
            "Table of steps",
            "id=\"term-steps_hidden_cycles\"",
            "#term-exposed_cycles",
            "are exposed",
        ] {
            assert!(page.contains(text), "{text}");
        }
        let table = page.split("<h2>Steps</h2>").nth(1).unwrap().split("</table>").next().unwrap();
        assert_eq!(table.matches("<tr>").count(), 1 + 6, "{table}");
        assert_eq!(table.matches(">gradients</th>").count(), 2, "{table}");
        assert!(!page.to_lowercase().contains("goodput"));
        assert!(json(&["run", &path])["runs"][0]["goodput_bytes_per_second"].is_null());
        assert!(!done(&["run", &path]).to_lowercase().contains("goodput"));
        let drawn = run(&["draw", "goodput", &path, "--output", &scratch.path("g.svg")]);
        assert_eq!(drawn.code, Some(2), "{}", drawn.stderr);
        assert!(drawn.stderr.contains("not jobs or task graphs"), "{}", drawn.stderr);
    }
}

#[test]
fn what_hides_a_step_is_explained() {
    for (term, sentence) in [
        ("hidden", "while a computation step of that rank runs"),
        ("behind", "run at a rank while a step of messages is at work there"),
        ("hidden_share", "while a computation step of that rank runs"),
    ] {
        assert!(done(&["explain", term]).replace('\n', " ").contains(sentence), "{term}");
    }
    let share = done(&["explain", "share"]);
    assert!(share.replace('\n', " ").contains("the part of the makespan"), "{share}");
}

#[test]
fn rows_of_processes_name_iteration_step_rank_and_share() {
    let scratch = Scratch::with(&[("job.toml", JOB)]);
    let rows = scratch.path("rows.csv");
    done(&["run", &scratch.path("job.toml"), "--processes", &rows]);
    let (header, rows) = csv_table(&scratch.read("rows.csv"));
    assert_eq!(header[14..], ["iteration", "step", "rank", "share"]);
    // A computation has one stage, the ring has 14.
    assert_eq!(rows.len(), 2 * 8 * (1 + 14 + 1));
    let backward: Vec<&Vec<String>> =
        rows.iter().filter(|row| row[3] == "3" && row[15] == "backward").collect();
    assert_eq!(backward.len(), 2);
    assert_eq!(backward[0][14..], ["0", "backward", "3", "0"]);
    assert_eq!((backward[0][5].as_str(), backward[1][14].as_str()), ("160", "1"));
}

#[test]
fn a_timeline_of_a_job_has_a_lane_a_step() {
    let scratch = Scratch::with(&[("job.toml", JOB)]);
    done(&["draw", "timeline", &scratch.path("job.toml"), "--output", &scratch.path("t.svg")]);
    let svg = scratch.read("t.svg");
    assert_eq!(svg.matches("class=\"mark\"").count(), 6);
    assert!(svg.contains("gradients, iteration 1: messages, cycles "));
}

#[test]
fn a_measured_matrix_weighs_distances_by_its_sizes() {
    let matrix = "0,40,0,0\n0,5,7,0\n130,0,0,0\n0,1,0,0\n";
    let scenario = "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"traffic\", file = \"m.csv\", rounds = 2 }\n\
                    mapping.embeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("s.toml", scenario), ("m.csv", matrix)]);
    let path = scratch.path("s.toml");
    let placement = &json(&["measure", &path])["placements"][0]["placement"];
    // 40 and 7 units over one link, 130 and 1 over two, twice.
    let hop_units = 2 * (40 + 7 + 2 * 130 + 2);
    assert_eq!(placement["hop_units"], hop_units);
    assert_eq!(placement["weighted_distance"], f64::from(hop_units) / f64::from(2 * 178));
    assert_eq!(json(&["run", &path])["runs"][0]["unit_hops"], hop_units);
    let page = done(&["measure", &path]);
    assert!(
        page.contains("hop units") && page.contains("1 entry on the diagonal, 5, is not sent."),
        "{page}"
    );
    assert!(done(&["check", &path]).contains("1 entry on the diagonal, 5, is not sent."));
    assert!(done(&["run", &path]).contains("1 entry on the diagonal, 5, is not sent."));
}

#[test]
fn a_wrong_matrix_is_shown_with_its_line() {
    let scenario =
        "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"traffic\", file = \"m.csv\" }\n";
    let scratch = Scratch::with(&[("s.toml", scenario), ("m.csv", "0,1\n-3,0\n")]);
    let finished = run(&["check", &scratch.path("s.toml")]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("an entry is -3, expected at least 0"), "{}", finished.stderr);
    assert!(finished.stderr.contains("m.csv:2:1"), "{}", finished.stderr);
}

pub(super) const PIPELINE: &str = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nshape = [4]\n[[program.steps]]\nname = \"pass\"\n\
                        kind = \"pipeline\"\nover = [0]\nmicrobatches = 8\nschedule = \"1f1b\"\nunits = 2\n\
                        forward = [{ compute_cycles = 10 }]\nbackward = [{ compute_cycles = 20 }]\n\
                        [[program.steps]]\nname = \"update\"\ncompute_cycles = 7\n";

#[test]
fn pipelines_stand_in_a_table_and_their_steps_where_they_are_asked_for() {
    let scratch = Scratch::with(&[("p.toml", PIPELINE)]);
    let path = scratch.path("p.toml");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>().join(" ");
    for command in ["run", "compare"] {
        let page = done(&[command, &path, "--format", "markdown"]);
        let rows: Vec<String> = page.lines().map(cells).collect();
        assert!(rows.contains(&" pipeline begin finish task count least greatest ".into()), "{page}");
        assert!(rows.iter().any(|row| row.starts_with(" pass 0 ") && row.contains(" B send 24 ")), "{page}");
        assert!(rows.iter().any(|row| row.starts_with(" update computation 4 ")), "{page}");
        assert!(!page.contains("F0.0.0"), "{page}");
        assert!(page.contains("job of 113 steps: 65 computation, 48 send"), "{page}");
        let all = done(&[command, &path, "--steps", "--format", "markdown"]);
        let is_step = |line: &&str| line.starts_with("| pass F0.") || line.starts_with("| pass B0.");
        assert_eq!(all.lines().filter(is_step).count(), 64 + 48, "{all}");
    }
    let record = &json(&["run", &path])["runs"][0];
    assert_eq!(record["pipelines"][0]["name"], "pass");
    assert_eq!(record["pipelines"][0]["tasks"][0]["count"], 32);
    assert_eq!(record["steps"][0]["name"], "pass F0.0.0 compute");
    assert_eq!(record["steps"][0]["pipeline"], "pass");
    assert_eq!(record["program"]["steps"].as_array().unwrap().len(), 64 + 48 + 1);
    let check = done(&["check", &path]);
    assert!(check.contains("Pipeline \"pass\" is written out as 112 steps"), "{check}");
    assert_eq!(json(&["check", &path])["runs"][0]["program"]["steps"].as_array().unwrap().len(), 113);
    let page = done(&["report", &path, "--quiet"]);
    assert!(page.contains("Table of pipelines") && page.contains("id=\"term-pipelines\""));
}

#[test]
fn timelines_of_pipelines_have_lanes_of_ranks_or_of_stages() {
    let scratch = Scratch::with(&[("p.toml", PIPELINE)]);
    let path = scratch.path("p.toml");
    let ranks = done(&["draw", "timeline", &path]);
    assert!(ranks.contains("rank 3 waits for other ranks, cycles 0 to "), "{ranks}");
    let steps = done(&["draw", "timeline", &path, "--lanes", "steps"]);
    assert!(
        steps.contains("pass F0 stage 3") && steps.contains("pass F0.7.3 compute, iteration 0"),
        "{steps}"
    );
}
