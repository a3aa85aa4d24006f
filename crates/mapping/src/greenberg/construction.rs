//! The constructions of Greenberg 1987 and their extensions (`docs/model.md` section 28.5).

use std::fmt;

/// A construction by which a grid lies on a hypercube, or an array on a torus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GreenbergConstruction {
    /// The Gray code along every side.
    Gray,
    /// Pairs of sides by line compression and reflection.
    Reflection,
    /// The same with the longer side compressed.
    LongerSide,
    /// The same with the longer side, which wraps, folded.
    Folded,
    /// Tiles of 3 x 3 x 3 nodes in five dimensions of the cube each.
    Tiles,
    /// Arrays on a torus of Fibonacci and Lucas numbers.
    Polymorphic,
}

/// The name, source and promise of a construction.
#[derive(Debug)]
pub struct GreenbergDescriptor {
    /// The construction.
    pub construction: GreenbergConstruction,
    /// Its name in files.
    pub name: &'static str,
    /// A line for help.
    pub summary: &'static str,
    /// Author, year and statement.
    pub source: &'static str,
    /// The statement that promises the dilation, as results name it.
    pub statement: &'static str,
    /// Guest and machine.
    pub takes: &'static str,
    /// The promised dilation \[links\].
    pub dilation: &'static str,
}

/// Every construction, in the order of [`GreenbergConstruction`].
pub static GREENBERG_CONSTRUCTIONS: [GreenbergDescriptor; 6] = [
    GreenbergDescriptor {
        construction: GreenbergConstruction::Gray,
        name: "gray",
        summary: "the Gray code along every side, dimension 1 in the lowest bits",
        source: "Greenberg 1987, definition 6, theorem 1; Saad & Schultz 1985 for rings",
        statement: "theorem 1",
        takes: "a grid on a hypercube of sum ceil(log2 l_i) dimensions or more",
        dilation: "1; 2 where a side of odd length wraps",
    },
    GreenbergDescriptor {
        construction: GreenbergConstruction::Reflection,
        name: "reflection",
        summary: "pairs of sides, the shorter one compressed and reflected",
        source: "Greenberg 1987, theorem 3, 6.2",
        statement: "theorem 3",
        takes: "a mesh on the smallest hypercube, of more than two dimensions in pairs",
        dilation: "at most 5; 3 where nothing percolates",
    },
    GreenbergDescriptor {
        construction: GreenbergConstruction::LongerSide,
        name: "longer-side",
        summary: "a mesh by reflection with its longer side compressed",
        source: "Greenberg 1987, figure 6",
        statement: "figure 6",
        takes: "a mesh of two dimensions, with under(W) over(L) nodes in the smallest cube, on that cube",
        dilation: "at most 5; 3 where nothing percolates",
    },
    GreenbergDescriptor {
        construction: GreenbergConstruction::Folded,
        name: "folded",
        summary: "a mesh by reflection whose longer side, which wraps, is folded first",
        source: "Greenberg 1987, theorem 3; docs/errata.md, G18",
        statement: "docs/model.md 28.5",
        takes: "a mesh of two dimensions that needs reflection and whose longer side wraps, on its smallest cube",
        dilation: "at most 8; 6 where nothing percolates",
    },
    GreenbergDescriptor {
        construction: GreenbergConstruction::Tiles,
        name: "tiles",
        summary: "tiles of 3 x 3 x 3 nodes in 5-cubes by a table, and the Gray code from tile to tile",
        source: "docs/model.md, section 28.5",
        statement: "docs/model.md 28.5",
        takes: "a mesh of three sides 3 * 2^a on its smallest hypercube",
        dilation: "2",
    },
    GreenbergDescriptor {
        construction: GreenbergConstruction::Polymorphic,
        name: "polymorphic",
        summary: "an array folded over a torus of Fibonacci and Lucas numbers, its nodes evenly loaded",
        source: "Greenberg 1987, 6.3, after Fiat & Shamir 1984",
        statement: "section 6.3",
        takes: "a mesh of two dimensions on a torus of F_n x L_n nodes, 3 not a divisor of n",
        dilation: "at most 2",
    },
];

impl GreenbergConstruction {
    /// The constructions that can be chosen by name; `greenberg` alone takes the others where they apply.
    pub const NAMED: [Self; 3] = [Self::Gray, Self::LongerSide, Self::Folded];

    /// The name, source and promise.
    #[must_use]
    pub fn descriptor(self) -> &'static GreenbergDescriptor {
        &GREENBERG_CONSTRUCTIONS[self as usize]
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }
}

impl fmt::Display for GreenbergConstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_constructions() {
        for (at, descriptor) in GREENBERG_CONSTRUCTIONS.iter().enumerate() {
            assert_eq!(descriptor.construction as usize, at);
        }
        let names = GreenbergConstruction::NAMED.map(GreenbergConstruction::name);
        assert_eq!(names, ["gray", "longer-side", "folded"]);
    }
}
