//! A dimension of length 2 has one link whether it is said to wrap or not (`docs/model.md` section 1; Tao
//! 1988, 3.2.4), so that nothing depends on what is said.

use cubefold_mapping::EmbeddingKind;
use cubefold_simulator::{EngineChoice, Execution};
use cubefold_topology::{LinkMode, TieRule, Wrap};

use super::setting::{IN_ORDER, PLAIN, Setting, Trial, embed, measure, mixed};

const AROUND: Wrap = Wrap::Around;
const OPEN: Wrap = Wrap::Open;

#[test]
fn wrapping_at_length_2_changes_no_metric_and_no_run() {
    let shape = |pair: Wrap| mixed(&[(2, pair), (8, AROUND), (2, pair), (4, OPEN), (2, pair)]);
    for kind in EmbeddingKind::ALL {
        let [open, around] = [OPEN, AROUND].map(|pair| embed(kind, &shape(pair)));
        assert_eq!(measure(&open), measure(&around), "{kind}");
        for (links, tie) in LinkMode::ALL.into_iter().flat_map(|links| TieRule::ALL.map(|tie| (links, tie))) {
            let setting = Setting { links, tie, ..PLAIN };
            for execution in [Execution::Asynchronous(EngineChoice::Auto), IN_ORDER] {
                let records = |placement| Trial::ascend(placement, setting).run(&execution).1;
                assert_eq!(records(open.clone()), records(around.clone()), "{kind}, {links}, {tie}");
            }
        }
    }
}

#[test]
fn torus_and_mesh_of_length_2_are_one_machine_the_hypercube() {
    // Every process has all its neighbours one link away: d (T_a + T_c).
    let setting = Setting { compute: 4, hop: 3, ..PLAIN };
    for wrap in [OPEN, AROUND] {
        let cube = mixed(&[(2, wrap); 6]);
        for kind in EmbeddingKind::ALL {
            let trial = Trial::ascend(embed(kind, &cube), setting);
            assert_eq!(trial.asynchronous().summary.makespan().get(), 6 * (4 + 3), "{kind}");
            assert_eq!(trial.bound(), 6 * (4 + 3));
        }
    }
}
