//! Kinds of judgements, without their colours.

/// The kind of judgement of a mark. Colours follow it; the word beside it says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// To be checked by somebody.
    Caution,
    /// Wrong.
    Bad,
    /// Neither: undecided, unknown.
    Neutral,
    /// Of less weight: not applicable, not examined.
    Faint,
}

impl Tone {
    /// All tones.
    pub const ALL: [Tone; 5] = [Tone::Good, Tone::Caution, Tone::Bad, Tone::Neutral, Tone::Faint];

    /// Returns the name, which is that of a class in HTML.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Caution => "caution",
            Tone::Bad => "bad",
            Tone::Neutral => "neutral",
            Tone::Faint => "faint",
        }
    }
}
