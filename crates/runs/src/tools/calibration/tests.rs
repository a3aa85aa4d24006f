//! Fits of exact lines, of protocols and of noise.
#![allow(clippy::cast_precision_loss, reason = "sizes of tests are small")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use cubefold_formats::benchmark::Point;

use super::*;

fn named(kind: SeriesKind, points: Vec<Point>) -> Measurement {
    Measurement { name: "m.txt".to_owned(), benchmark: String::new(), kind, points, left_out: 0 }
}

const RING: SeriesKind = SeriesKind::Collective { name: "all-reduce", ranks: 8, steps: 14, wire_share: 1.75 };

fn series(kind: SeriesKind, startup: f64, rate: f64) -> Measurement {
    let mut measurement = named(kind, vec![]);
    for bytes in [0, 1, 64, 1024, 65536, 1 << 20, 1 << 40] {
        let seconds = startup + measurement.wire_bytes(bytes) / rate;
        if seconds > 0.0 {
            measurement.points.push(Point { bytes, seconds });
        }
    }
    measurement
}

fn is_near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-6
}

#[test]
fn runs_of_one_size_each_are_one_series() {
    let whole = series(SeriesKind::Single, 2e-6, 5e9);
    let one =
        |name: &str, point| Measurement { name: name.to_owned(), ..named(SeriesKind::Single, vec![point]) };
    let runs = vec![one("b.txt", whole.points[6]), one("a.txt", whole.points[0])];
    let calibration = Calibration::new(runs, 1).unwrap();
    assert!(is_near(calibration.latency_seconds(), 2e-6) && is_near(calibration.bytes_per_second(), 5e9));
    assert!(calibration.to_string().contains("# b.txt, a.txt (one message at a time, 2 sizes)"));
}

#[test]
fn the_second_log_of_a_kind_is_said_to_be_unused() {
    let of =
        |name: &str, rate| Measurement { name: name.to_owned(), ..series(SeriesKind::Streaming, 1e-7, rate) };
    let calibration = Calibration::new(vec![of("a.txt", 5e9), of("b.txt", 9e9)], 1).unwrap();
    assert!(is_near(calibration.bytes_per_second(), 5e9));
    let text = calibration.to_string();
    assert!(text.contains("# Not used for the machine: a.txt is of its kind and came first."), "{text}");
    let alone = Calibration::new(vec![of("a.txt", 5e9), series(SeriesKind::Single, 2e-6, 4e9)], 1).unwrap();
    assert!(!alone.to_string().contains("Not used"));
}

#[test]
fn exact_lines_are_found_again() {
    for kind in [SeriesKind::Single, SeriesKind::Streaming, RING] {
        let fitted = FittedSeries::fit(series(kind, 2e-6, 5e9)).unwrap();
        assert!(is_near(fitted.startup_seconds(), 2e-6) && is_near(fitted.bytes_per_second, 5e9), "{kind}");
        assert!(fitted.residuals().all(|residual| residual.abs() < 1e-6));
    }
    let none = FittedSeries::fit(series(SeriesKind::Streaming, 0.0, 5e9)).unwrap();
    assert!(none.startup_seconds() < 1e-15 && is_near(none.bytes_per_second, 5e9));
}

/// Worked by hand: a message costs 0.4 us at either end, the latency of two links is 2 us - 0.8 us.
#[test]
fn the_cost_of_a_message_is_told_from_latency_by_the_bandwidth_benchmark() {
    let (single, streaming) =
        (series(SeriesKind::Single, 2e-6, 4e9), series(SeriesKind::Streaming, 4e-7, 5e9));
    let both = Calibration::new(vec![single.clone(), streaming], 2).unwrap();
    assert!(is_near(both.startup_seconds().unwrap(), 4e-7));
    assert!(is_near(both.latency_seconds(), 6e-7) && is_near(both.bytes_per_second(), 5e9));
    let alone = Calibration::new(vec![single], 1).unwrap();
    assert_eq!(alone.startup_seconds(), None);
    assert!(is_near(alone.latency_seconds(), 2e-6) && is_near(alone.bytes_per_second(), 4e9));
    let ring = series(RING, 14e-6, 1e11);
    let ring = Calibration::new(vec![ring], 1).unwrap();
    assert!(is_near(ring.latency_seconds(), 1e-6) && is_near(ring.bytes_per_second(), 1e11));
}

#[test]
fn small_residuals_have_no_sign() {
    assert_eq!(format!("{:.1} {:.1}", percent(-0.0004), percent(-0.0006)), "0.0 -0.1");
    let text = Calibration::new(vec![series(SeriesKind::Single, 2e-6, 4e9)], 1).unwrap().to_string();
    assert!(text.contains(" 0.0 %") && !text.contains("-0.0"), "{text}");
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let message = |points: &[(u64, f64)]| {
        let points = points.iter().map(|&(bytes, seconds)| Point { bytes, seconds }).collect();
        let measurement = named(SeriesKind::Single, points);
        Calibration::new(vec![measurement], 1).unwrap_err().to_string()
    };
    assert_eq!(message(&[(8, 1.0), (8, 2.0)]), "m.txt: 1 size, expected at least two different ones");
    let flat =
        "m.txt: 2.00 s at 1 B and 1.00 s at 1024 B, expected sizes so large that the time grows with them";
    assert_eq!(message(&[(1, 2.0), (1024, 1.0)]), flat);
    assert_eq!(Calibration::new(vec![], 1), Err(CalibrationError::Nothing));
}

/// Times in us of sizes in B, one message at a time.
fn single(points: &[(u64, f64)]) -> FittedSeries {
    let points = points.iter().map(|&(bytes, us)| Point { bytes, seconds: us * 1e-6 }).collect();
    FittedSeries::fit(named(SeriesKind::Single, points)).unwrap()
}

#[test]
fn every_protocol_has_its_line() {
    // 1 us and 5 GB/s up to 8 KiB, then 4 us and 20 GB/s.
    let sizes = (0..=26).map(|power| 1_u64 << power);
    let time = |bytes: u64| if bytes <= 8192 { 1.0 + bytes as f64 / 5e3 } else { 4.0 + bytes as f64 / 2e4 };
    let fitted = single(&sizes.map(|bytes| (bytes, time(bytes))).collect::<Vec<_>>());
    let [small, large] = &fitted.protocols[..] else { panic!("{:?}", fitted.protocols) };
    assert_eq!(
        (small.first_bytes, small.last_bytes, large.first_bytes, large.last_bytes),
        (1, 8192, 16384, 1 << 26)
    );
    assert!(is_near(small.startup_seconds, 1e-6) && is_near(small.bytes_per_second.unwrap(), 5e9));
    assert!((large.startup_seconds / 4e-6 - 1.0).abs() < 0.05, "{large:?}");
    let highest = (1_u64 << 26) as f64 / (time(1 << 26) * 1e-6);
    assert!(fitted.bytes_per_second <= highest && fitted.bytes_per_second > 0.995 * highest);
    let text = Calibration::new(vec![fitted.measurement], 1).unwrap().to_string();
    assert!(text.contains("sizes 1 to 8192 B: time = 1.00 us + bytes / 5.00 GB/s"), "{text}");
    assert!(
        text.contains("sizes 16384 to 67108864 B: time = 4.") && text.contains("The protocol changes."),
        "{text}"
    );
    assert!(text.contains("latency = \"1 us\""), "{text}");
}

#[test]
fn no_fit_goes_beyond_the_measured_rates() {
    check_fits(400);
}

#[test]
#[ignore = "long"]
fn none_of_many_fits_goes_beyond_the_measured_rates() {
    check_fits(2000);
}

fn check_fits(cases: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for case in 0..cases {
        let (startup, rate): (f64, f64) = (random.random_range(0.1..50.0), random.random_range(1.0..1e5));
        let (jump, at) = (random.random_range(0.2..5.0), 1_u64 << random.random_range(1_u32..20));
        let (noise, count) = (random.random_range(0.0..0.4), random.random_range(2_u32..24));
        let points: Vec<(u64, f64)> = (0..count)
            .map(|power| {
                let bytes = 1_u64 << power;
                let startup = if bytes < at { startup } else { startup * jump };
                (bytes, (startup + bytes as f64 / rate) * random.random_range(1.0 - noise..=1.0 + noise))
            })
            .collect();
        let measured = points.iter().map(|&(bytes, us)| Point { bytes, seconds: us * 1e-6 }).collect();
        let measurement = named(SeriesKind::Single, measured);
        let largest = measurement.largest_rate();
        let Ok(fitted) = FittedSeries::fit(measurement.clone()) else { continue };
        for protocol in &fitted.protocols {
            assert!(protocol.startup_seconds >= 0.0, "{case}");
            assert!(
                protocol
                    .bytes_per_second
                    .is_none_or(|bytes_per_second| bytes_per_second <= largest * (1.0 + 1e-12)),
                "{case}"
            );
        }
        let sizes: Vec<u64> = fitted
            .protocols
            .iter()
            .flat_map(|protocol| [protocol.first_bytes, protocol.last_bytes])
            .collect();
        assert!(sizes.is_sorted() && sizes[0] == 1 && sizes.last() == Some(&(1 << (count - 1))), "{case}");
        let written = Calibration::new(vec![measurement], 1).unwrap().to_string();
        assert!(written.starts_with("[machine]\nlink = { bandwidth = "), "{case}");
    }
}

#[test]
fn noise_alone_makes_no_protocols() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for case in 0..300 {
        let points: Vec<(u64, f64)> = (0..24)
            .map(|power| {
                let bytes = 1_u64 << power;
                (bytes, (2.0 + bytes as f64 / 1e4) * random.random_range(0.95..1.05))
            })
            .collect();
        assert_eq!(single(&points).protocols.len(), 1, "{case}");
    }
}

#[test]
fn parameters_beyond_a_scenario_are_refused() {
    let points = vec![Point { bytes: 1, seconds: 1e30 }, Point { bytes: 1 << 20, seconds: 1e36 }];
    let error = Calibration::new(vec![named(SeriesKind::Single, points)], 1).unwrap_err().to_string();
    assert!(error.starts_with("the fitted link is { bandwidth"), "{error}");
}
