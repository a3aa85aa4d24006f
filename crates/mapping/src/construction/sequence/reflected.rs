//! The sequence `f_L`: radix-`L` numbers with every other run of a digit reversed, a Gray code of any base.

use super::super::length::Length;
use super::super::mixed_radix::narrow;

/// Writes `f_L(x)` (Tao 1988, definition 3.3.1).
///
/// With `w_(i-1)` the product of `l_i, .., l_d` and `y_i = floor(x / w_i) mod l_i` the digits of `x`, element
/// `x_i` is `y_i` when `floor(x / w_(i-1))` is even and `l_i - 1 - y_i` when it is odd.
pub(super) fn write_element(base: &[Length], position: u64, element: &mut [u32]) {
    debug_assert_eq!(base.len(), element.len());
    let mut rest = position;
    for (length, slot) in base.iter().zip(element).rev() {
        let (run, digit) = length.divide(rest);
        *slot = narrow(reflect(run, length.get(), digit));
        rest = run;
    }
}

/// `f_L^-1` of an element (Tao 1988, 4.3.1): the number of its run is made of the digits before (errata C7).
pub(super) fn position(base: &[Length], element: &[u32]) -> u32 {
    debug_assert_eq!(base.len(), element.len());
    let mut number = 0;
    for (length, &component) in base.iter().zip(element) {
        number = number * length.get() + reflect(number, length.get(), u64::from(component));
    }
    narrow(number)
}

/// A digit of run number `run` as it stands in `f_L`, and back.
fn reflect(run: u64, length: u64, digit: u64) -> u64 {
    if run.is_multiple_of(2) { digit } else { length - 1 - digit }
}
