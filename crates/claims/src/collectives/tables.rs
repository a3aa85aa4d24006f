//! Printed figures: runtimes of 32 bytes, goodput, and TACOS' tests.

/// A torus with its runtimes \[us\].
pub(super) type Runtimes = (&'static [u64], Option<u64>, f64, f64, f64);

/// Runtimes of an all-reduce of 32 bytes \[us\] (Swing 2024, figures 6, 10, 11 and 14; ring in whole
/// milliseconds except on 8x8): the torus, ring where there is one, bucket, recursive doubling, Swing.
pub(super) const RUNTIMES: [Runtimes; 7] = [
    (&[8, 8], Some(120), 25.0, 8.7, 7.0),
    (&[8, 8, 8], None, 38.0, 13.0, 10.0),
    (&[64, 16], Some(2000), 230.0, 36.0, 26.0),
    (&[128, 8], Some(2000), 464.0, 59.0, 41.0),
    (&[256, 4], Some(2000), 932.0, 109.0, 74.0),
    (&[8, 8, 8, 8], None, 51.0, 17.0, 14.0),
    (&[64, 64], Some(7000), 230.0, 57.0, 40.0),
];

/// A published curve: sizes \[KiB\] with the goodput \[Gb/s\], from 2 Gb/s on, digitised from the vector
/// figures with an error of 0.1 Gb/s.
pub(super) type Curve = &'static [(u64, f64)];

const MIB: u64 = 1024;
const GIB: u64 = 1024 * MIB;

/// Ring, figure 11.
pub(super) const RING_8X8: Curve = &[
    (128, 9.2),
    (512, 36.5),
    (2 * MIB, 124.0),
    (8 * MIB, 339.0),
    (32 * MIB, 602.0),
    (128 * MIB, 746.0),
    (512 * MIB, 793.0),
    (2 * GIB, 806.0),
];

/// Ring, figure 6.
pub(super) const RING_64X64: Curve =
    &[(8 * MIB, 9.0), (32 * MIB, 35.9), (128 * MIB, 122.0), (512 * MIB, 334.0)];

/// Bucket, figure 6.
pub(super) const BUCKET_64X64: Curve = &[
    (512, 18.2),
    (2 * MIB, 66.8),
    (8 * MIB, 214.0),
    (32 * MIB, 477.0),
    (128 * MIB, 680.0),
    (512 * MIB, 763.0),
];

/// Bucket, figure 11.
pub(super) const BUCKET_8X8: Curve = &[
    (32, 10.3),
    (128, 40.9),
    (512, 138.0),
    (2 * MIB, 355.0),
    (8 * MIB, 596.0),
    (32 * MIB, 719.0),
    (128 * MIB, 757.0),
    (512 * MIB, 768.0),
    (2 * GIB, 771.0),
];

/// Swing, figure 11.
pub(super) const SWING_8X8: Curve =
    &[(32 * MIB, 714.0), (128 * MIB, 735.0), (512 * MIB, 740.0), (2 * GIB, 742.0)];

/// Swing, figure 14.
pub(super) const SWING_8X8X8X8: Curve =
    &[(32 * MIB, 1328.0), (128 * MIB, 1515.0), (512 * MIB, 1570.0), (2 * GIB, 1583.0)];

/// Swing, figure 6, below the sizes at which buffers fill.
pub(super) const SWING_64X64: Curve = &[(8 * MIB, 387.0), (32 * MIB, 584.0)];

/// Swing, figure 6, at the largest sizes.
pub(super) const SWING_64X64_LARGE: Curve = &[(128 * MIB, 628.0), (512 * MIB, 621.0)];

/// An all-gather of TACOS' tests: the torus, the vector \[GiB\], the chunks of a process, the rounds and
/// the time \[us\]. A link has 50 GiB/s and 0.5 us.
pub(super) const TACOS: [(&[u64], u64, u64, u64, f64); 3] =
    [(&[3, 3, 3], 1, 1, 5, 3706.20), (&[3, 4, 5], 2, 2, 20, 6676.67), (&[4, 2, 3], 3, 3, 14, 11673.67)];
