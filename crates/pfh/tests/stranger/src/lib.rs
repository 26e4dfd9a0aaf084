//! Uses of the library by programs, each in a file of its own: the guide to the library quotes them.
#![forbid(unsafe_code)]

pub mod cancel;
pub mod iterate;
pub mod known;
pub mod lists;
pub mod one_file;
pub mod own_source;
pub mod similar;
