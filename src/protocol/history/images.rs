//! Images within one request.
//!
//! Owns that an image goes under the type that its data shows, whatever it is called, and that none
//! goes which the target refuses: one would make it refuse the conversation from then on.
//!
//! Sources: OpenAI, "Images and vision"; Anthropic, "Vision"; Gemini API, "Image understanding".

use super::ids::is_standard;
use crate::message::ImageContent;

/// What OpenAI and Anthropic read.
pub const COMMON: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
/// What Google reads.
pub const GOOGLE: &[&str] = &[
    "image/jpeg",
    "image/png",
    "image/webp",
    "image/heic",
    "image/heif",
];

/// Types, and what stands where in their data, in base64.
const BEGINNINGS: [(&str, usize, &str); 5] = [
    ("image/jpeg", 0, "/9j/"),
    ("image/png", 0, "iVBORw0KGgo"),
    ("image/gif", 0, "R0lGOD"),
    ("image/webp", 0, "UklGR"),
    ("image/heic", 8, "eXBoZWlj"),
];

/// An image under a type that the target reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImagePart<'a> {
    /// MIME type.
    pub mime_type: &'a str,
    /// The bytes in base64; never empty.
    pub data: &'a str,
}

/// The image for a target that reads `types`, or whatever has a type; none if it does not read it.
pub(super) fn part<'a>(
    image: &'a ImageContent,
    types: Option<&'static [&'static str]>,
) -> Option<ImagePart<'a>> {
    let said = match image.mime_type.as_str() {
        "image/jpg" => "image/jpeg",
        said => said,
    };
    let data = image.data.as_str();
    let shown = BEGINNINGS.iter().find(|(_, at, begin)| {
        let rest = data.get(*at..);
        rest.is_some_and(|rest| rest.starts_with(begin))
    });
    let mime_type = shown.map_or(said, |(name, ..)| name);
    let is_read = match types {
        Some(types) => types.contains(&mime_type),
        None => is_type(mime_type),
    };
    (is_read && !data.is_empty()).then_some(ImagePart { mime_type, data })
}

/// Whether it is a type of images, as may stand at the beginning of a data URL.
fn is_type(name: &str) -> bool {
    let is_plain = |byte: u8| is_standard(byte) || byte == b'+' || byte == b'.';
    let kind = name.strip_prefix("image/").unwrap_or_default();
    !kind.is_empty() && kind.bytes().all(is_plain)
}
