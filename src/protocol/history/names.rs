//! Names of tools within one request.

use std::borrow::Cow;

use super::ids::{self, IdRegistry};
use crate::message::{AssistantContentBlock, Message};
use crate::model::{RequestOptions, ToolCallIdFormat, ToolChoice, ToolDefinition};
use crate::protocol::{Api, Context};

/// The names that tools have on the wire, where the app's own are outside the provider's rules: for
/// one such name it refuses the whole conversation, and models make up names, too.
///
/// The same tools always get the same names. A name that no other tool needs is as near to the app's
/// as it can be, because models read names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolNames {
    is_google: bool,
    /// What an offered tool is called by the app, and on the wire, where they differ.
    renamed: Vec<(String, String)>,
}

impl ToolNames {
    /// The names of the offered tools when `api` carries them.
    pub fn new(api: Api, tools: &[ToolDefinition]) -> Self {
        let mut names = Self {
            is_google: api == Api::GoogleGenerativeAi,
            renamed: Vec::new(),
        };
        let mut used = IdRegistry::new(Some(ToolCallIdFormat::Standard));
        for tool in tools {
            if let Cow::Borrowed(name) = names.valid(&tool.name) {
                used.claim(name);
            }
        }
        for tool in tools {
            if let Cow::Owned(valid) = names.valid(&tool.name) {
                let valid = used.assign(&valid).into_owned();
                names.renamed.push((tool.name.clone(), valid));
            }
        }
        names
    }

    /// Calls all tools, offered or not, what they are called on the wire.
    pub fn apply(&self, context: &mut Context, options: &mut RequestOptions) {
        for tool in &mut context.tools {
            self.put(&mut tool.name);
        }
        if let Some(ToolChoice::Tool(tool)) = &mut options.tool_choice {
            self.put(&mut tool.name);
        }
        for message in &mut context.messages {
            if let Message::Assistant(message) = message {
                for block in &mut message.content {
                    if let AssistantContentBlock::ToolCall(call) = block {
                        self.put(&mut call.name);
                    }
                }
            }
        }
    }

    fn put(&self, name: &mut String) {
        if let Some((_, valid)) = self.renamed.iter().find(|(own, _)| own == name) {
            name.clone_from(valid);
        } else if let Cow::Owned(valid) = self.valid(name) {
            *name = valid;
        }
    }

    /// Calls a tool that the model called what the app calls it.
    pub fn restore(&self, name: &mut String) {
        if let Some((own, _)) = self.renamed.iter().find(|(_, valid)| valid == name) {
            name.clone_from(own);
        }
    }

    /// The name within the rules: at Google it begins with a letter or an underscore.
    fn valid<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.is_google && name.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            return Cow::Owned(valid_name(&["_", name].concat()).into_owned());
        }
        valid_name(name)
    }
}

/// A name within the rules that most providers share: 1 to 64 characters of `[A-Za-z0-9_-]`.
pub(in crate::protocol) fn valid_name(name: &str) -> Cow<'_, str> {
    if ids::is_word(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(if name.is_empty() {
        "unnamed".to_owned()
    } else {
        ids::readable(name, ids::MAX_LENGTH)
    })
}
