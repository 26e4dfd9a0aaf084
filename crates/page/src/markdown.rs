//! A document as Markdown (GitHub's, with tables), without its plots.

use std::fmt::Write as _;

use pfh_quote::is_unprintable;

use crate::document::{Block, Cell, Document, Table};

impl Document {
    /// Returns the document as Markdown. Plots are named and described, not drawn.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escape(&self.title));
        if !self.question.is_empty() {
            let _ = write!(text, "\n{}\n", escape(&self.question));
        }
        for (index, sentence) in self.answer.iter().enumerate() {
            let mark = if index == 0 { "**" } else { "" };
            let _ = write!(text, "\n{mark}{}{mark}\n", escape(sentence));
        }
        text += "\n";
        text += &facts(&self.facts);
        for section in &self.sections {
            let _ = write!(text, "\n## {}\n", escape(&section.heading));
            text += &blocks(&section.blocks);
        }
        text
    }
}

fn blocks(all: &[Block]) -> String {
    let mut text = String::new();
    for block in all {
        text += "\n";
        match block {
            Block::Text(paragraph) => text += &(escape(paragraph) + "\n"),
            Block::Verbatim(lines) => text += &verbatim(lines),
            Block::List(items) => {
                for item in items {
                    let _ = writeln!(text, "- {}", escape(item));
                }
            }
            Block::Facts(all) => text += &facts(all),
            Block::Plot(plot) => {
                let _ = writeln!(text, "*{}.* {}", escape(&plot.title), escape(&plot.description));
            }
            Block::Table(table) => text += &rows(table),
            Block::Details { summary, blocks: folded, .. } => {
                let _ = write!(text, "### {}\n{}", escape(summary), blocks(folded));
            }
            Block::Signatures(lines) => {
                for line in lines {
                    let _ = writeln!(text, "- {}: {}", escape(&line.label), on_line(&line.printed));
                }
            }
        }
    }
    text
}

fn facts(facts: &[(String, String)]) -> String {
    facts.iter().map(|(name, value)| format!("- {}: {}\n", escape(name), escape(value))).collect()
}

/// A line to write on, unless something stands there.
fn on_line(printed: &str) -> String {
    if printed.is_empty() { "\\_".repeat(30) } else { escape(printed) }
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("**{}**\n\n", escape(&table.caption));
    text += &line(table.head.iter().map(|name| escape(name)).collect());
    let is_number = |column: usize| table.rows().all(|row| row.get(column).is_some_and(Cell::is_number));
    let rule = |column: usize| if is_number(column) { "---:" } else { "---" };
    text += &line((0..table.head.len()).map(|column| rule(column).to_owned()).collect());
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Number(text) | Cell::Quantity { text, .. } | Cell::Code(text) => escape(text),
        Cell::Lines(lines) => lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("<br>"),
        Cell::Mark { text, .. } => escape(text),
    };
    for group in table.groups.iter().filter(|group| !group.rows.is_empty()) {
        if !group.heading.is_empty() {
            let others = (1..table.head.len()).map(|_| String::new());
            text += &line([format!("**{}**", escape(&group.heading))].into_iter().chain(others).collect());
        }
        for row in &group.rows {
            text += &line(row.iter().map(cell).collect());
        }
    }
    text
}

/// A block whose fence is longer than any in it.
fn verbatim(lines: &str) -> String {
    let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines = lines.trim_end().replace(|c: char| is_unprintable(c) && c != '\n' && c != '\t', "\u{fffd}");
    format!("{fence}text\n{lines}\n{fence}\n")
}

/// Text that Markdown takes literally, on one line. Spaces that it would drop stay: leading and trailing ones, and all
/// but the first of several.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters =
        text.chars().map(|character| if is_unprintable(character) { ' ' } else { character }).peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        match character {
            ' ' if before == ' ' || characters.peek().is_none() => escaped.push_str("&nbsp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => escaped.extend(['\\', character]),
            '&' => escaped.push_str("&amp;"),
            character => escaped.push(character),
        }
        before = character;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("a|b\n<script>&`x`"), "a\\|b \\<script\\>&amp;\\`x\\`");
        assert_eq!(escape(" a b  c   d "), "&nbsp;a b &nbsp;c &nbsp;&nbsp;d&nbsp;");
        assert_eq!(escape("a\u{202e}b"), "a b");
        assert_eq!(verbatim("x\n````\n"), "`````text\nx\n````\n`````\n");
    }
}
