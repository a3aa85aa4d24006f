//! The edge grammars that scenarios can name.

use super::EdgeGrammar;

/// An edge grammar with a name.
#[derive(Debug)]
pub struct NamedGrammar {
    /// Its name in files.
    pub name: &'static str,
    /// The graphs `G(n)`.
    pub summary: &'static str,
    productions: &'static str,
}

/// Every grammar with a name. The first is that of Tao 1988, 2.3; the others are ours.
pub static EDGE_GRAMMARS: [NamedGrammar; 7] = [
    NamedGrammar {
        name: "complete-binary-tree",
        summary: "the complete binary tree with n levels of links",
        productions: "T -> T0 | T1 | TR | (2,0) | (2,1) | R\n\
                      T0 -> T (0,0)\n\
                      T1 -> T (1,1)\n\
                      TR -> R (2,0) | R (2,1)\n\
                      R -> (2,2) | R (2,2)",
    },
    NamedGrammar {
        name: "line",
        summary: "the line of 2^n nodes",
        productions: "G -> E | U\n\
                      E -> (0,0) | (1,1) | E (0,0) | E (1,1)\n\
                      U -> (0,1) | E (0,1) | U (1,0)",
    },
    NamedGrammar {
        name: "ring",
        summary: "the ring of 2^n nodes",
        productions: "G -> E | U | W\n\
                      E -> (0,0) | (1,1) | E (0,0) | E (1,1)\n\
                      U -> (0,1) | E (0,1) | U (1,0)\n\
                      W -> (1,0) | W (1,0)",
    },
    NamedGrammar {
        name: "hypercube",
        summary: "the hypercube of n dimensions",
        productions: "G -> E | D\n\
                      E -> (0,0) | (1,1) | E (0,0) | E (1,1)\n\
                      D -> (0,1) | E (0,1) | D (0,0) | D (1,1)",
    },
    NamedGrammar {
        name: "square-mesh",
        summary: "the mesh of two sides 2^n",
        productions: "G -> E | X | Y\n\
                      E -> (0,0) | (1,1) | (2,2) | (3,3) | E (0,0) | E (1,1) | E (2,2) | E (3,3)\n\
                      X -> (0,1) | (2,3) | E (0,1) | E (2,3) | X (1,0) | X (3,2)\n\
                      Y -> (0,2) | (1,3) | E (0,2) | E (1,3) | Y (2,0) | Y (3,1)",
    },
    NamedGrammar {
        name: "square-torus",
        summary: "the torus of two sides 2^n",
        productions: "G -> E | X | Y | V | W\n\
                      E -> (0,0) | (1,1) | (2,2) | (3,3) | E (0,0) | E (1,1) | E (2,2) | E (3,3)\n\
                      X -> (0,1) | (2,3) | E (0,1) | E (2,3) | X (1,0) | X (3,2)\n\
                      Y -> (0,2) | (1,3) | E (0,2) | E (1,3) | Y (2,0) | Y (3,1)\n\
                      V -> (1,0) | (3,2) | V (1,0) | V (3,2)\n\
                      W -> (2,0) | (3,1) | W (2,0) | W (3,1)",
    },
    NamedGrammar {
        name: "hex-mesh",
        summary: "the mesh of two sides 2^n with a diagonal in every square",
        productions: "G -> E | X | Y | Z\n\
                      E -> (0,0) | (1,1) | (2,2) | (3,3) | E (0,0) | E (1,1) | E (2,2) | E (3,3)\n\
                      X -> (0,1) | (2,3) | E (0,1) | E (2,3) | X (1,0) | X (3,2)\n\
                      Y -> (0,2) | (1,3) | E (0,2) | E (1,3) | Y (2,0) | Y (3,1)\n\
                      Z -> (0,3) | E (0,3) | Z (3,0) | X (1,2) | Y (2,1)",
    },
];

impl NamedGrammar {
    /// The grammar with this name.
    #[must_use]
    pub fn with_name(name: &str) -> Option<&'static Self> {
        EDGE_GRAMMARS.iter().find(|grammar| grammar.name == name)
    }

    /// Returns the grammar.
    ///
    /// # Panics
    ///
    /// When its productions are invalid; those of [`EDGE_GRAMMARS`] are valid.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test parses every entry of the list")]
    pub fn grammar(&self) -> EdgeGrammar {
        EdgeGrammar::parse(self.name, self.productions).expect("the productions of the list are right")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, MachineKind, Network, RouteChoice};
    use std::sync::Arc;

    fn network(name: &str, size: u32) -> Network {
        let grammar = Arc::new(NamedGrammar::with_name(name).unwrap().grammar());
        let (words, links) = grammar.graph(size).unwrap();
        Network::from_edges(u32::try_from(words.words().len()).unwrap(), &links).unwrap()
    }

    fn grid(kind: MachineKind, lengths: &[u64]) -> Arc<Network> {
        let machine = Machine::new(kind, lengths).unwrap().as_network(RouteChoice::Lowest).unwrap();
        Arc::clone(machine.graph().unwrap())
    }

    #[test]
    fn every_grammar_is_truncatable_by_the_conditions_and_derives_its_graphs() {
        for named in &EDGE_GRAMMARS {
            assert_eq!(named.grammar().unmet_conditions(), [], "{}", named.name);
        }
        for size in 1..=5 {
            assert_eq!(network("line", size), *grid(MachineKind::Line, &[1 << size]));
            assert_eq!(network("ring", size), *grid(MachineKind::Ring, &[1 << size]));
            assert_eq!(network("hypercube", size), *grid(MachineKind::Hypercube, &vec![2; size as usize]));
        }
    }

    /// The number of the node at `x` and `y`, whose word has the symbols `x_i + 2 y_i`.
    fn interleaved(size: u32, x: u32, y: u32) -> u32 {
        (0..size).map(|bit| ((x >> bit & 1) + 2 * (y >> bit & 1)) << (2 * bit)).sum()
    }

    #[test]
    fn square_meshes_toruses_and_hexagonal_meshes_have_their_links() {
        for size in 1..=4 {
            let side = 1_u32 << size;
            let at = |x: u32, y: u32| interleaved(size, x, y);
            let (mut mesh, mut torus, mut hex) = (vec![], vec![], vec![]);
            for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
                torus.extend([(at(x, y), at((x + 1) % side, y)), (at(x, y), at(x, (y + 1) % side))]);
                if x + 1 < side {
                    mesh.push((at(x, y), at(x + 1, y)));
                }
                if y + 1 < side {
                    mesh.push((at(x, y), at(x, y + 1)));
                }
                if x + 1 < side && y + 1 < side {
                    hex.push((at(x, y), at(x + 1, y + 1)));
                }
            }
            hex.extend(&mesh);
            let nodes = side * side;
            assert_eq!(network("square-mesh", size), Network::from_edges(nodes, &mesh).unwrap());
            assert_eq!(network("square-torus", size), Network::from_edges(nodes, &torus).unwrap());
            assert_eq!(network("hex-mesh", size), Network::from_edges(nodes, &hex).unwrap());
        }
    }

    #[test]
    fn the_words_of_the_tree_are_paths_from_the_root_read_backwards() {
        let grammar = Arc::new(NamedGrammar::with_name("complete-binary-tree").unwrap().grammar());
        for size in 1..=6 {
            let (words, links) = grammar.graph(size).unwrap();
            // Reading from the end up to the first 2: 0 for left, 1 for right.
            let heap = |word: u64| {
                let (mut word, mut vertex, mut left) = (word, 0_u32, size);
                while left > 0 && word % 3 != 2 {
                    vertex = 2 * vertex + 1 + u32::try_from(word % 3).unwrap();
                    (word, left) = (word / 3, left - 1);
                }
                vertex
            };
            let place = |node: u32| heap(words.words()[node as usize]);
            let mut found: Vec<_> = links.iter().map(|&(one, other)| (place(one), place(other))).collect();
            found
                .iter_mut()
                .for_each(|(one, other)| (*one, *other) = ((*one).min(*other), (*one).max(*other)));
            found.sort_unstable();
            let expected = (1..(2_u32 << size) - 1).map(|vertex| ((vertex - 1) / 2, vertex));
            assert!(expected.eq(found), "size {size}");
        }
    }
}
