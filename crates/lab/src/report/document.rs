//! The parts of a report, independent of its printed form.

use crate::claims::Verdict;

/// A report, to be printed by [`Document::html`] or [`Document::markdown`].
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) title: String,
    pub(super) question: String,
    /// The first is the answer in a sentence.
    pub(super) answer: Vec<String>,
    /// Name and value: where, when and by what.
    pub(super) facts: Vec<(String, String)>,
    pub(super) sections: Vec<Section>,
}

impl Document {
    /// The answer, sentence by sentence.
    #[must_use]
    pub fn answer(&self) -> &[String] {
        &self.answer
    }
}

/// A heading with what belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Anchor: lower-case letters and hyphens.
    pub(super) id: &'static str,
    pub(super) heading: String,
    pub(super) blocks: Vec<Block>,
}

impl Section {
    pub(super) fn new(id: &'static str, heading: impl Into<String>) -> Section {
        Section { id, heading: heading.into(), blocks: Vec::new() }
    }

    pub(super) fn text(mut self, text: impl Into<String>) -> Section {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    pub(super) fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// Nothing but text: not worth a heading, unless the text is the matter.
    pub(super) fn has_matter(&self) -> bool {
        self.blocks.iter().any(|block| !matches!(block, Block::Text(_)))
    }
}

#[derive(Clone, Debug)]
pub(super) enum Block {
    Text(String),
    /// Kept as it is, line by line.
    Verbatim(String),
    List(Vec<String>),
    Plot(Plot),
    Table(Table),
}

impl From<Plot> for Block {
    fn from(plot: Plot) -> Block {
        Block::Plot(plot)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Block {
        Block::Table(table)
    }
}

/// A picture with the words that replace it.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) title: String,
    /// A description of the picture, for those who do not see it.
    pub(super) description: String,
    /// The drawing, without the outer `svg` element.
    pub(super) drawing: String,
    pub(super) width: u32,
    pub(super) height: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) head: Vec<String>,
    /// Each as long as the head; the first cell is the row's heading.
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn new(caption: impl Into<String>, head: Vec<String>) -> Table {
        Table { caption: caption.into(), head, rows: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Cell {
    Text(String),
    /// Aligned to the right.
    Number(String),
    Lines(Vec<String>),
    Verdict(Verdict),
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    pub(super) fn number(text: impl Into<String>) -> Cell {
        Cell::Number(text.into())
    }

    /// A number, or a dash.
    pub(super) fn maybe(text: Option<String>) -> Cell {
        Cell::Number(text.unwrap_or_else(|| "–".to_owned()))
    }
}
