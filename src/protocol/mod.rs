//! The wire protocols: how a conversation becomes a request, and a response becomes parts.
//!
//! Every protocol is a folder with the same files: `request.rs` (conversation → body), `stream.rs`
//! (frames → parts) and `wire.rs` (where things stand in its JSON). None of them does input or output
//! or knows of a browser, so a recorded response is a unit test. [`Api`] picks the protocol;
//! [`history`] makes a transcript acceptable to whatever model is called next.

pub mod anthropic_messages;
mod count;
mod failure;
pub mod google_generative_ai;
mod halves;
pub mod history;
pub(crate) mod http;
mod openai;
pub mod openai_completions;
pub mod openai_responses;
mod part;
pub mod proxy;
mod tool_calls;
mod tool_schema;

pub use failure::from_http;
pub use part::{StreamPart, UsageUpdate};

use crate::error::Failure;
use crate::message::Message;
use crate::model::{Model, RequestOptions, ToolDefinition};
use crate::text::sse::Frame;
use halves::Halves;

/// A wire protocol that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's chat completions, the protocol of most hosts.
    OpenAiCompletions,
    /// Anthropic's Messages API.
    AnthropicMessages,
    /// Google's Gemini API.
    GoogleGenerativeAi,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// The app's own backend, which speaks to the model. No model names it: a call goes this way
    /// when its options have a proxy.
    Proxy,
}

/// What a model gets to read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// The system prompt; empty for none.
    pub system_prompt: String,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDefinition>,
}

/// An HTTP request, ready to be sent with `POST`.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// Where to.
    pub url: String,
    /// Headers, names in lower case, each once.
    pub headers: Vec<(String, String)>,
    /// The body: JSON text.
    pub body: String,
}

/// Reads the frames of one response.
#[derive(Debug)]
pub struct Decoder {
    wire: Wire,
    halves: Halves,
}

#[derive(Debug)]
enum Wire {
    OpenAiCompletions(openai_completions::StreamDecoder),
    AnthropicMessages(anthropic_messages::StreamDecoder),
    GoogleGenerativeAi(google_generative_ai::StreamDecoder),
    OpenAiResponses(openai_responses::StreamDecoder),
    Proxy(proxy::StreamDecoder),
}

impl Api {
    /// All protocols that a model can name.
    pub const ALL: [Self; 4] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::GoogleGenerativeAi,
    ];

    /// The protocol that carries a call of this model, if it is built in.
    pub fn of(model: &Model, options: &RequestOptions) -> Option<Self> {
        match options.proxy {
            Some(_) => Some(Self::Proxy),
            None => Self::from_name(&model.api),
        }
    }

    /// The protocol of this name, if it is built in.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }

    /// The name, as in `model.api`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
            Self::OpenAiResponses => "openai-responses",
            Self::Proxy => "proxy",
        }
    }

    /// The provider that is meant when the model names none.
    pub fn default_provider(self) -> &'static str {
        match self {
            Self::OpenAiCompletions | Self::OpenAiResponses => "openai",
            Self::AnthropicMessages => "anthropic",
            Self::GoogleGenerativeAi => "google",
            Self::Proxy => "proxy",
        }
    }

    /// The request for one model call.
    ///
    /// # Errors
    /// When the context or the options cannot be expressed; the message says what to change.
    pub fn encode(
        self,
        model: &Model,
        context: &Context,
        options: &RequestOptions,
    ) -> Result<HttpRequest, Failure> {
        match self {
            Self::OpenAiCompletions => openai_completions::encode(model, context, options),
            Self::AnthropicMessages => anthropic_messages::encode(model, context, options),
            Self::GoogleGenerativeAi => google_generative_ai::encode(model, context, options),
            Self::OpenAiResponses => openai_responses::encode(model, context, options),
            Self::Proxy => proxy::encode(model, context, options),
        }
    }

    /// A decoder for the response to one request.
    pub fn decoder(self) -> Decoder {
        let wire = match self {
            Self::OpenAiCompletions => Wire::OpenAiCompletions(Default::default()),
            Self::AnthropicMessages => Wire::AnthropicMessages(Default::default()),
            Self::GoogleGenerativeAi => Wire::GoogleGenerativeAi(Default::default()),
            Self::OpenAiResponses => Wire::OpenAiResponses(Default::default()),
            Self::Proxy => Wire::Proxy(Default::default()),
        };
        let halves = Halves::default();
        Decoder { wire, halves }
    }
}

impl Decoder {
    /// Reads one frame and appends what it says to `parts`.
    pub fn on_frame(&mut self, frame: Frame<'_>, parts: &mut Vec<StreamPart>) {
        let from = parts.len();
        match &mut self.wire {
            Wire::OpenAiCompletions(wire) => wire.on_frame(frame, parts),
            Wire::AnthropicMessages(wire) => wire.on_frame(frame, parts),
            Wire::GoogleGenerativeAi(wire) => wire.on_frame(frame, parts),
            Wire::OpenAiResponses(wire) => wire.on_frame(frame, parts),
            Wire::Proxy(wire) => wire.on_frame(frame, parts),
        }
        self.halves.join(frame.data, from, parts);
    }

    /// The body has ended: appends what was held back, and a `truncated` error unless the
    /// protocol's own terminal marker was seen.
    pub fn finish(&mut self, parts: &mut Vec<StreamPart>) {
        let from = parts.len();
        match &mut self.wire {
            Wire::OpenAiCompletions(wire) => wire.finish(parts),
            Wire::AnthropicMessages(wire) => wire.finish(parts),
            Wire::GoogleGenerativeAi(wire) => wire.finish(parts),
            Wire::OpenAiResponses(wire) => wire.finish(parts),
            Wire::Proxy(wire) => wire.finish(parts),
        }
        self.halves.join("", from, parts);
    }

    /// Reads a successful response whose body is one JSON document in place of a stream, as some
    /// proxies send it: a whole answer, or an error. Takes the place of all other calls.
    pub fn on_whole_body(&mut self, body: &str, parts: &mut Vec<StreamPart>) {
        match &mut self.wire {
            Wire::OpenAiCompletions(wire) => wire.on_whole_body(body, parts),
            Wire::AnthropicMessages(wire) => wire.on_whole_body(body, parts),
            Wire::GoogleGenerativeAi(wire) => wire.on_whole_body(body, parts),
            Wire::OpenAiResponses(wire) => wire.on_whole_body(body, parts),
            Wire::Proxy(wire) => wire.on_whole_body(body, parts),
        }
    }

    /// Whether the terminal marker or a failure was seen: nothing more is worth reading.
    pub fn is_done(&self) -> bool {
        match &self.wire {
            Wire::OpenAiCompletions(wire) => wire.is_done(),
            Wire::AnthropicMessages(wire) => wire.is_done(),
            Wire::GoogleGenerativeAi(wire) => wire.is_done(),
            Wire::OpenAiResponses(wire) => wire.is_done(),
            Wire::Proxy(wire) => wire.is_done(),
        }
    }

    /// Whether enough was seen for [`Decoder::finish`] to say how the answer ended. Reading goes on
    /// (token counts may follow), but a connection that breaks or falls silent now does no harm.
    pub fn is_complete(&self) -> bool {
        match &self.wire {
            Wire::OpenAiCompletions(wire) => wire.is_complete(),
            Wire::AnthropicMessages(wire) => wire.is_complete(),
            Wire::GoogleGenerativeAi(wire) => wire.is_complete(),
            Wire::OpenAiResponses(wire) => wire.is_complete(),
            Wire::Proxy(wire) => wire.is_done(),
        }
    }

    /// How long a complete answer waits for what may follow it, in milliseconds: token counts come
    /// late, another response comes at once or not at all.
    pub fn grace_ms(&self) -> f64 {
        match self.wire {
            Wire::OpenAiResponses(_) => 300.0,
            _ => 5000.0,
        }
    }
}
