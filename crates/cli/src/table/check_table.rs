//! The page of `cubefold check`.

use cubefold_experiment::{
    Scenario,
    export::{PlannedRun, RunCaption},
};

use super::{
    Page, TextTable,
    results_page::{short_names, swept_paths, swept_values},
};
use crate::grouping::{by_scenario, captions};

/// The runs of each scenario, with what they differ in.
pub(crate) fn check_table(scenarios: &[Scenario], planned: &[PlannedRun]) -> Page {
    let mut page = Page::default();
    for ((scenario, planned), read) in by_scenario(&captions(scenarios), planned).zip(scenarios) {
        page.heading(&format!("{} ({})", scenario.name, read.path.display()));
        let mut header = vec!["run".to_owned()];
        let paths = swept_paths(scenario.runs.iter());
        header.extend(short_names(&paths));
        header.extend(["embedding", "processes", "nodes", "stages"].map(str::to_owned));
        let words = header.len() - 3;
        let row = |(run, plan): (&RunCaption, &PlannedRun)| {
            let mut row = vec![plan.run.to_string()];
            row.extend(swept_values(run, &paths));
            row.push(plan.embedding.clone());
            row.extend([plan.processes, plan.nodes, plan.stages].map(|number| number.to_string()));
            row
        };
        let rows = scenario.runs.iter().zip(planned).map(row).collect();
        page.table(TextTable { header, rows, words, gives_way: &[] });
    }
    let runs = planned.len();
    page.notes(vec![match runs {
        1 => "No errors; 1 run.".to_owned(),
        runs => format!("No errors; {runs} runs."),
    }]);
    page
}
