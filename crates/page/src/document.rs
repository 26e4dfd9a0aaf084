//! The parts of a document, independent of its printed form.

use crate::drawing::Plot;
use crate::tone::Tone;

/// A document, to be printed by [`Document::html`] or [`Document::markdown`].
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub(crate) title: String,
    pub(crate) question: String,
    pub(crate) answer: Vec<String>,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) sections: Vec<Section>,
}

impl Document {
    /// Makes a document that has only a title.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), ..Document::default() }
    }

    /// Sets the line below the title: the question that the document answers, or a second title.
    #[must_use]
    pub fn question(mut self, question: impl Into<String>) -> Document {
        self.question = question.into();
        self
    }

    /// Adds a sentence of the answer. The first one is the answer itself, and is emphasised.
    #[must_use]
    pub fn sentence(self, sentence: impl Into<String>) -> Document {
        self.sentences([sentence.into()])
    }

    /// Adds sentences of the answer.
    #[must_use]
    pub fn sentences(mut self, sentences: impl IntoIterator<Item = String>) -> Document {
        self.answer.extend(sentences);
        self
    }

    /// Adds a fact with its name: where, when and by what.
    #[must_use]
    pub fn fact(self, name: impl Into<String>, value: impl Into<String>) -> Document {
        self.facts([(name.into(), value.into())])
    }

    /// Adds facts, each with its name.
    #[must_use]
    pub fn facts(mut self, facts: impl IntoIterator<Item = (String, String)>) -> Document {
        self.facts.extend(facts);
        self
    }

    /// Adds a section.
    #[must_use]
    pub fn section(self, section: Section) -> Document {
        self.sections([section])
    }

    /// Adds sections.
    #[must_use]
    pub fn sections(mut self, sections: impl IntoIterator<Item = Section>) -> Document {
        self.sections.extend(sections);
        self
    }

    /// Returns the answer, sentence by sentence.
    #[must_use]
    pub fn answer(&self) -> &[String] {
        &self.answer
    }
}

/// A heading with the blocks that belong to it.
#[derive(Clone, Debug)]
pub struct Section {
    pub(crate) id: String,
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// Makes a section without blocks. `id` is its anchor: lower-case letters and hyphens, no other section's.
    #[must_use]
    pub fn new(id: impl Into<String>, heading: impl Into<String>) -> Section {
        Section { id: id.into(), heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Section {
        self.with(Block::Text(text.into()))
    }

    /// Adds a block.
    #[must_use]
    pub fn with(mut self, block: impl Into<Block>) -> Section {
        self.push(block);
        self
    }

    /// Adds a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// Whether the section has more than text. One that has not is hardly worth a heading, unless the text is the
    /// matter.
    #[must_use]
    pub fn has_matter(&self) -> bool {
        self.blocks.iter().any(|block| !matches!(block, Block::Text(_)))
    }
}

/// A part of a section.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Text that is kept as it is, line by line.
    Verbatim(String),
    /// A list of items without order.
    List(Vec<String>),
    /// Names with their values.
    Facts(Vec<(String, String)>),
    /// A picture.
    Plot(Plot),
    /// A table.
    Table(Table),
    /// Blocks below a line that unfolds them. On paper they are unfolded.
    Details {
        /// The line.
        summary: String,
        /// Whether they are unfolded from the beginning.
        is_open: bool,
        /// The blocks.
        blocks: Vec<Block>,
    },
    /// Lines to be filled in by hand, on paper, beside each other as far as the page is wide.
    Signatures(Vec<Signature>),
}

impl Block {
    /// Folds blocks below a line.
    #[must_use]
    pub fn folded(summary: impl Into<String>, blocks: impl IntoIterator<Item = impl Into<Block>>) -> Block {
        let blocks = blocks.into_iter().map(Into::into).collect();
        Block::Details { summary: summary.into(), is_open: false, blocks }
    }

    /// Unfolds what is folded, until a reader folds it.
    #[must_use]
    pub fn opened(self) -> Block {
        match self {
            Block::Details { summary, blocks, .. } => Block::Details { summary, is_open: true, blocks },
            other => other,
        }
    }

    /// Makes a block of a table: as it is, or folded below its caption where it has more than [`ROWS_UNFOLDED_MAX`]
    /// rows, so that a reader gets to the end of the page.
    #[must_use]
    pub fn folded_if_long(table: Table) -> Block {
        let rows = table.len();
        if rows <= ROWS_UNFOLDED_MAX {
            return Block::Table(table);
        }
        Block::folded(format!("{}: {rows} rows", table.caption), [table])
    }

    /// Whether a table that readers can sort is in it.
    pub(crate) fn is_sortable(&self) -> bool {
        match self {
            Block::Table(table) => table.is_sortable,
            Block::Details { blocks, .. } => blocks.iter().any(Block::is_sortable),
            _ => false,
        }
    }
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

/// The most rows of a table that [`Block::folded_if_long`] leaves unfolded.
pub const ROWS_UNFOLDED_MAX: usize = 40;

/// A table with headings of its columns and rows.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) caption: String,
    pub(crate) head: Vec<String>,
    pub(crate) groups: Vec<Group>,
    pub(crate) is_sortable: bool,
}

/// Rows of a table that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Empty for rows without a heading.
    pub(crate) heading: String,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Makes a table without rows from the headings of its columns.
    #[must_use]
    pub fn new(caption: impl Into<String>, head: impl IntoIterator<Item = impl Into<String>>) -> Table {
        let head = head.into_iter().map(Into::into).collect();
        Table { caption: caption.into(), head, groups: Vec::new(), is_sortable: false }
    }

    /// Lets readers of the HTML sort the rows by a column: with a click, or with Enter, on its heading.
    #[must_use]
    pub fn sortable(mut self) -> Table {
        self.is_sortable = true;
        self
    }

    /// Leaves out columns, other than the first, in which no row has anything.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Table {
        let is_kept: Vec<bool> = (0..self.head.len())
            .map(|column| column == 0 || self.rows().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let keep = |column: usize| is_kept.get(column).copied().unwrap_or(true);
        let mut column = 0..;
        self.head.retain(|_| column.next().is_some_and(keep));
        for row in self.groups.iter_mut().flat_map(|group| &mut group.rows) {
            let mut column = 0..;
            row.retain(|_| column.next().is_some_and(keep));
        }
        self
    }

    /// Adds a row, as long as the head. Its first cell is the heading of the row.
    pub fn push(&mut self, row: impl Into<Vec<Cell>>) {
        if self.groups.is_empty() {
            self.group("");
        }
        if let Some(group) = self.groups.last_mut() {
            group.rows.push(row.into());
        }
    }

    /// Begins a group of rows with a heading of its own. A table with such groups is not sorted by readers.
    pub fn group(&mut self, heading: impl Into<String>) {
        self.groups.retain(|group| !group.rows.is_empty());
        self.groups.push(Group { heading: heading.into(), rows: Vec::new() });
    }

    /// All rows, of all groups.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// Adds rows, each as [`push`](Self::push) takes them.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = Vec<Cell>>) {
        rows.into_iter().for_each(|row| self.push(row));
    }

    /// Whether the table has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows().next().is_none()
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows().count()
    }
}

/// A cell of a table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number, aligned to the right. It is sorted by the number that its text begins with.
    Number(String),
    /// A number whose text is made for readers (`1.2 GiB`), and by which it is sorted.
    Quantity {
        /// The text that is shown.
        text: String,
        /// The number by which rows are sorted.
        value: f64,
    },
    /// Lines below each other.
    Lines(Vec<String>),
    /// Text in a fixed-width font, such as a digest; it may be broken anywhere.
    Code(String),
    /// A word that judges, on a ground of its own.
    Mark {
        /// The kind of judgement.
        tone: Tone,
        /// The word.
        text: String,
    },
}

impl Cell {
    /// Makes a cell of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// Makes a cell of a number.
    #[must_use]
    pub fn number(text: impl Into<String>) -> Cell {
        Cell::Number(text.into())
    }

    /// Makes a cell of a number, or a dash.
    #[must_use]
    pub fn maybe(text: Option<String>) -> Cell {
        Cell::Number(text.unwrap_or_else(|| "–".to_owned()))
    }

    /// Makes a cell of a number whose text is made for readers.
    #[must_use]
    pub fn quantity(text: impl Into<String>, value: f64) -> Cell {
        Cell::Quantity { text: text.into(), value }
    }

    /// Makes a cell of text in a fixed-width font.
    #[must_use]
    pub fn code(text: impl Into<String>) -> Cell {
        Cell::Code(text.into())
    }

    /// Makes a cell of a word that judges.
    #[must_use]
    pub fn mark(tone: Tone, text: impl Into<String>) -> Cell {
        Cell::Mark { tone, text: text.into() }
    }

    /// Whether the cell shows nothing.
    fn is_empty(&self) -> bool {
        match self {
            Cell::Text(text) | Cell::Number(text) | Cell::Code(text) => text.is_empty(),
            Cell::Quantity { text, .. } | Cell::Mark { text, .. } => text.is_empty(),
            Cell::Lines(lines) => lines.iter().all(String::is_empty),
        }
    }

    /// Whether the cell is aligned to the right.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Cell::Number(_) | Cell::Quantity { .. })
    }
}

/// A line to be filled in by hand, with its label below.
#[derive(Clone, Debug)]
pub struct Signature {
    pub(crate) label: String,
    pub(crate) printed: String,
}

impl Signature {
    /// Makes an empty line.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Signature {
        Signature { label: label.into(), printed: String::new() }
    }

    /// Prints text on the line: what is known already.
    #[must_use]
    pub fn printed(mut self, text: impl Into<String>) -> Signature {
        self.printed = text.into();
        self
    }
}
