//! The description in a definition, which may be older or newer than this program.

use toml::Table;

use crate::results::Header;

/// Title, question and source of an experiment.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) title: String,
    pub(super) question: String,
    /// Empty where it reproduces nothing.
    pub(super) source: String,
}

impl Definition {
    /// A missing field gets a plain substitute, because a report needs a title.
    pub(super) fn of(header: &Header) -> Definition {
        let table = header.definition.parse::<Table>().unwrap_or_default();
        let text = |name: &str| table.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        Definition {
            title: text("title").unwrap_or_else(|| header.experiment.clone()),
            question: text("question").unwrap_or_else(|| "What do the runners take for the same work?".to_owned()),
            source: text("source").unwrap_or_default(),
        }
    }
}
