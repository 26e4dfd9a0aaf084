//! A document as one HTML file that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pfh_quote::is_unprintable;

use crate::document::{Block, Cell, Document, Group, Section, Signature, Table};
use crate::drawing::{Drawing, FONT, Plot};
use crate::theme;

/// Sorts the rows of tables that can be sorted. It is the only script of a page, and the page's policy names its
/// digest, so no other one runs.
const SORT_SCRIPT: &str = include_str!("sort.js");

/// The SHA-256 of [`SORT_SCRIPT`] in base 64. A test computes it; this crate does not, for a part of what uses it may
/// not contain any code that hashes.
const SORT_SCRIPT_SHA256: &str = "BEretOMlgxbV5xiNN8uRhFqo/HXg1Q5SdAFkimnf3yY=";

impl Document {
    /// Returns the document as HTML: one file, without scripts, fonts or pictures from elsewhere. The only script sorts
    /// tables, where one can be sorted; without it, everything is shown too.
    #[must_use]
    pub fn html(&self) -> String {
        // A policy that forbids everything from elsewhere, so that not even a mistake here can load something.
        let mut policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:".to_owned();
        let has_script = self.sections.iter().flat_map(|section| &section.blocks).any(Block::is_sortable);
        if has_script {
            policy += &format!("; script-src 'sha256-{SORT_SCRIPT_SHA256}'");
        }
        let skip = if self.answer.is_empty() { "Skip to the contents" } else { "Skip to the answer" };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(theme::style_sheet())) }
                }
                body {
                    a class="skip" href="#main" { (skip) }
                    header {
                        h1 { (self.title) }
                        @if !self.question.is_empty() { p class="question" { (self.question) } }
                    }
                    main id="main" {
                        @for sentence in &self.answer { p class="answer" { (sentence) } }
                        @if !self.facts.is_empty() { (facts(&self.facts)) }
                        @if !self.sections.is_empty() {
                            nav aria-label="Contents" {
                                ul { @for section in &self.sections { li { a href={ "#" (section.id) } { (section.heading) } } } }
                            }
                        }
                        @for section in &self.sections { (render(section)) }
                    }
                    @if has_script { script { (PreEscaped(SORT_SCRIPT)) } }
                }
            }
        };
        // Controls have no place in HTML, and nothing invisible is to hide or reorder what a reader sees.
        page.into_string().replace(|c: char| is_unprintable(c) && c != '\n' && c != '\t', "\u{fffd}")
    }
}

fn render(section: &Section) -> Markup {
    html! {
        section aria-labelledby=(section.id) {
            h2 id=(section.id) { (section.heading) }
            (all(&section.blocks))
        }
    }
}

fn all(blocks: &[Block]) -> Markup {
    html! {
        @for block in blocks {
            @match block {
                Block::Text(text) => { p { (text) } }
                Block::Verbatim(text) => { pre tabindex="0" { (text) } }
                Block::List(items) => { ul { @for item in items { li { (item) } } } }
                Block::Facts(all) => (facts(all)),
                Block::Plot(plot) => (picture(plot)),
                Block::Table(rows) => (table(rows)),
                Block::Details { summary, is_open, blocks } => {
                    details open[*is_open] { summary { (summary) } (all(blocks)) }
                }
                Block::Signatures(lines) => (signatures(lines)),
            }
        }
    }
}

fn facts(facts: &[(String, String)]) -> Markup {
    html! { dl { @for (name, value) in facts { dt { (name) } dd { (value) } } } }
}

fn signatures(lines: &[Signature]) -> Markup {
    html! {
        div class="signatures" {
            @for line in lines {
                p { span class="line" { (line.printed) } span class="label" { (line.label) } }
            }
        }
    }
}

/// One of the two drawings is shown, by the width of the screen; nothing scrolls.
fn picture(plot: &Plot) -> Markup {
    html! {
        figure {
            figcaption { (plot.title) }
            (drawn(plot, "wide", &plot.wide))
            (drawn(plot, "narrow", &plot.narrow))
        }
    }
}

fn drawn(plot: &Plot, class: &str, drawing: &Drawing) -> Markup {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" class=(class) font-size=(FONT)
            viewBox={ "0 0 " (drawing.width) " " (drawing.height) } aria-label={ (plot.title) ". " (plot.description) } {
            title { (plot.title) }
            desc { (plot.description) }
            (PreEscaped(&drawing.body))
        }
    }
}

/// A region that scrolls sideways can be reached and moved by keyboard.
fn table(table: &Table) -> Markup {
    let is_number =
        |column: usize| table.rows().all(|row| row.get(column).is_none_or(Cell::is_number)) && !table.is_empty();
    // Rows with much text, or with paths and digests, are cards on a narrow screen.
    let is_prose = table.rows().flatten().any(|cell| matches!(cell, Cell::Lines(_) | Cell::Code(_)));
    let classes = match (is_prose, table.is_sortable) {
        (true, true) => Some("prose sortable"),
        (true, false) => Some("prose"),
        (false, true) => Some("sortable"),
        (false, false) => None,
    };
    html! {
        div class="scroll" tabindex="0" role="group" aria-label=(table.caption) {
            table class=[classes] {
                caption { (table.caption) }
                thead {
                    tr {
                        @for (column, name) in table.head.iter().enumerate() {
                            th scope="col" class=[is_number(column).then_some("number")] { (name) }
                        }
                    }
                }
                @for group in table.groups.iter().filter(|group| !group.rows.is_empty()) { (rows(group, &table.head, is_prose)) }
            }
        }
    }
}

fn rows(group: &Group, head: &[String], is_prose: bool) -> Markup {
    html! {
        tbody {
            @if !group.heading.is_empty() {
                tr class="group" { th scope="rowgroup" colspan=(head.len()) { span { (group.heading) } } }
            }
            @for row in &group.rows {
                tr {
                    @for (column, value) in row.iter().enumerate() {
                        @let class = class_of(value, column);
                        @let label = is_prose.then(|| head.get(column)).flatten();
                        @if column == 0 { th scope="row" class=[class] data-value=[sort_value(value)] { (cell(value)) } }
                        @else { td class=[class] data-label=[label] data-value=[sort_value(value)] { (cell(value)) } }
                    }
                }
            }
        }
    }
}

fn class_of(cell: &Cell, column: usize) -> Option<&'static str> {
    match cell {
        _ if is_long(cell) => Some("number long"),
        _ if cell.is_number() => Some("number"),
        // A time or a version is not broken at its hyphens.
        Cell::Text(text) if column > 0 && text.chars().count() <= 24 && !text.contains(' ') => Some("whole"),
        _ => None,
    }
}

/// Whether a number is so long, as with its interval, that it is broken where there is little room.
fn is_long(cell: &Cell) -> bool {
    matches!(cell, Cell::Number(text) | Cell::Quantity { text, .. } if text.chars().count() > 14)
}

/// The number by which a cell is sorted, where its text does not tell.
fn sort_value(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Quantity { value, .. } => Some(*value),
        _ => None,
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        @match cell {
            Cell::Text(text) | Cell::Number(text) | Cell::Quantity { text, .. } => (text),
            Cell::Lines(lines) => { ul { @for line in lines { li { (line) } } } }
            Cell::Code(text) => { @if !text.is_empty() { code { (text) } } }
            Cell::Mark { tone, text } => span class={ "mark " (tone.name()) } { (text) },
        }
    }
}
