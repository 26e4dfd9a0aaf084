//! The order of the tasks.

use std::collections::BTreeSet;

use crate::fixture::{CELLS, Lab, measured};

fn order(seed: u64) -> Vec<String> {
    let lab = Lab { seed: Some(seed), ..Lab::new(&[]) };
    lab.run().unwrap();
    measured(&lab.entries()).iter().map(|cell| format!("{} {} {}", cell.runner, cell.algorithm, cell.bytes)).collect()
}

#[test]
fn the_seed_decides_the_order() {
    assert_eq!(order(1), order(1));
    let different: BTreeSet<Vec<String>> = (1..=4).map(order).collect();
    assert_eq!(different.len(), 4);
}

#[test]
fn every_round_has_every_cell_in_an_order_of_its_own() {
    let order = order(5);
    let rounds: Vec<&[String]> = order.chunks(2 * CELLS).collect();
    assert_eq!(rounds.len(), 3);
    for round in &rounds {
        assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), 2 * CELLS);
    }
    assert!(rounds[0] != rounds[1] && rounds[1] != rounds[2] && rounds[0] != rounds[2]);
}
