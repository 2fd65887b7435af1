//! What several integration tests need: recorded streams, a fold of parts into a message, and for
//! every wire its framing and a strict reader of requests.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

pub mod fold;
pub mod recorded;
mod request_anthropic_messages;
mod request_google_generative_ai;
mod request_openai_completions;
mod request_openai_responses;
mod request_proxy;
pub mod wire;

use sluice_agent::protocol::{Decoder, StreamPart};
use sluice_agent::text::sse::SseDecoder;

/// What a decoder makes of the chunks of one body.
pub fn decode<'a>(
    mut decoder: Decoder,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<StreamPart> {
    let mut sse = SseDecoder::new();
    let mut parts = Vec::new();
    for chunk in chunks {
        sse.push(chunk);
        while let Some(frame) = sse.next_frame() {
            decoder.on_frame(frame, &mut parts);
        }
    }
    sse.finish();
    while let Some(frame) = sse.next_frame() {
        decoder.on_frame(frame, &mut parts);
    }
    decoder.finish(&mut parts);
    parts
}
