//! Choices between two values with pairs that exclude each other: 2-satisfiability.

/// Clauses of two literals over numbered choices.
#[derive(Debug)]
pub(crate) struct Clauses {
    implied: Vec<Vec<usize>>, // by literal, the literals that it implies; literal 2 c + v is choice c with value v
    values: Vec<Option<bool>>,
    contradicts: bool,
}

/// A choice with a value.
type Literal = (usize, bool);

fn number((choice, value): Literal) -> usize {
    2 * choice + usize::from(value)
}

impl Clauses {
    pub(crate) fn new(choices: usize) -> Self {
        Self { implied: vec![vec![]; 2 * choices], values: vec![None; choices], contradicts: false }
    }

    /// Excludes that both literals hold; forbids one alone if the other is `None`, and every solution if both are.
    pub(crate) fn forbid(&mut self, one: Option<Literal>, other: Option<Literal>) {
        match (one, other) {
            (Some(one), Some(other)) => {
                self.implied[number(one)].push(number(other) ^ 1);
                self.implied[number(other)].push(number(one) ^ 1);
            }
            (Some(literal), None) | (None, Some(literal)) => {
                self.implied[number(literal)].push(number(literal) ^ 1);
            }
            (None, None) => self.contradicts = true,
        }
    }

    /// The lexicographically least solution, false before true; `None` if there is none.
    ///
    /// # Complexity
    ///
    /// O(choices times clauses); linear where few assumptions fail.
    pub(crate) fn least_solution(mut self) -> Option<Vec<bool>> {
        if self.contradicts {
            return None;
        }
        for choice in 0..self.values.len() {
            // A partial solution without contradiction extends to a whole one if there is any.
            if self.values[choice].is_none() && !self.assume((choice, false)) && !self.assume((choice, true))
            {
                return None;
            }
        }
        self.values.into_iter().collect()
    }

    /// Takes a literal and all its implications, or leaves the values unchanged if these contradict.
    fn assume(&mut self, literal: Literal) -> bool {
        let (mut open, mut taken) = (vec![number(literal)], vec![]);
        while let Some(literal_number) = open.pop() {
            let (choice, value) = (literal_number / 2, literal_number % 2 == 1);
            match self.values[choice] {
                Some(known) if known == value => {}
                Some(_) => {
                    for choice in taken {
                        self.values[choice] = None;
                    }
                    return false;
                }
                None => {
                    self.values[choice] = Some(value);
                    taken.push(choice);
                    open.extend(&self.implied[literal_number]);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_are_the_least_of_all() {
        let mut state = 1_u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let mut solved = 0;
        for _ in 0..2000 {
            let choices = 1 + draw(6);
            let pairs: Vec<(Literal, Literal)> = (0..draw(12))
                .map(|_| ((draw(choices), draw(2) == 1), (draw(choices), draw(2) == 1)))
                .collect();
            let mut clauses = Clauses::new(choices);
            for &(one, other) in &pairs {
                clauses.forbid(Some(one), Some(other));
            }
            let all = (0_u32..1 << choices).map(|set| {
                (0..choices).map(|choice| set >> (choices - 1 - choice) & 1 == 1).collect::<Vec<bool>>()
            });
            let holds = |values: &[bool], (choice, value): Literal| values[choice] == value;
            let least = all
                .into_iter()
                .find(|values| !pairs.iter().any(|&(one, other)| holds(values, one) && holds(values, other)));
            solved += u32::from(least.is_some());
            assert_eq!(clauses.least_solution(), least, "{pairs:?}");
        }
        assert!(solved > 500);
    }
}
