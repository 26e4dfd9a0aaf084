//! The memory table: slots of one size in one allocation, handed over by ownership.
//!
//! A slot is free (in the table), being filled (a [`Slot`]), or full and being hashed (a [`Full`]). The type says
//! which, and dropping it frees the slot.

use crate::limits::{SLOT_ALIGN_BYTES, StartError};
use crate::sync::{lock, wait, wait_timeout};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The single allocation of a table. Untouched pages cost nothing.
pub(crate) struct Arena(Vec<u8>);

impl Arena {
    /// # Errors
    /// [`StartError::MemoryRefused`] if the system refuses the memory.
    pub(crate) fn new(stride_bytes: usize, slots: usize) -> Result<Arena, StartError> {
        let bytes = stride_bytes * slots + SLOT_ALIGN_BYTES;
        // This tests whether the system grants the memory: the zeroed allocation, which leaves pages untouched, would
        // end the process.
        let granted = Vec::<u8>::new().try_reserve_exact(bytes);
        granted.map_err(|_| StartError::MemoryRefused { table_bytes: bytes as u64 })?;
        Ok(Arena(vec![0; bytes]))
    }
}

pub(crate) struct Table<'m> {
    free: Mutex<Vec<&'m mut [u8]>>,
    returned: Condvar,
    slot_bytes: usize,
    slots: usize,
}

impl<'m> Table<'m> {
    /// Divides the arena into slots of `slot_bytes`, one every `stride_bytes`; the gaps are room for padding.
    pub(crate) fn new(arena: &'m mut Arena, slot_bytes: usize, stride_bytes: usize, slots: usize) -> Table<'m> {
        debug_assert!(slot_bytes <= stride_bytes);
        let skip = arena.0.as_ptr().align_offset(SLOT_ALIGN_BYTES);
        // Reversed, so that the front slots are used first and again, which touches the fewest pages.
        let free: Vec<_> = arena.0[skip..].chunks_exact_mut(stride_bytes).take(slots).rev().collect();
        debug_assert_eq!(free.len(), slots);
        Table { slots: free.len(), free: Mutex::new(free), returned: Condvar::new(), slot_bytes }
    }

    pub(crate) fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        (self.lock().len() * self.slot_bytes) as u64
    }

    /// Waits for a free slot.
    pub(crate) fn acquire(&self) -> Slot<'_, 'm> {
        let mut free = self.lock();
        loop {
            if let Some(bytes) = free.pop() {
                return Slot { bytes, table: self };
            }
            free = wait(&self.returned, free);
        }
    }

    /// Returns a free slot, if there is one at once or within a moment.
    pub(crate) fn acquire_soon(&self, moment: Duration) -> Option<Slot<'_, 'm>> {
        let mut free = self.lock();
        if free.is_empty() && !moment.is_zero() {
            free = wait_timeout(&self.returned, free, moment);
        }
        free.pop().map(|bytes| Slot { bytes, table: self })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<&'m mut [u8]>> {
        lock(&self.free)
    }
}

/// A slot that its owner is filling.
pub(crate) struct Slot<'t, 'm> {
    bytes: &'m mut [u8],
    table: &'t Table<'m>,
}

impl<'t, 'm> Slot<'t, 'm> {
    /// The bytes to fill.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.table.slot_bytes]
    }

    pub(crate) fn filled(&self, length: usize) -> &[u8] {
        &self.bytes[..length]
    }

    /// Ends filling; the first `length` bytes are content.
    pub(crate) fn into_full(self, length: usize) -> Full<'t, 'm> {
        debug_assert!(length <= self.table.slot_bytes);
        Full { slot: self, length }
    }
}

/// The whole slot, including the room for padding.
impl AsRef<[u8]> for Slot<'_, '_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// The whole slot, including the room for padding.
impl AsMut<[u8]> for Slot<'_, '_> {
    fn as_mut(&mut self) -> &mut [u8] {
        self.bytes
    }
}

impl Drop for Slot<'_, '_> {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.table.lock().push(bytes);
        self.table.returned.notify_one();
    }
}

/// A full slot that is being hashed.
pub(crate) struct Full<'t, 'm> {
    slot: Slot<'t, 'm>,
    length: usize,
}

impl Full<'_, '_> {
    pub(crate) fn content(&self) -> &[u8] {
        &self.slot.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_disjoint_and_come_back() {
        let mut arena = Arena::new(8192, 3).unwrap();
        let table = Table::new(&mut arena, 8192, 8192, 3);
        assert_eq!((table.slots(), table.free_bytes()), (3, 3 * 8192));
        let mut slots: Vec<_> = (0..3).map(|_| table.acquire()).collect();
        for (index, slot) in slots.iter_mut().enumerate() {
            assert_eq!(slot.bytes().as_ptr().align_offset(SLOT_ALIGN_BYTES), 0);
            slot.bytes().fill(index as u8 + 1);
        }
        assert_eq!(table.free_bytes(), 0);
        let full: Vec<_> = slots.into_iter().map(|slot| slot.into_full(10)).collect();
        assert_eq!(full[1].content(), [2; 10]);
        drop(full);
        assert_eq!(table.free_bytes(), 3 * 8192);
    }

    #[test]
    fn acquiring_from_an_empty_table_waits_for_a_return() {
        let mut arena = Arena::new(4096, 1).unwrap();
        let table = Table::new(&mut arena, 4000, 4096, 1);
        let held = table.acquire();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| table.acquire().bytes().len());
            drop(held);
            assert_eq!(waiter.join().unwrap(), 4000);
        });
    }
}
