//! The options of `pfh hash` that decide how it reads.

use serde::{Deserialize, Serialize};

/// Options of `pfh hash`, by the words of its command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// `--threads`.
    pub threads: u16,
    /// `--prefetchers`.
    #[serde(default = "one")]
    pub prefetchers: u16,
    /// `--mode`.
    #[serde(default = "adaptive")]
    pub mode: String,
    /// `--order`.
    #[serde(default = "auto")]
    pub order: String,
    /// `--io`.
    #[serde(default = "buffered")]
    pub io: String,
    /// `--medium`, where the system does not know it or is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
}

fn one() -> u16 {
    1
}

fn adaptive() -> String {
    "adaptive".to_owned()
}

fn auto() -> String {
    "auto".to_owned()
}

fn buffered() -> String {
    "buffered".to_owned()
}

impl Choice {
    /// The options that pfh has by default, with a thread for each core.
    #[must_use]
    pub fn usual(cores: u16) -> Choice {
        Choice { threads: cores, prefetchers: 1, mode: adaptive(), order: auto(), io: buffered(), medium: None }
    }

    /// The words of the command line that differ from the defaults on a machine of `cores`.
    #[must_use]
    pub fn arguments(&self, cores: u16) -> Vec<String> {
        let usual = Choice::usual(cores);
        let mut words = Vec::new();
        let mut say = |differs: bool, option: &str, value: String| {
            if differs {
                words.extend([option.to_owned(), value]);
            }
        };
        say(self.threads != usual.threads, "--threads", self.threads.to_string());
        say(self.prefetchers != usual.prefetchers, "--prefetchers", self.prefetchers.to_string());
        say(self.mode != usual.mode, "--mode", self.mode.clone());
        say(self.order != usual.order, "--order", self.order.clone());
        say(self.io != usual.io, "--io", self.io.clone());
        say(self.medium.is_some(), "--medium", self.medium.clone().unwrap_or_default());
        words
    }

    /// The same on one line; a phrase where nothing differs.
    #[must_use]
    pub fn line(&self, cores: u16) -> String {
        let words = self.arguments(cores);
        if words.is_empty() { "the defaults".to_owned() } else { words.join(" ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_named() {
        assert_eq!(Choice::usual(4).line(4), "the defaults");
        let choice = Choice { threads: 16, io: "direct".to_owned(), ..Choice::usual(4) };
        assert_eq!(choice.line(4), "--threads 16 --io direct");
        assert_eq!(Choice::usual(4).line(2), "--threads 4");
        let choice = Choice { medium: Some("rotating".to_owned()), prefetchers: 2, ..Choice::usual(4) };
        assert_eq!(choice.line(4), "--prefetchers 2 --medium rotating");
    }
}
