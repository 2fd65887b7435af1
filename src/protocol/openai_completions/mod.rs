//! OpenAI's chat completions and the many hosts that speak it.

use crate::error::{ErrorCode, ErrorInfo};
use crate::model::{Model, RequestOptions};
use crate::protocol::{Context, HttpRequest, StreamPart};
use crate::text::sse::Frame;

/// Encodes.
pub fn encode(
    _model: &Model,
    _context: &Context,
    _options: &RequestOptions,
) -> Result<HttpRequest, ErrorInfo> {
    Err(ErrorInfo::new(ErrorCode::InvalidRequest, "not yet"))
}
/// Maps an HTTP failure.
pub fn http_error(status: u16, body: &str, _retry_after_ms: Option<f64>) -> ErrorInfo {
    ErrorInfo {
        status: Some(status),
        ..ErrorInfo::new(ErrorCode::Http, body)
    }
}
/// Decodes.
#[derive(Debug, Default)]
pub struct StreamDecoder {}
impl StreamDecoder {
    /// Reads one frame.
    pub fn on_frame(&mut self, _frame: Frame<'_>, _parts: &mut Vec<StreamPart>) {}
    /// whole
    pub fn on_whole_body(&mut self, _body: &str, _parts: &mut Vec<StreamPart>) {}
    /// The body has ended.
    pub fn finish(&mut self, _parts: &mut Vec<StreamPart>) {}
    /// Whether the terminal marker was seen.
    pub fn is_done(&self) -> bool {
        false
    }
}
