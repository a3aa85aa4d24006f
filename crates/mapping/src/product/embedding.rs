//! The named embeddings: rules that place a d-cube on a grid, coordinate by coordinate.
//!
//! Each embedding is one [`EmbeddingDescriptor`] in [`EMBEDDINGS`], from which names, help and documentation derive.
//! Its rule is a [`LineOrder`] for a coordinate that wraps and one for a coordinate that does not; the order
//! of `byweight`, which takes some arithmetic, has a file of its own.

use std::fmt;

use cubefold_topology::Extent;

use super::byweight;

/// A named product embedding: coordinate `p_j` depends on field `j` of the label only
/// (`docs/model.md` section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// The coordinate is the field's value.
    Standard,
    /// The value with its second highest bit replaced by the exclusive or of the two highest.
    Xor,
    /// The position among all values ordered by number of ones, then by value descending.
    Byweight,
    /// The position in the binary-reflected Gray code.
    Gray,
    /// `Xor` where the coordinate wraps, `Standard` where it does not.
    Optimal,
}

/// A named embedding: its name, its source and its rule.
#[derive(Debug)]
pub struct EmbeddingDescriptor {
    /// The embedding.
    pub kind: EmbeddingKind,
    /// The name in every file.
    pub name: &'static str,
    /// A line for help.
    pub summary: &'static str,
    /// Author, year and section.
    pub source: &'static str,
    /// The guests and machines that it is for.
    pub takes: &'static str,
    /// The order of a coordinate that wraps.
    pub(super) ring: LineOrder,
    /// The order of a coordinate that does not.
    pub(super) line: LineOrder,
}

/// Every named embedding, in the order of help and documentation.
pub static EMBEDDINGS: &[&EmbeddingDescriptor] = &[&STANDARD, &XOR, &BYWEIGHT, &GRAY, &OPTIMAL];

/// An order of the `2^bits` values of a field along a line or ring: a bijection of `0..2^bits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineOrder {
    /// By value.
    Value,
    /// By value, the third and fourth quarter swapped.
    Quarters,
    /// By number of ones, then by value descending.
    Weight,
    /// By position in the binary-reflected Gray code.
    Gray,
}

impl LineOrder {
    /// The position of field value `value` of `bits` bits, in `1..=32`.
    pub(super) fn position(self, value: u32, bits: u32) -> u32 {
        match self {
            Self::Value => value,
            Self::Quarters => exchange_quarters(value, bits),
            Self::Weight => byweight::position(value, bits),
            Self::Gray => gray_position(value),
        }
    }

    /// The field value at `position`: the inverse of [`Self::position`].
    pub(super) fn value(self, position: u32, bits: u32) -> u32 {
        match self {
            Self::Value => position,
            Self::Quarters => exchange_quarters(position, bits),
            Self::Weight => byweight::value(position, bits),
            Self::Gray => gray_code_word(position),
        }
    }
}

/// The guests and machines of all product embeddings.
const POWERS_OF_TWO: &str = "a d-cube on a grid of 2^d nodes whose lengths are powers of two";

static STANDARD: EmbeddingDescriptor = EmbeddingDescriptor {
    kind: EmbeddingKind::Standard,
    name: "standard",
    summary: "the coordinate is the field's value; meets the lower bound on meshes",
    source: "González & Valero 1993, 2.3; Matic 1990; optimal on meshes: Harper 1964",
    takes: POWERS_OF_TWO,
    ring: LineOrder::Value,
    line: LineOrder::Value,
};

static XOR: EmbeddingDescriptor = EmbeddingDescriptor {
    kind: EmbeddingKind::Xor,
    name: "xor",
    summary: "the third and fourth quarter of every field swapped; meets the lower bound on toruses",
    source: "González & Valero 1993, sections 3 and 4",
    takes: POWERS_OF_TWO,
    ring: LineOrder::Quarters,
    line: LineOrder::Quarters,
};

static BYWEIGHT: EmbeddingDescriptor = EmbeddingDescriptor {
    kind: EmbeddingKind::Byweight,
    name: "byweight",
    summary: "values ordered by number of ones; the least greatest dilation on a line",
    source: "Harper 1966; González & Valero 1993, 2.3",
    takes: POWERS_OF_TWO,
    ring: LineOrder::Weight,
    line: LineOrder::Weight,
};

static GRAY: EmbeddingDescriptor = EmbeddingDescriptor {
    kind: EmbeddingKind::Gray,
    name: "gray",
    summary: "the position in the binary-reflected Gray code; adjacent nodes hold cube neighbours",
    source: "CS838 1999",
    takes: POWERS_OF_TWO,
    ring: LineOrder::Gray,
    line: LineOrder::Gray,
};

static OPTIMAL: EmbeddingDescriptor = EmbeddingDescriptor {
    kind: EmbeddingKind::Optimal,
    name: "optimal",
    summary: "xor where the coordinate wraps, standard where it does not; meets the lower bound",
    source: "docs/model.md, sections 3 and 5",
    takes: POWERS_OF_TWO,
    ring: LineOrder::Quarters,
    line: LineOrder::Value,
};

impl EmbeddingKind {
    /// Every kind, in the order of [`EMBEDDINGS`].
    pub const ALL: [Self; EMBEDDINGS.len()] = {
        let mut all = [Self::Standard; EMBEDDINGS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = EMBEDDINGS[at].kind;
            assert!(all[at] as usize == at, "kinds are declared in the order of EMBEDDINGS");
            at += 1;
        }
        all
    };

    /// The name, source and rule.
    #[must_use]
    pub fn descriptor(self) -> &'static EmbeddingDescriptor {
        EMBEDDINGS[self as usize]
    }

    /// The name in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// The order of the field values in a coordinate of this extent.
    pub(super) fn order(self, extent: Extent) -> LineOrder {
        // At length 2 all orders agree, so a declared wrap that adds no link changes nothing.
        if extent.is_ring() { self.descriptor().ring } else { self.descriptor().line }
    }
}

impl fmt::Display for EmbeddingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The position of field value `value` under `xor`, and the value at that position: its own inverse
/// (González & Valero 1993, section 3).
///
/// Bit `bits - 2` is replaced by the exclusive or of the two highest bits, which swaps the third and the
/// fourth quarter of the ring, so that dimension `bits - 1` spans a quarter instead of half:
///
/// ```text
/// ring of 8    position  0 1 2 3 4 5 6 7
///              value     0 1 2 3 6 7 4 5
/// ```
///
/// A field of one bit is unchanged.
fn exchange_quarters(value: u32, bits: u32) -> u32 {
    if bits < 2 { value } else { value ^ ((value >> (bits - 1)) << (bits - 2)) }
}

/// The position of `word` in the binary-reflected Gray code (CS838 1999): the `p` with `p xor (p >> 1) = word`, the
/// inverse of [`gray_code_word`].
///
/// Neighbouring positions hold words that differ in one bit, so links of the line or ring carry
/// neighbouring processes; the reverse does not hold, and distances vary.
pub(crate) fn gray_position(word: u32) -> u32 {
    // Prefix exclusive or: each bit of p is the exclusive or of all bits of the word from it upwards.
    [1, 2, 4, 8, 16].into_iter().fold(word, |prefix, shift| prefix ^ (prefix >> shift))
}

/// The word at `position` in the binary-reflected Gray code, the cube node there, both counted from 0 (Greenberg 1987,
/// definitions 3 and 6; errata G5).
#[must_use]
pub fn gray_code_word(position: u32) -> u32 {
    position ^ (position >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_names_every_embedding_with_its_source() {
        let page = include_str!("../../../../docs/embeddings.md");
        for embedding in EMBEDDINGS {
            assert!(page.contains(&format!("## {}", embedding.name)), "{}", embedding.name);
        }
    }

    #[test]
    fn xor_on_the_ring_of_eight_is_the_row_of_figure_6() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(|value| exchange_quarters(value, 3)),
            [0, 1, 2, 3, 6, 7, 4, 5]
        );
        assert_eq!([0, 1].map(|value| exchange_quarters(value, 1)), [0, 1]);
    }

    #[test]
    fn the_exchange_of_quarters_undoes_itself_on_every_field_of_up_to_twelve_bits() {
        for bits in 1..=12 {
            let twice = |value| exchange_quarters(exchange_quarters(value, bits), bits);
            assert!((0..1 << bits).all(|value| twice(value) == value));
        }
        assert_eq!(exchange_quarters(u32::MAX, 32), u32::MAX ^ (1 << 30));
    }

    #[test]
    fn the_gray_code_of_three_bits_is_as_printed_everywhere() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(gray_code_word), [0, 1, 3, 2, 6, 7, 5, 4]);
    }

    #[test]
    fn gray_positions_and_words_are_inverse_and_neighbours_differ_in_one_bit() {
        for at in (0..1 << 12).chain(u32::MAX - 9..u32::MAX) {
            assert_eq!(gray_position(gray_code_word(at)), at);
            assert_eq!((gray_code_word(at) ^ gray_code_word(at + 1)).count_ones(), 1);
        }
    }
}
