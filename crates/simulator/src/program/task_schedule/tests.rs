//! Requirements of schedules against those that were added.

use super::*;

/// Operations that none, one, two or many others require, in random order.
#[test]
fn requirements_are_those_that_were_added() {
    use rand::{RngExt, SeedableRng};
    let generator = &mut rand_chacha::ChaCha12Rng::seed_from_u64(17);
    for count in 2..60_u32 {
        let mut builder = TaskScheduleBuilder::new(2);
        let process = ProcessId::new(1);
        let calculation = Operation {
            amount: 1,
            process,
            peer: process,
            tag: 0,
            processor: 0,
            kind: OperationKind::Calc,
            is_awaited: true,
        };
        for _ in 0..count {
            builder.add(calculation);
        }
        let mut expected = vec![vec![]; count as usize];
        for _ in 0..3 * count {
            let operation = generator.random_range(1..count);
            let required = generator.random_range(0..operation.min(1 + count / 5));
            let requirement =
                if generator.random_ratio(1, 3) { Requirement::Begun } else { Requirement::Over };
            builder.require(operation, required, requirement);
            expected[operation as usize].push((required, requirement));
        }
        // By required operation, in the order of insertion.
        for requirements_of_one in &mut expected {
            requirements_of_one.sort_by_key(|requirements_of_one| requirements_of_one.0);
        }
        let schedule = builder.finish().unwrap();
        assert_eq!(schedule.requirements(), expected);
        for (required, requirements_of_one) in schedule.required().iter().zip(&expected) {
            assert_eq!(*required as usize, requirements_of_one.len());
        }
        // Every operation takes at least the memory of its list entries, and links are few.
        let least = u64::from(count) * 44;
        assert!((least..least + 4 * 3 * 8 * u64::from(count)).contains(&schedule.bytes()));
    }
}
