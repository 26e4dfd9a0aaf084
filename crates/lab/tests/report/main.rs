//! From results to reports: statistics on published data, claims on results of known truth, damaged files, and the reports.

mod claims;
mod hostile;
mod published;
mod synthetic;
