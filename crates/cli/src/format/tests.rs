//! Formats and columns, by option, extension and default.

use super::*;

#[test]
fn a_misspelt_column_is_answered_by_the_nearest() {
    let known = ["makespan_cycles", "dilation", "queue"].map(str::to_owned);
    let refused = unknown_column("makspan_cycles", &known).to_string();
    assert!(refused.contains("did you mean makespan_cycles?"), "{refused}");
    let refused = unknown_column("zzqq", &known).to_string();
    assert!(refused.contains("expected one of makespan_cycles, dilation, queue"), "{refused}");
}

#[test]
fn the_option_comes_before_the_extension_and_that_before_the_default() {
    let decide = |asked, path| ResultFormat::decide(asked, path).unwrap();
    assert_eq!(decide(Some(ResultFormat::Json), Some(Path::new("a.csv"))), ResultFormat::Json);
    assert_eq!(decide(None, Some(Path::new("a.csv"))), ResultFormat::Csv);
    assert_eq!(decide(None, Some(Path::new("a.md"))), ResultFormat::Markdown);
    assert_eq!(decide(None, Some(Path::new("-"))), ResultFormat::Table);
    assert_eq!(decide(None, None), ResultFormat::Table);
    assert_eq!(decide(None, Some(Path::new("results"))), ResultFormat::Table);
    assert_eq!(decide(None, Some(Path::new("A.TXT"))), ResultFormat::Table);
    assert_eq!(decide(Some(ResultFormat::Table), Some(Path::new("a.xlsx"))), ResultFormat::Table);
    let refused = ResultFormat::decide(None, Some(Path::new("a.xlsx"))).unwrap_err().to_string();
    let said = "this command writes no .xlsx, expected .txt, .json, .jsonl, .csv, .parquet, .md, .tex\n";
    assert!(refused.starts_with(said), "{refused}");
    assert_eq!(decide(None, Some(Path::new("a.parquet"))), ResultFormat::Parquet);
    assert!(PlacementFormat::decide(None, Some(Path::new("a.parquet"))).is_err());
    assert_eq!(PlacementFormat::decide(None, Some(Path::new("a.npy"))).unwrap(), PlacementFormat::Npy);
}

#[test]
fn a_program_is_written_in_the_format_of_the_extension() {
    let decide = |path| ExportFormat::decide(None, Some(Path::new(path))).unwrap().0;
    assert_eq!(decide("program.goal"), ProgramFormat::GOAL);
    assert_eq!(decide("program.csv"), ProgramFormat::STAGES);
    assert_eq!(decide("program.xml"), ProgramFormat::MSCCL_XML);
    assert_eq!(decide("program"), ProgramFormat::GOAL);
    assert!(ExportFormat::decide(None, Some(Path::new("e.xlsx"))).is_err());
}

#[test]
fn every_format_of_a_launcher_can_be_asked_for_by_its_name() {
    for format in LauncherFormat::ALL {
        let asked = PlacementFormat::from_str(format.name(), false);
        assert_eq!(asked, Ok(PlacementFormat::Launcher(format)));
    }
}
