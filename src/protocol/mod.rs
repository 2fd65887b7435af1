//! The wire protocols: how a conversation becomes a request, and a response becomes parts.
//!
//! Every protocol is a folder with the same files: `request.rs` (conversation → body), `stream.rs`
//! (frames → parts) and `wire.rs` (where things stand in its JSON). None of them does input or output
//! or knows of a browser, so a recorded response is a unit test. [`Api`] picks the protocol;
//! [`history`] makes a transcript acceptable to whatever model is called next.

pub mod anthropic_messages;
mod billed;
mod count;
mod decoder;
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
#[cfg(test)]
mod testing;
mod tool_calls;
mod tool_schema;

pub(crate) use billed::billed;
pub use decoder::Decoder;
pub use failure::from_http;
pub use part::{Origin, StreamPart, UsageUpdate};

use crate::error::Failure;
use crate::message::Message;
use crate::model::{Model, RequestOptions, ToolDefinition};
use history::ToolNames;

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

    /// The request for one model call. Tools have the names then that they have on the wire.
    ///
    /// # Errors
    /// When the context or the options cannot be expressed; the message says what to change.
    pub fn encode(
        self,
        model: &Model,
        context: &mut Context,
        options: &mut RequestOptions,
    ) -> Result<HttpRequest, Failure> {
        // A backend gets the app's, and does this itself.
        if self != Self::Proxy {
            ToolNames::new(self, &context.tools).apply(context, options);
        }
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
        match self {
            Self::OpenAiCompletions => Decoder::new(openai_completions::StreamDecoder::default()),
            Self::AnthropicMessages => Decoder::new(anthropic_messages::StreamDecoder::default()),
            Self::GoogleGenerativeAi => {
                Decoder::new(google_generative_ai::StreamDecoder::default())
            }
            Self::OpenAiResponses => Decoder::new(openai_responses::StreamDecoder::default()),
            Self::Proxy => Decoder::new(proxy::StreamDecoder::default()),
        }
    }
}
