//! The records of the scenarios with sizes.

use std::path::Path;

use cubefold_scenario::load;

use super::*;

#[test]
fn the_scenarios_with_sizes_say_units_seconds_and_the_busiest_link() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let records = |name: &str| {
        let runs = load(&[folder.join(name)]).unwrap().remove(0).runs;
        let records = runs.iter().enumerate().map(|(place, run)| record_at(run, place));
        records.collect::<Vec<_>>()
    };
    for record in records("sized-messages.toml") {
        assert_eq!((record.units, record.program.message_bytes), (1 << 20, Some(64 << 20)));
        let (seconds, goodput) = (record.makespan_seconds.unwrap(), record.goodput_bytes_per_second.unwrap());
        // No stage is shorter than its computation, its latency and its message: 8 of 1.34 ms.
        assert!((0.0107..1.0).contains(&seconds), "{seconds}");
        assert!((goodput * seconds / f64::from(64 << 20) - 1.0).abs() < 1e-9);
        assert!(record.link_busy_max_cycles.unwrap() >= 1 << 20);
        assert_eq!(record.busiest_link_to.as_ref().map(Vec::len), Some(3));
    }
    let listed = records("stages.toml");
    assert_eq!(listed.len(), 3);
    for record in &listed {
        assert_eq!((record.units, record.messages, record.overlapped_cycles), (16, Some(13), Some(0)));
        assert_eq!((record.makespan_seconds, record.stages.len()), (None, 4));
    }
    // Under standard, 4 messages of 16 units cross one link each, one of 8 crosses 4 links, and 8 of 1 cross
    // one.
    assert_eq!((listed[0].unit_hops, listed[0].hops), (Some(64 + 32 + 8), Some(4 + 4 + 8)));
    assert_eq!(listed[0].busiest_link_from.as_deref(), Some(&[0][..]));
}
