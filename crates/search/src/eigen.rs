//! Eigenvalues and eigenvectors of symmetric matrices: Householder's reduction to tridiagonal form and implicit QL
//! (Martin, Reinsch & Wilkinson 1968; Dubrulle, Martin & Wilkinson 1968), whose results are verified, not trusted.

/// The most iterations for one eigenvalue; a few are usual.
const MAX_ITERATIONS: usize = 60;

/// Eigenvalues, ascending, with their vectors.
#[derive(Debug, Clone)]
pub(crate) struct Decomposition {
    pub(crate) values: Vec<f64>,
    /// The vectors, each a row of equally many numbers, in the order of the values.
    pub(crate) vectors: Vec<f64>,
}

impl Decomposition {
    /// Decomposes a symmetric matrix, given by rows; `None` if an eigenvalue is not found.
    pub(crate) fn of(matrix: &[f64], size: usize) -> Option<Self> {
        if size == 0 {
            return Some(Self { values: vec![], vectors: vec![] });
        }
        let mut tridiagonal = Tridiagonal {
            size,
            columns: matrix.to_vec(),
            diagonal: vec![0.0; size],
            off_diagonal: vec![0.0; size],
        };
        tridiagonal.reduce();
        tridiagonal.accumulate();
        tridiagonal.diagonalise()?;
        let Tridiagonal { columns, diagonal, .. } = tridiagonal;
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&one, &other| diagonal[one].total_cmp(&diagonal[other]));
        Some(Self {
            values: order.iter().map(|&place| diagonal[place]).collect(),
            vectors: order
                .iter()
                .flat_map(|&place| columns[place * size..(place + 1) * size].iter().copied())
                .collect(),
        })
    }

    /// The largest error of these eigenvalues, apart from the rounding of this sum itself: by Weyl at most
    /// `|M - Q' L Q|`, and by Ostrowski `|Q Q' - I|` times the largest.
    pub(crate) fn error(&self, matrix: &[f64]) -> f64 {
        let size = self.values.len();
        let rows = || self.vectors.chunks_exact(size.max(1));
        let mut left = matrix.to_vec();
        for (value, vector) in self.values.iter().zip(rows()) {
            for (row, factor) in left.chunks_exact_mut(size.max(1)).zip(vector) {
                add_scaled(row, vector, -value * factor);
            }
        }
        let mut skew = 0.0;
        for (one, first) in rows().enumerate() {
            for (other, second) in rows().enumerate() {
                let product: f64 = first.iter().zip(second).map(|(a, b)| a * b).sum();
                skew += (product - f64::from(u8::from(one == other))).powi(2);
            }
        }
        let largest = self.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        norm(&left) + skew.sqrt() * largest
    }
}

/// The square root of the sum of all squares.
pub(crate) fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number * number).sum::<f64>().sqrt()
}

/// Adds `factor` times another row.
#[inline]
pub(crate) fn add_scaled(row: &mut [f64], other: &[f64], factor: f64) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry += factor * other);
}

/// A matrix being reduced to its eigenvalues.
struct Tridiagonal {
    size: usize,
    columns: Vec<f64>, // consecutive columns of the matrix, then its reflections, finally its vectors
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
}

impl Tridiagonal {
    /// Reflects row after row, the last first, onto the one before it.
    fn reduce(&mut self) {
        let Self { size, columns, diagonal, off_diagonal } = self;
        let size = *size;
        for (place, entry) in diagonal.iter_mut().enumerate() {
            *entry = columns[place * size + size - 1];
        }
        for row in (1..size).rev() {
            let scale: f64 = diagonal[..row].iter().map(|entry| entry.abs()).sum();
            let mut square = 0.0;
            if scale == 0.0 {
                off_diagonal[row] = diagonal[row - 1];
                for column in 0..row {
                    diagonal[column] = columns[column * size + row - 1];
                    columns[column * size + row] = 0.0;
                    columns[row * size + column] = 0.0;
                }
            } else {
                for entry in &mut diagonal[..row] {
                    *entry /= scale;
                    square += *entry * *entry;
                }
                let last = diagonal[row - 1];
                let root = if last > 0.0 { -f64::sqrt(square) } else { f64::sqrt(square) };
                off_diagonal[row] = scale * root;
                square -= last * root;
                diagonal[row - 1] = last - root;
                reflect(columns, size, row, &mut diagonal[..row], &mut off_diagonal[..row], square);
            }
            diagonal[row] = square;
        }
    }

    /// The product of all reflections.
    fn accumulate(&mut self) {
        let Self { size, columns, diagonal, .. } = self;
        let size = *size;
        for place in 0..size - 1 {
            columns[place * size + size - 1] = columns[place * size + place];
            columns[place * size + place] = 1.0;
            let square = diagonal[place + 1];
            let (before, after) = columns.split_at_mut((place + 1) * size);
            let reflector = &mut after[..=place];
            if square != 0.0 {
                for column in before.chunks_exact_mut(size) {
                    let column = &mut column[..=place];
                    let product: f64 = reflector.iter().zip(&*column).map(|(a, b)| a * b).sum();
                    add_scaled(column, reflector, -product / square);
                }
            }
            reflector.fill(0.0);
        }
        for column in 0..size {
            diagonal[column] = columns[column * size + size - 1];
            columns[column * size + size - 1] = 0.0;
        }
        columns[size * size - 1] = 1.0;
    }

    /// Eliminates the off-diagonal by rotations; `None` if that does not converge.
    fn diagonalise(&mut self) -> Option<()> {
        let size = self.size;
        self.off_diagonal.rotate_left(1);
        self.off_diagonal[size - 1] = 0.0;
        let (mut shift, mut largest) = (0.0, 0.0_f64);
        for first in 0..size {
            largest = largest.max(self.diagonal[first].abs() + self.off_diagonal[first].abs());
            let is_small = |value: &f64| value.abs() <= f64::EPSILON * largest;
            let last = first + self.off_diagonal[first..].iter().position(is_small)?;
            let mut iterations = 0;
            while last > first && !is_small(&self.off_diagonal[first]) {
                iterations += 1;
                if iterations > MAX_ITERATIONS {
                    return None;
                }
                shift += self.step(first, last);
            }
            self.diagonal[first] += shift;
            self.off_diagonal[first] = 0.0;
        }
        Some(())
    }

    /// One implicit QL step between two places; returns the shift that it took off the diagonal from the first on.
    fn step(&mut self, first: usize, last: usize) -> f64 {
        let Self { size, columns, diagonal, off_diagonal } = self;
        let before = diagonal[first];
        let ratio = (diagonal[first + 1] - before) / (2.0 * off_diagonal[first]);
        let root = (ratio * ratio + 1.0).sqrt().copysign(ratio);
        diagonal[first] = off_diagonal[first] / (ratio + root);
        diagonal[first + 1] = off_diagonal[first] * (ratio + root);
        let (next, shift) = (diagonal[first + 1], before - diagonal[first]);
        diagonal[first + 2..].iter_mut().for_each(|value| *value -= shift);
        let (mut value, mut cosines, mut sines) = (diagonal[last], [1.0; 3], [0.0; 2]);
        let next_off_diagonal = off_diagonal[first + 1];
        for place in (first..last).rev() {
            cosines = [cosines[0], cosines[0], cosines[1]];
            sines = [sines[0], sines[0]];
            let (across, along) = (cosines[0] * off_diagonal[place], cosines[0] * value);
            let length = (value * value + off_diagonal[place] * off_diagonal[place]).sqrt();
            off_diagonal[place + 1] = sines[0] * length;
            (sines[0], cosines[0]) = (off_diagonal[place] / length, value / length);
            value = cosines[0] * diagonal[place] - sines[0] * across;
            diagonal[place + 1] = along + sines[0] * (cosines[0] * across + sines[0] * diagonal[place]);
            let (low, high) = columns.split_at_mut((place + 1) * *size);
            for (low, high) in low[place * *size..].iter_mut().zip(&mut high[..*size]) {
                (*low, *high) = (cosines[0] * *low - sines[0] * *high, sines[0] * *low + cosines[0] * *high);
            }
        }
        value = -sines[0] * sines[1] * cosines[2] * next_off_diagonal * off_diagonal[first] / next;
        (off_diagonal[first], diagonal[first]) = (sines[0] * value, cosines[0] * value);
        shift
    }
}

/// Reflects the rows and columns before `row` by a vector whose square is twice `square`, and keeps it in its column.
fn reflect(
    columns: &mut [f64],
    size: usize,
    row: usize,
    vector: &mut [f64],
    product: &mut [f64],
    square: f64,
) {
    product.fill(0.0);
    for column in 0..row {
        let value = vector[column];
        columns[row * size + column] = value;
        let below = &columns[column * size + column + 1..column * size + row];
        let mut sum = product[column] + columns[column * size + column] * value;
        for ((entry, vector), product) in
            below.iter().zip(&vector[column + 1..]).zip(&mut product[column + 1..])
        {
            sum += entry * vector;
            *product += entry * value;
        }
        product[column] = sum;
    }
    let mut both = 0.0;
    for (product, vector) in product.iter_mut().zip(&*vector) {
        *product /= square;
        both += *product * vector;
    }
    add_scaled(product, vector, -both / (square + square));
    for column in 0..row {
        let (value, factor) = (vector[column], product[column]);
        let below = &mut columns[column * size + column..column * size + row];
        for ((entry, product), vector) in below.iter_mut().zip(&product[column..]).zip(&vector[column..]) {
            *entry -= value * product + factor * vector;
        }
        vector[column] = columns[column * size + row - 1];
        columns[column * size + row] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn every_matrix_is_that_of_its_eigenvalues() {
        let mut generator = ChaCha8Rng::seed_from_u64(3);
        for size in 0..40 {
            let mut matrix = vec![0.0; size * size];
            for (row, column) in (0..size).flat_map(|row| (0..=row).map(move |column| (row, column))) {
                // Many equal entries and zeros, like distances.
                let entry = f64::from(generator.random_range(-2_i8..=2));
                matrix[row * size + column] = entry;
                matrix[column * size + row] = entry;
            }
            let found = Decomposition::of(&matrix, size).unwrap();
            assert!(found.error(&matrix) < 1e-11, "{size}: {}", found.error(&matrix));
            assert!(found.values.is_sorted());
        }
    }

    #[test]
    fn a_ring_has_its_cosines() {
        let matrix: Vec<f64> = (0..36)
            .map(|place| f64::from(u8::from([1, 5].contains(&((place / 6 + 6 - place % 6) % 6)))))
            .collect();
        let values = Decomposition::of(&matrix, 6).unwrap().values;
        for (value, expected) in values.iter().zip([-2.0, -1.0, -1.0, 1.0, 1.0, 2.0]) {
            assert!((value - expected).abs() < 1e-12, "{values:?}");
        }
    }
}
