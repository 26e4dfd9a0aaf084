//! Properties of NSRL's deltas.

use std::cell::RefCell;
use std::io::BufReader;

use pfh_nsrl::{Change, Delta, Options};

/// A delta is read the same, however its bytes arrive; its counts are those of what it gave.
pub fn delta(input: &[u8]) {
    let whole = read(input, 1 << 16);
    assert_eq!(read(input, 1), whole);
    assert_eq!(read(input, 7), whole);
}

/// Everything that a delta says, as a text.
fn read(input: &[u8], buffer_bytes: usize) -> String {
    let (mut inserted, mut deleted, mut refused) = (0, 0, 0);
    let said = RefCell::new(String::new());
    let mut delta = Delta::new(BufReader::with_capacity(buffer_bytes, input), "", &Options::default());
    let counts = delta.each(
        &mut |change| {
            match change {
                Change::Insert(row) | Change::Delete(row) => assert!(!row.digests.is_empty() && row.digests.len() <= 3),
            }
            *if matches!(change, Change::Insert(_)) { &mut inserted } else { &mut deleted } += 1;
            said.borrow_mut().push_str(&format!("{change:?}\n"));
            Ok(())
        },
        &mut |statement| {
            refused += 1;
            said.borrow_mut().push_str(&format!("{statement}\n"));
            Ok(())
        },
    );
    if let Ok(counts) = &counts {
        assert_eq!((counts.inserted, counts.deleted, counts.refused), (inserted, deleted, refused));
    }
    let counts = counts.map_err(|error| error.to_string());
    format!("{}{counts:?} {:?}", said.borrow(), delta.release())
}
