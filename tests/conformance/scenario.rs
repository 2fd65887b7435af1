//! What can happen on a wire.

use sluice_agent::model::Model;
use sluice_agent::protocol::Api;

/// A response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// `Hello, 世界!` in pieces, 9 tokens in, 2 out.
    PlainText,
    /// `Hello`, and no counts.
    NoUsage,
    /// Thinking `Two and two.`, text `Four.`, each in pieces.
    ThinkingThenText,
    /// Text `I ask.`, then `f({"city":"Paris","days":[1,2]})` in as many pieces as can be.
    OneCall,
    /// `f({"x":1})`, then `g({"y":2})`.
    ParallelCalls,
    /// The same, with pieces that alternate.
    InterleavedCalls,
    /// `f({"q":1})` without an id.
    CallWithoutId,
    /// `f` without arguments.
    CallWithoutArguments,
    /// `Hello` between events that nobody knows.
    UnknownEvent,
    /// The provider is overloaded, and says so in the first event.
    ErrorFirst,
    /// `f({"q":1})`, then the same.
    ErrorBehindCall,
    /// `f({"q":"ha`, then the same.
    ErrorInsideCall,
    /// Text `half`, then an event that is not JSON, then the end.
    MalformedFrame,
    /// In place of a stream, a body that says that the provider is overloaded.
    ErrorBody,
    /// Text `I`, and then the provider's policy ends the answer.
    Refusal,
    /// `f({"p":"ha`, and then the output limit ends the answer.
    LengthInsideCall,
    /// Thinking `Hm.` and `f({"q":1})`, with what the next request must carry.
    ThinkingReplay,
    /// A PNG image with the data `AA==`.
    ImageOut,
    /// Thinking `a🙂b`, text `a🙂b`, and `f({"q":"a🙂b","p":"🙂"})`, all cut within the character:
    /// [`cut_characters`] writes its halves. `p` is cut where the arguments' own text has an escape.
    CutCharacters,
}

impl Scenario {
    pub const ALL: [Self; 19] = [
        Self::PlainText,
        Self::NoUsage,
        Self::ThinkingThenText,
        Self::OneCall,
        Self::ParallelCalls,
        Self::InterleavedCalls,
        Self::CallWithoutId,
        Self::CallWithoutArguments,
        Self::UnknownEvent,
        Self::ErrorFirst,
        Self::ErrorBehindCall,
        Self::ErrorInsideCall,
        Self::MalformedFrame,
        Self::ErrorBody,
        Self::Refusal,
        Self::LengthInsideCall,
        Self::ThinkingReplay,
        Self::ImageOut,
        Self::CutCharacters,
    ];

    /// Whether it is one document in place of a stream.
    pub fn is_one_body(self) -> bool {
        self == Self::ErrorBody
    }
}

/// Writes the halves of 🙂 in place of `⟪` and `⟫`, which a JSON writer would refuse.
pub fn cut_characters(frames: &[Vec<String>]) -> Vec<String> {
    let halves = |frame: &String| frame.replace('⟪', r"\ud83d").replace('⟫', r"\ude42");
    frames.iter().flatten().map(halves).collect()
}

/// What a scenario is on a wire.
#[derive(Debug)]
pub enum Answer {
    /// These frames, one event each.
    Frames(Vec<String>),
    /// Nothing, and why.
    Skip(&'static str),
}

/// A wire.
#[derive(Clone, Copy)]
pub struct Wire {
    pub api: Api,
    /// A model whose thinking goes back.
    pub model: fn() -> Model,
    pub answer: fn(Scenario) -> Answer,
    /// Whether an answer is complete behind this frame, should nothing else come.
    pub completes: fn(&str) -> bool,
    /// What the request behind [`Scenario::ThinkingReplay`] holds.
    pub replayed: &'static [&'static str],
    /// Whether others decide what the model gets to read.
    pub hands_over_all: bool,
}
