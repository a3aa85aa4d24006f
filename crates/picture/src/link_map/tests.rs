//! Maps of the links of grids and networks: their values, scales and titles.

use super::*;
use crate::support::{permutation_on, run};
use cubefold_runs::{busy_links, link_congestion};

fn scenario(shape: &str, kind: &str) -> String {
    format!(
        "[machine]\nkind = \"{kind}\"\nshape = {shape}\n[program]\nkind = \"cc-cube\"\n[mapping]\n\
         embeddings = [\"standard\"]\n"
    )
}

#[test]
fn every_link_says_what_it_carries() {
    for (shape, kind) in [("[8]", "ring"), ("[4, 2]", "torus"), ("[4, 4]", "mesh"), ("[2, 4, 2]", "torus")] {
        let run = run(&scenario(shape, kind));
        let links = link_congestion(&run);
        let picture = link_map(&run, LinkMeasure::Congestion, &links, None).unwrap();
        let title = picture.svg().matches("guest edges</title>").count() as u64;
        assert_eq!(title, run.machine.link_count(), "{shape}");
        for link in &links {
            assert!(picture.svg().contains(&format!(": {} guest edges</title>", link.count)), "{shape}");
        }
    }
}

#[test]
fn every_link_of_a_network_says_what_it_carries() {
    let machines = [
        "kind = \"fat-tree\"\nleaves = 4\nhosts_per_switch = 2\nspines = 2",
        "kind = \"dragonfly\"\nhosts_per_switch = 1\nswitches_per_group = 4\nglobal_links = 1",
        "kind = \"butterfly\"\ndimensions = 3",
        "kind = \"torus\"\nshape = [4, 4]\ntwist = [[0, 2], [0, 0]]",
    ];
    for machine in machines {
        let run = permutation_on(machine);
        let links = link_congestion(&run);
        let picture = link_map(&run, LinkMeasure::Congestion, &links, None).unwrap();
        let titles = picture.svg().matches("guest edges</title>").count() as u64;
        assert_eq!(titles, run.machine.link_count(), "{machine}");
        let most = links.iter().map(|link| link.count).max().unwrap();
        assert!(picture.svg().contains(&format!(": {most} guest edges</title>")));
        assert!(crate::placement_grid(&run, None).unwrap().svg().contains("process 7</title>"));
    }
}

#[test]
fn the_most_used_link_is_the_darkest() {
    let run = run(&scenario("[8]", "line"));
    let busy = busy_links(&run, 0).unwrap();
    let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
    let picture = link_map(&run, measure, &busy.links, None).unwrap();
    let most = busy.links.iter().map(|link| link.count).max().unwrap();
    let darkest = picture.svg().split("<path").find(|line| line.contains("stroke=\"#00204d\"")).unwrap();
    assert!(darkest.contains(&format!(": {most} busy cycles, ")), "{darkest}");
}

#[test]
fn the_scale_has_a_step_for_nothing_and_equal_ones_up_to_its_end() {
    let names = |greatest| HeatScale { greatest }.entries().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(0), ["0"]);
    assert_eq!(names(3), ["0", "1", "2", "3"]);
    assert_eq!(names(16), ["0", "1 to 3", "4 to 5", "6 to 7", "8 to 10", "11 to 12", "13 to 14", "15 to 16"]);
    for greatest in (1..100).chain([u64::MAX]) {
        let scale = HeatScale { greatest };
        let steps: Vec<HeatStep> = (0..=greatest.min(100)).map(|count| scale.step(count)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]) && steps[0] < steps[1], "{greatest}");
        assert_eq!(scale.step(greatest), HeatStep::of(1, 2), "{greatest}");
        assert_eq!(scale.entries().count() as u64, scale.parts() + 1);
    }
}

#[test]
fn titles_say_scenario_embedding_machine_and_unit_and_links_that_are_down_are_drawn() {
    let text = scenario("[4, 4]", "torus").replace("[program]", "failed_links = 2\n[program]");
    let run = run(&format!("name = \"two down\"\n{text}"));
    let picture = link_map(&run, LinkMeasure::Congestion, &link_congestion(&run), None).unwrap();
    for said in [
        "\ntwo down: link congestion\n",
        "\nstandard on torus 4x4, 2 links down\n",
        "\nguest edges of a link; the scale ends with ",
        "\na link that is down\n",
        "light-dark(#00204d,#ffea46)",
    ] {
        assert!(picture.svg().contains(said), "{said}: {}", picture.svg());
    }
    assert_eq!(picture.svg().matches(": down</title>").count(), 2);
}

#[test]
fn the_scale_is_of_one_direction_and_that_of_pictures_side_by_side() {
    // A ring all-reduce uses one direction: 2 * 3 stages of 4 cycles, all of the makespan.
    let run = run("[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"all-reduce\"\n\
                   algorithm = \"ring\"\nunits = 16\n");
    let busy = busy_links(&run, 0).unwrap();
    assert_eq!((busy.makespan, busy.links[0].ways), (24, Some([24, 0])));
    let draw = |darkest| link_map(&run, LinkMeasure::BusyCycles { makespan: 24 }, &busy.links, darkest);
    let plain = draw(None).unwrap();
    assert!(plain.svg().contains("(0) to (1): 24 busy cycles, 100.0 % forward and 0.0 % back, 24 units<"));
    assert!(plain.svg().contains(
        "busy cycles of the busier direction of a link; the scale ends with 24, 100.0 % of a direction, 24 units\n"
    ));
    assert!(plain.svg().contains("stroke=\"#00204d\"") && !plain.svg().contains("The most here"));
    let whole = draw(Some(DarkestValue::Share(1.0))).unwrap();
    assert_eq!(whole.svg(), plain.svg());
    assert_eq!(whole.svg(), draw(Some(DarkestValue::Count(24))).unwrap().svg());
    let beyond = draw(Some(DarkestValue::Count(49))).unwrap();
    assert!(beyond.svg().contains(" ends with 49, more than a direction can be busy, 49 units\n"));
    assert!(beyond.svg().contains("\nThe most here: 24, 100.0 % of a direction, 24 units\n"));
    assert!(!beyond.svg().contains("stroke=\"#00204d\""));
    let refusal = draw(Some(DarkestValue::Count(23))).unwrap_err().to_string();
    assert_eq!(refusal, "a darkest value of 23 busy cycles, expected at least 24, which a link has");
    let edges = link_map(&run, LinkMeasure::Congestion, &busy.links, Some(DarkestValue::Share(0.5)));
    assert_eq!(edges, Err(PictureError::ShareOfEdges));
}

#[test]
fn busy_links_say_seconds_and_bytes_where_the_scenario_does() {
    // A unit is 64 bytes, a cycle 64 ns, the latency a cycle: 2 * 3 steps of 4 units and a cycle.
    let run = run("[machine]\nkind = \"ring\"\nshape = [4]\nlinks = \"half-duplex\"\n\
                   link = { bandwidth = \"1 GB/s\", latency = \"128 ns\" }\nunit_bytes = 64\n\
                   [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = 1024\n");
    let busy = busy_links(&run, 0).unwrap();
    let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
    assert_eq!((busy.makespan, busy.links[0].count), (30, 24));
    let picture = link_map(&run, measure, &busy.links, None).unwrap();
    let title = "(0) to (1): 24 busy cycles (1.54 us), 80.0 %, 24 units (1536 B)<";
    assert!(picture.svg().contains(title), "{}", picture.svg());
    assert!(picture.svg().contains(" ends with 24 (1.54 us), 80.0 % of a link, 24 units (1536 B)\n"));
}

#[test]
fn units_are_those_that_cross_a_link_whatever_their_time() {
    let run = run(&scenario("[8]", "ring").replace("[program]", "hop_cycles = 5\n[program]\nunits = 3"));
    let busy = busy_links(&run, 0).unwrap();
    let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
    let picture = link_map(&run, measure, &busy.links, None).unwrap();
    for link in &busy.links {
        let units = format!(" back, {} units<", link.count / 5);
        assert!(link.count.is_multiple_of(15) && picture.svg().contains(&units), "{units}");
    }
}
