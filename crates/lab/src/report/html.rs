//! A document as one HTML file that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::document::{Block, Cell, Document, Plot, Section, Table};
use super::theme;

impl Document {
    /// The document as HTML: one file, without scripts, fonts or pictures from elsewhere.
    #[must_use]
    pub fn html(&self) -> String {
        // A policy that forbids everything from elsewhere, so that not even a mistake here can load something.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
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
                    a class="skip" href="#main" { "Skip to the answer" }
                    header {
                        h1 { (self.title) }
                        p class="question" { (self.question) }
                    }
                    main id="main" {
                        @for sentence in &self.answer { p class="answer" { (sentence) } }
                        dl { @for (name, value) in &self.facts { dt { (name) } dd { (value) } } }
                        nav aria-label="Contents" {
                            ul { @for section in &self.sections { li { a href={ "#" (section.id) } { (section.heading) } } } }
                        }
                        @for section in &self.sections { (render(section)) }
                    }
                }
            }
        };
        // Controls have no place in HTML, and no meaning that a reader should see.
        page.into_string().replace(|c: char| c.is_control() && c != '\n' && c != '\t', "\u{fffd}")
    }
}

fn render(section: &Section) -> Markup {
    html! {
        section aria-labelledby=(section.id) {
            h2 id=(section.id) { (section.heading) }
            @for block in &section.blocks {
                @match block {
                    Block::Text(text) => { p { (text) } }
                    Block::Verbatim(text) => { pre tabindex="0" { (text) } }
                    Block::List(items) => { ul { @for item in items { li { (item) } } } }
                    Block::Plot(plot) => (picture(plot)),
                    Block::Table(rows) => (table(rows)),
                }
            }
        }
    }
}

/// A region that scrolls sideways can be reached and moved by keyboard.
fn picture(plot: &Plot) -> Markup {
    html! {
        figure {
            figcaption { (plot.title) }
            div class="scroll" tabindex="0" role="group" aria-label=(plot.title) {
                svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (plot.width) " " (plot.height) }
                    aria-label={ (plot.title) ". " (plot.description) } {
                    title { (plot.title) }
                    desc { (plot.description) }
                    (PreEscaped(&plot.drawing))
                }
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let is_number = |column: usize| {
        table.rows.iter().all(|row| matches!(row.get(column), Some(Cell::Number(_)) | None)) && !table.rows.is_empty()
    };
    // Rows with much text are cards on a narrow screen.
    let is_prose = table.rows.iter().flatten().any(|cell| matches!(cell, Cell::Lines(_)));
    html! {
        div class="scroll" tabindex="0" role="group" aria-label=(table.caption) {
            table class=[is_prose.then_some("prose")] {
                caption { (table.caption) }
                thead {
                    tr {
                        @for (column, name) in table.head.iter().enumerate() {
                            th scope="col" class=[is_number(column).then_some("number")] { (name) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, value) in row.iter().enumerate() {
                                @if column == 0 { th scope="row" { (cell(value)) } }
                                @else { td class=[matches!(value, Cell::Number(_)).then_some("number")] { (cell(value)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    html! {
        @match cell {
            Cell::Text(text) | Cell::Number(text) => (text),
            Cell::Lines(lines) => { ul { @for line in lines { li { (line) } } } }
            Cell::Verdict(verdict) => {
                span class={ "verdict " (theme::verdict_class(*verdict)) } { (verdict.name()) }
            }
        }
    }
}
