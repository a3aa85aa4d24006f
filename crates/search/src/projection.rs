//! A lower bound of the quadratic assignment problem by eigenvalues: the projection bound (Hadley, Rendl & Wolkowicz 1992).
//!
//! For symmetric matrices `A` and `D` of `n` rows and a permutation `X`, `X = V Y V' + J / n` with the columns of `V` an
//! orthonormal basis of the vectors whose entries sum to 0, `Y` orthogonal, and `J` all ones. So `tr A X D X'` is at least
//! the sum of the eigenvalues of `V' A V`, ascending, times those of `V' D V`, descending, plus `2 / n` times the least sum
//! of products of row sums, less the product of all sums divided by `n^2`.

use crate::eigen::{Decomposition, add_scaled, norm};

/// Half the unit in the last place of 1.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// A symmetric matrix in parts: its row sums, and its action on vectors whose entries sum to 0.
#[derive(Debug)]
struct Parts {
    sums: Vec<f64>,
    projected: Vec<f64>, // one row and one column smaller
    decomposition: Decomposition,
    norm: f64,
}

/// Distances of places, prepared for the bounds of many matrices of flows.
#[derive(Debug)]
pub(crate) struct Projection {
    size: usize,
    distances: Parts,
    sorted_sums: Vec<f64>, // descending
    reflector: Vec<f64>,
    error: f64, // of the eigenvalues
}

/// A bound, and the matrix of distances between tokens that attains it.
#[derive(Debug)]
pub(crate) struct Projected {
    /// The bound of half the trace.
    pub(crate) value: f64,
    /// The distances, by token and token.
    pub(crate) distances: Vec<f64>,
}

impl Projection {
    /// Prepares distances, given by rows; `None` for fewer than two places, or if no eigenvalues were found.
    pub(crate) fn new(distances: &[f64], size: usize) -> Option<Self> {
        if size < 2 {
            return None;
        }
        // The reflection that exchanges the first unit vector with the one along all ones.
        let ones = 1.0 / f64::sqrt(f64::from(u32::try_from(size).ok()?));
        let mut reflector = vec![-ones; size];
        reflector[0] += 1.0;
        let length = norm(&reflector);
        reflector.iter_mut().for_each(|entry| *entry /= length);
        let distances = Parts::of(distances, &reflector)?;
        let mut sorted_sums = distances.sums.clone();
        sorted_sums.sort_by(|one, other| other.total_cmp(one));
        let error = distances.error();
        Some(Self { size, distances, sorted_sums, reflector, error })
    }

    /// The bound of half the trace for a matrix of flows, rounding ignored, and where it is attained.
    pub(crate) fn of(&self, flows: &[f64]) -> Option<Projected> {
        let parts = Parts::of(flows, &self.reflector)?;
        let (size, value) = (self.size, self.value(&parts) / 2.0);
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&one, &other| parts.sums[one].total_cmp(&parts.sums[other]));
        let mut sums = vec![0.0; size];
        for (&token, &sum) in order.iter().zip(&self.sorted_sums) {
            sums[token] = sum;
        }
        // The eigenvalues of the distances on the vectors of the flows, in opposite order.
        let mut distances = vec![0.0; size * size];
        let vectors = parts.decomposition.vectors.chunks_exact(size - 1);
        for (vector, value) in vectors.zip(self.distances.decomposition.values.iter().rev()) {
            for (row, factor) in vector.iter().enumerate() {
                add_scaled(&mut distances[(row + 1) * size + 1..(row + 2) * size], vector, value * factor);
            }
        }
        reflect(&mut distances, &self.reflector);
        let (count, all) = (self.count(), self.sorted_sums.iter().sum::<f64>());
        for (row, sum) in distances.chunks_exact_mut(size).zip(&sums) {
            for (entry, other) in row.iter_mut().zip(&sums) {
                *entry += (sum + other) / count - all / (count * count);
            }
        }
        Some(Projected { value, distances })
    }

    /// A lower bound of half the trace for any permutation, rounding errors included. The matrix of the errors of the
    /// flows themselves has at most the norm `off`.
    pub(crate) fn certain(&self, flows: &[f64], off: f64) -> Option<f64> {
        let parts = Parts::of(flows, &self.reflector)?;
        let absolute = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
        let (of_flows, of_distances) =
            (absolute(&parts.decomposition.values), absolute(&self.distances.decomposition.values));
        let count = self.count();
        let (first, second) = (parts.error(), self.error);
        // Each of the two norms bounds every sum of entries, and products have one term per row.
        let rounded = 400.0 * count * count * ROUNDING * parts.norm * self.distances.norm;
        let eigenvalues = second * of_flows + first * of_distances + count * first * second;
        let margin = eigenvalues + rounded + off * self.distances.norm;
        let value = (self.value(&parts) - margin) / 2.0;
        value.is_finite().then_some(value)
    }

    #[expect(clippy::cast_precision_loss, reason = "at most some hundred")]
    fn count(&self) -> f64 {
        self.size as f64
    }

    /// The bound of the trace.
    fn value(&self, flows: &Parts) -> f64 {
        let (values, distances) = (&flows.decomposition.values, &self.distances.decomposition.values);
        let spectral: f64 = values.iter().zip(distances.iter().rev()).map(|(one, other)| one * other).sum();
        let mut sums = flows.sums.clone();
        sums.sort_by(f64::total_cmp);
        let linear: f64 = sums.iter().zip(&self.sorted_sums).map(|(one, other)| one * other).sum();
        let (all, others) = (sums.iter().sum::<f64>(), self.sorted_sums.iter().sum::<f64>());
        let count = self.count();
        spectral + 2.0 / count * linear - all * others / (count * count)
    }
}

impl Parts {
    fn of(matrix: &[f64], reflector: &[f64]) -> Option<Self> {
        let size = reflector.len();
        let sums = matrix.chunks_exact(size).map(|row| row.iter().sum()).collect();
        let mut reflected = matrix.to_vec();
        reflect(&mut reflected, reflector);
        let rows = reflected.chunks_exact(size).skip(1);
        let projected: Vec<f64> = rows.flat_map(|row| row[1..].iter().copied()).collect();
        let decomposition = Decomposition::of(&projected, size - 1)?;
        Some(Self { sums, projected, decomposition, norm: norm(matrix) })
    }

    /// The largest error of its eigenvalues.
    #[expect(clippy::cast_precision_loss, reason = "at most some hundred")]
    fn error(&self) -> f64 {
        let count = self.sums.len() as f64;
        self.decomposition.error(&self.projected) + 100.0 * count * count * ROUNDING * self.norm
    }
}

/// Reflects the rows and columns of a symmetric matrix: `H M H` with `H = I - 2 w w'`.
fn reflect(matrix: &mut [f64], reflector: &[f64]) {
    let size = reflector.len();
    let product = |row: &[f64]| -> f64 { row.iter().zip(reflector).map(|(a, b)| a * b).sum() };
    let mut products: Vec<f64> = matrix.chunks_exact(size).map(product).collect();
    let both = product(&products);
    add_scaled(&mut products, reflector, -both);
    for ((row, product), vector) in matrix.chunks_exact_mut(size).zip(&products).zip(reflector) {
        add_scaled(row, &products, -2.0 * vector);
        add_scaled(row, reflector, -2.0 * product);
    }
}
