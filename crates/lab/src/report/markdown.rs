//! A document as Markdown (GitHub's, with tables), without its plots.

use std::fmt::Write as _;

use super::document::{Block, Cell, Document, Table};

impl Document {
    /// The document as Markdown. Plots are named and described, not drawn.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", escape(&self.title), escape(&self.question));
        for (index, sentence) in self.answer.iter().enumerate() {
            let mark = if index == 0 { "**" } else { "" };
            let _ = write!(text, "\n{mark}{}{mark}\n", escape(sentence));
        }
        text += "\n";
        for (name, value) in &self.facts {
            let _ = writeln!(text, "- {}: {}", escape(name), escape(value));
        }
        for section in &self.sections {
            let _ = write!(text, "\n## {}\n", escape(&section.heading));
            for block in &section.blocks {
                text += "\n";
                match block {
                    Block::Text(paragraph) => text += &(escape(paragraph) + "\n"),
                    Block::Verbatim(lines) => text += &verbatim(lines),
                    Block::List(items) => {
                        for item in items {
                            let _ = writeln!(text, "- {}", escape(item));
                        }
                    }
                    Block::Plot(plot) => {
                        let _ = writeln!(text, "*{}.* {}", escape(&plot.title), escape(&plot.description));
                    }
                    Block::Table(table) => text += &rows(table),
                }
            }
        }
        text
    }
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("**{}**\n\n", escape(&table.caption));
    text += &line(table.head.iter().map(|name| escape(name)).collect());
    let is_number = |column: usize| table.rows.iter().all(|row| matches!(row.get(column), Some(Cell::Number(_))));
    let rule = |column: usize| if is_number(column) { "---:" } else { "---" };
    text += &line((0..table.head.len()).map(|column| rule(column).to_owned()).collect());
    for row in &table.rows {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) | Cell::Number(text) => escape(text),
            Cell::Lines(lines) => lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("<br>"),
            Cell::Verdict(verdict) => verdict.name().to_owned(),
        };
        text += &line(row.iter().map(cell).collect());
    }
    text
}

/// A block whose fence is longer than any in it.
fn verbatim(lines: &str) -> String {
    let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", lines.trim_end())
}

/// Text that Markdown takes literally, on one line.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => escaped.extend(['\\', character]),
            '&' => escaped.push_str("&amp;"),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escape("a|b\n<script>&`x`"), "a\\|b \\<script\\>&amp;\\`x\\`");
        assert_eq!(verbatim("x\n````\n"), "`````text\nx\n````\n`````\n");
    }
}
