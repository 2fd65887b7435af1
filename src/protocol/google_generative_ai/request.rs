//! A conversation → the body of a `streamGenerateContent` request.
//!
//! Owns how turns are written on this wire: who says what under which role, where signatures,
//! results and images go, what a model generation takes. Refuses to repair the conversation
//! ([`history`]).
//!
//! Sources: Gemini API reference, "generateContent", "Content" and "Tool"; Gemini API, "Thinking",
//! "Thought signatures" and "Function calling".

mod body;
mod schema;
#[cfg(test)]
mod tests;

use crate::error::Failure;
use crate::model::{Model, RequestOptions, ThinkingLevel};
use crate::protocol::history::{
    self, AssistantPart, CallPart, CallResult, Target, Turn, UserPart, images,
};
use crate::protocol::{Api, Context, HttpRequest, http};
use crate::text::json::JsonWriter;
use crate::text::{contains, find, number};
use body::{write_image, write_signature, write_text, write_tools};

const DEFAULT_BASE_URL: &str = "https://generativelanguage.googleapis.com/v1beta";

/// Takes the place of a signature that nobody has, for models that insist on one: the call was made
/// by another model ("Thought signatures", on history from elsewhere).
pub(in crate::protocol) const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// Stands for the text of a result that is an image only.
const SEE_IMAGE: &str = "(see attached image)";
/// Begins a conversation whose beginning is the model's: calls have to follow something.
const BEGINNING: &str = "(the conversation goes on)";

/// The first generation that has levels in place of budgets, insists on signatures, and reads images
/// within results.
const WITH_LEVELS: usize = 3;

/// The request for one model call.
///
/// # Errors
/// When there is nothing to send, when the conversation ends with the model's own answer, or when a
/// header is not valid.
pub fn encode(
    model: &Model,
    context: &Context,
    options: &RequestOptions,
) -> Result<HttpRequest, Failure> {
    let mut target = Target::new(Api::GoogleGenerativeAi, model);
    target.image_types = Some(images::GOOGLE);
    let turns = history::prepare_request(&context.messages, &target)?;
    let writer = Writer {
        generation: generation(&model.id),
    };
    let mut json = JsonWriter::default();
    json.object(|json| {
        let pieces = pieces(&turns);
        json.key("contents").array(|json| {
            // Roles alternate: what one side says in a row is one message.
            for pieces in pieces.chunk_by(|a, b| a.is_model() == b.is_model()) {
                writer.content(pieces, json);
            }
        });
        if !context.system_prompt.trim().is_empty() {
            json.key("systemInstruction").object(|json| {
                json.key("parts")
                    .array(|json| write_text(&context.system_prompt, false, None, json));
            });
        }
        if !context.tools.is_empty() {
            let choice = options.tool_choice.as_ref();
            write_tools(&context.tools, choice, json);
        }
        writer.config(model, options, json);
    });
    Ok(HttpRequest {
        url: url(model),
        headers: headers(model, options)?,
        body: json.into_text(),
    })
}

fn url(model: &Model) -> String {
    let base_url = model.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
    // A name with a folder, such as `tunedModels/x`, is whole.
    let folder = if model.id.contains('/') {
        "/"
    } else {
        "/models/"
    };
    let path = [folder, &model.id, ":streamGenerateContent"].concat();
    let mut url = http::join(base_url, &path);
    url.push(if url.contains('?') { '&' } else { '?' });
    url.push_str("alt=sse");
    url
}

fn headers(model: &Model, options: &RequestOptions) -> Result<Vec<(String, String)>, Failure> {
    let key = options.api_key.as_deref().unwrap_or_default();
    let apps = [model.headers.as_ref(), options.headers.as_ref()];
    http::headers(&[("x-goog-api-key", key)], apps)
}

/// Whether a model refuses calls of which the first is not signed.
pub(in crate::protocol) fn insists_on_signatures(id: &str) -> bool {
    generation(id) >= WITH_LEVELS
}

/// The generation in a model's name; 0 if it has none. The names without a number that mean the
/// latest model are of the newest.
fn generation(id: &str) -> usize {
    let Some(name) = find(id, "gemini-").and_then(|at| id.get(at + 7..)) else {
        return 0;
    };
    let number = name.split(|c: char| !c.is_ascii_digit()).next();
    match number.and_then(number::index) {
        Some(generation) => generation,
        None if name.ends_with("-latest") => WITH_LEVELS,
        None => 0,
    }
}

/// What stands in one message of the wire.
#[derive(Clone, Copy)]
enum Piece<'t, 'a> {
    Beginning,
    Said(&'t [UserPart<'a>]),
    Results(&'t [CallResult<'a>]),
    Model(&'t [AssistantPart<'a>]),
}

impl Piece<'_, '_> {
    fn is_model(self) -> bool {
        matches!(self, Self::Model(_))
    }
}

fn pieces<'t, 'a>(turns: &'t [Turn<'a>]) -> Vec<Piece<'t, 'a>> {
    let mut pieces = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => pieces.push(Piece::Said(parts)),
            Turn::Assistant(turn) => {
                if pieces.is_empty() {
                    pieces.push(Piece::Beginning);
                }
                pieces.push(Piece::Model(&turn.parts));
                if !turn.results.is_empty() {
                    pieces.push(Piece::Results(&turn.results));
                }
            }
        }
    }
    pieces
}

struct Writer {
    generation: usize,
}

impl Writer {
    fn content(&self, pieces: &[Piece<'_, '_>], json: &mut JsonWriter) {
        let is_model = pieces.first().is_some_and(|piece| piece.is_model());
        let mut needs_signature = self.generation >= WITH_LEVELS;
        json.object(|json| {
            json.key("role")
                .string(if is_model { "model" } else { "user" });
            json.key("parts").array(|json| {
                for piece in pieces {
                    match piece {
                        Piece::Beginning => write_text(BEGINNING, false, None, json),
                        Piece::Said(parts) => parts.iter().for_each(|part| match part {
                            UserPart::Text(text) => write_text(text, false, None, json),
                            UserPart::Image(image) => write_image(image, None, json),
                        }),
                        Piece::Results(results) => self.results(results, json),
                        Piece::Model(parts) => parts
                            .iter()
                            .for_each(|part| self.model_part(part, &mut needs_signature, json)),
                    }
                }
            });
        });
    }

    fn model_part(
        &self,
        part: &AssistantPart<'_>,
        needs_signature: &mut bool,
        json: &mut JsonWriter,
    ) {
        match part {
            AssistantPart::Text(text, signature) => write_text(text, false, *signature, json),
            AssistantPart::Thinking(block) => {
                let text = block.thinking.as_str();
                let signature = history::signature(block.thinking_signature.as_deref());
                // Empty, it is the signature of a text that was.
                if !text.is_empty() || signature.is_some() {
                    write_text(text, !text.is_empty(), signature, json);
                }
            }
            AssistantPart::Call(part) => {
                // Of calls made together only the first is signed.
                let missing = std::mem::take(needs_signature).then_some(NO_SIGNATURE);
                self.call(part, part.signature.or(missing), json);
            }
            AssistantPart::Image(Some(image)) => {
                // A message has no place for the signature of an image.
                let signature = (self.generation >= WITH_LEVELS).then_some(NO_SIGNATURE);
                write_image(image, signature, json);
            }
            AssistantPart::Image(None) => write_text(history::OWN_IMAGE, false, None, json),
        }
    }

    fn call(&self, part: &CallPart<'_>, signature: Option<&str>, json: &mut JsonWriter) {
        json.object(|json| {
            json.key("functionCall").object(|json| {
                json.key("id").string(&part.id);
                json.key("name").string(&part.call.name);
                json.key("args").map(&part.call.arguments);
            });
            write_signature(signature, json);
        });
    }

    /// The results of one turn, in the order of its calls. Models before the third generation refuse
    /// images within a result, so there they follow the results.
    fn results(&self, results: &[CallResult<'_>], json: &mut JsonWriter) {
        let within = self.generation >= WITH_LEVELS;
        for result in results {
            let (mut text, mut images) = (String::new(), Vec::new());
            for part in &result.parts {
                match part {
                    UserPart::Text(more) => {
                        if !text.is_empty() {
                            text.push('\n');
                        }
                        text.push_str(more);
                    }
                    UserPart::Image(image) => images.push(*image),
                }
            }
            if text.is_empty() {
                text.push_str(SEE_IMAGE);
            }
            json.object(|json| {
                json.key("functionResponse").object(|json| {
                    json.key("id").string(&result.id);
                    json.key("name").string(result.name);
                    // Text, because the API reads `$ref` in a structure as one of its own.
                    json.key("response").object(|json| {
                        json.key(if result.is_error { "error" } else { "output" })
                            .string(&text);
                    });
                    if within && !images.is_empty() {
                        json.key("parts").array(|json| {
                            for image in images {
                                write_image(&image, None, json);
                            }
                        });
                    }
                });
            });
        }
        if !within {
            for part in results.iter().flat_map(|result| &result.parts) {
                if let UserPart::Image(image) = part {
                    write_image(image, None, json);
                }
            }
        }
    }

    fn config(&self, model: &Model, options: &RequestOptions, json: &mut JsonWriter) {
        let limit = options.max_tokens.or(model.max_tokens);
        let limit = limit.filter(|limit| *limit >= 1.0);
        let temperature = options.temperature.filter(|value| value.is_finite());
        let thinks = model.reasoning == Some(true);
        if limit.is_none() && temperature.is_none() && !thinks {
            return;
        }
        json.key("generationConfig").object(|json| {
            if let Some(limit) = limit {
                json.key("maxOutputTokens").number(limit.trunc());
            }
            if let Some(temperature) = temperature {
                json.key("temperature").number(temperature);
            }
            if thinks {
                json.key("thinkingConfig")
                    .object(|json| self.thinking(&model.id, options, json));
            }
        });
    }

    /// Levels for models that have them, else a budget ("Thinking": the one excludes the other). `LOW`
    /// is the least that every model with levels takes, and 512 the least budget but 0.
    fn thinking(&self, id: &str, options: &RequestOptions, json: &mut JsonWriter) {
        let (name, level, budget) = match options.reasoning {
            ThinkingLevel::Off => ("off", "LOW", 0.0_f64),
            ThinkingLevel::Minimal => ("minimal", "LOW", 512.0),
            ThinkingLevel::Low => ("low", "LOW", 2048.0),
            ThinkingLevel::Medium => ("medium", "MEDIUM", 8192.0),
            ThinkingLevel::High => ("high", "HIGH", 24_576.0),
            ThinkingLevel::Xhigh => ("xhigh", "HIGH", 24_576.0),
        };
        if options.reasoning != ThinkingLevel::Off {
            json.key("includeThoughts").boolean(true);
        }
        if self.generation >= WITH_LEVELS {
            // The first of them has two levels only.
            let is_first = level == "MEDIUM" && contains(id, "gemini-3-pro");
            json.key("thinkingLevel")
                .string(if is_first { "HIGH" } else { level });
            return;
        }
        // It cannot be told not to think.
        let least = if contains(id, "2.5-pro") { 128.0 } else { 0.0 };
        let budgets = options.thinking_budgets.iter().flatten();
        let own = budgets.rev().find(|(level, _)| level == name);
        let budget = own.map_or(budget.max(least), |(_, budget)| budget.trunc());
        json.key("thinkingBudget").number(budget);
    }
}
