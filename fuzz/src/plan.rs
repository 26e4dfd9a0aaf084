//! Properties of plans and of the entries of lists.

use pfh_plan::{ListEntry, Plan};
use std::path::Path;

/// A plan that can be parsed is the same after it was written.
pub fn json(input: &[u8]) {
    let Ok(plan) = Plan::parse(Path::new("plan"), input) else { return };
    let text = plan.json();
    let again = Plan::parse(Path::new("plan"), text.as_bytes()).expect("what pfh writes can be read");
    assert_eq!((again.options(), again.shards()), (plan.options(), plan.shards()));
    assert_eq!((again.totals(), again.longest()), (plan.totals(), plan.longest()));
    assert_eq!(again.json(), text);
}

/// An entry that can be parsed is the same after it was written, and has no NUL but at its end.
pub fn entry(input: &[u8]) {
    for part in input.split(|&byte| byte == 0) {
        let Ok(entry) = ListEntry::parse(part) else { continue };
        let mut bytes = Vec::new();
        entry.push(&mut bytes);
        let (end, written) = bytes.split_last().expect("an entry has an end");
        assert!(*end == 0 && !written.contains(&0));
        let again = ListEntry::parse(written).expect("what pfh writes can be read");
        assert_eq!(again.path(), entry.path());
        let mut twice = Vec::new();
        again.push(&mut twice);
        assert_eq!(twice, bytes);
    }
}
