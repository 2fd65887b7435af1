//! How the hosts of the Responses protocol differ.
//!
//! Owns the table from the host in `baseUrl` to [`Switches`]; a switch that `model.compat` names
//! wins over it. Refuses to be generous: a host that is not in the table gets the fields that every
//! host reads, and an extra stands in the table only if the host documents it.
//!
//! Sources: OpenAI, "Reasoning models" and "Prompt caching"; Microsoft, "Azure OpenAI Responses
//! API"; xAI, "Generate text" (`store`, `include`) and "Maximizing cache hits"; OpenRouter,
//! "Responses API Beta: Reasoning"; Groq, "Responses API".

use crate::model::Model;
use crate::protocol::openai::{AZURE, is_at};

#[cfg(test)]
mod tests;

/// What a host accepts and needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switches {
    /// Whether the host keeps responses unless `store` is false, and then gives the thinking of a
    /// model to its caller, encrypted.
    pub(super) store: bool,
    pub(super) reasoning_effort: bool,
    /// Whether it takes `minimal` and `xhigh` too, and not only `low`, `medium` and `high`.
    pub(super) all_efforts: bool,
    pub(super) developer_role: bool,
    /// Whether it is OpenAI's own software: thinking can be summed up, and the output has a least
    /// limit.
    pub(super) is_openai: bool,
    /// Whether the host takes `prompt_cache_key`.
    pub(super) cache_key: bool,
    /// Whether the host takes `prompt_cache_retention`.
    pub(super) cache_retention: bool,
    /// Whether the key goes into the header `api-key` and not into `authorization`.
    pub(super) key_in_own_header: bool,
}

/// What every host accepts.
const PLAIN: Switches = Switches {
    store: false,
    reasoning_effort: false,
    all_efforts: false,
    developer_role: false,
    is_openai: false,
    cache_key: false,
    cache_retention: false,
    key_in_own_header: false,
};

const OPENAI: Switches = Switches {
    store: true,
    reasoning_effort: true,
    all_efforts: true,
    developer_role: true,
    is_openai: true,
    cache_key: true,
    cache_retention: true,
    key_in_own_header: false,
};

/// Domains, and what their hosts accept.
const HOSTS: &[(&[&str], Switches)] = &[
    (&["api.openai.com"], OPENAI),
    (
        AZURE,
        Switches {
            cache_key: false,
            cache_retention: false,
            key_in_own_header: true,
            ..OPENAI
        },
    ),
    (
        // Some of its thinking models refuse an effort.
        &["x.ai"],
        Switches {
            store: true,
            cache_key: true,
            ..PLAIN
        },
    ),
    (
        &["openrouter.ai"],
        Switches {
            reasoning_effort: true,
            all_efforts: true,
            ..PLAIN
        },
    ),
    (
        &["groq.com"],
        Switches {
            reasoning_effort: true,
            ..PLAIN
        },
    ),
];

impl Switches {
    /// The switches for a model at `base_url`.
    pub(super) fn resolve(base_url: &str, model: &Model) -> Self {
        let known = HOSTS.iter().find(|(domains, _)| is_at(base_url, domains));
        let mut switches = known.map_or(PLAIN, |(_, switches)| *switches);
        if let Some(compat) = &model.compat {
            let choose = |switch: &mut bool, choice: Option<bool>| {
                *switch = choice.unwrap_or(*switch);
            };
            choose(&mut switches.store, compat.supports_store);
            choose(
                &mut switches.reasoning_effort,
                compat.supports_reasoning_effort,
            );
            choose(&mut switches.developer_role, compat.supports_developer_role);
        }
        switches
    }
}
