//! A random generator whose numbers are given bytes: a fuzzer that changes them changes single choices of a case.

use std::convert::Infallible;

use rand::TryRng;

/// Numbers made of bytes, and of a counter after their end.
#[derive(Debug, Clone)]
pub(crate) struct ByteGenerator<'input> {
    rest: &'input [u8],
    counter: u64,
}

impl<'input> ByteGenerator<'input> {
    pub(crate) fn new(input: &'input [u8]) -> Self {
        Self { rest: input, counter: 0 }
    }

    /// The next number: two bytes in its most significant ones, which decide the draw from a range.
    fn next(&mut self) -> u64 {
        match self.rest {
            [first, second, rest @ ..] => {
                self.rest = rest;
                u64::from(u16::from_be_bytes([*first, *second])) << 48
            }
            _ => {
                // Steele, Lea & Flood 2014: a rejected number is followed by another.
                self.counter = self.counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (self.counter ^ (self.counter >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed ^ (mixed >> 31)
            }
        }
    }
}

impl TryRng for ByteGenerator<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill_with(|| (self.next() >> 56) as u8);
        Ok(())
    }
}
