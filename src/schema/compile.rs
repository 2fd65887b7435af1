//! Prepares a schema: finds every subschema, resolves every reference to a JSON pointer from the
//! root, and notes what the validator will not do.

use serde_json::{Map, Value};

use super::SchemaError;
use super::check::{entries, list};
use super::value::{at_pointer, parse_types, tokens};
use crate::text::{before_any, contains, number};

/// How deep a schema document may nest.
const MAX_DEPTH: usize = 256;

/// What one pass over a schema document finds.
pub(super) struct Compiler<'a> {
    root: &'a Value,
    ref_alone: bool,
    /// Absolute URI, with an anchor or without a fragment → JSON pointer.
    ids: Map<String, Value>,
    /// JSON pointers of the subschemas that were walked.
    seen: Map<String, Value>,
    /// Names of the `$dynamicAnchor`s so far.
    dynamic_anchors: Vec<String>,
    references: Vec<Reference>,
    is_too_deep: bool,
    /// See `Schema::unsupported`.
    pub(super) unsupported: Vec<String>,
    /// Path and text of every regular expression.
    pub(super) patterns: Vec<(String, String)>,
}

#[derive(Clone)]
struct Reference {
    /// JSON pointer of the schema that holds the keyword.
    holder: String,
    keyword: String,
    uri: String,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(root: &'a Value, ref_alone: bool) -> Self {
        Compiler {
            root,
            ref_alone,
            ids: Map::new(),
            seen: Map::new(),
            dynamic_anchors: Vec::new(),
            references: Vec::new(),
            is_too_deep: false,
            unsupported: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// Walks the document and returns a copy whose references are JSON pointers.
    pub(super) fn run(&mut self) -> Result<Value, SchemaError> {
        if !is_schema(self.root) {
            return Err(SchemaError::NotASchema);
        }
        self.name(String::new(), "");
        self.walk(self.root, "", "", 0);
        if self.is_too_deep {
            return Err(SchemaError::TooDeep);
        }
        let mut compiled = self.root.clone();
        let mut next = 0;
        // Resolving a reference may walk a new part of the document and append to the list.
        while let Some(reference) = self.references.get(next).cloned() {
            let target = self.resolve(&reference)?;
            let holder =
                tokens(&reference.holder).try_fold(&mut compiled, |value, token| match value {
                    Value::Object(members) => members.get_mut(&token),
                    Value::Array(items) => items.get_mut(number::index(&token)?),
                    _ => None,
                });
            if let Some(Value::Object(holder)) = holder {
                holder.insert(reference.keyword, Value::from(target));
            }
            next += 1;
        }
        if self.is_too_deep {
            return Err(SchemaError::TooDeep);
        }
        Ok(compiled)
    }

    fn name(&mut self, uri: String, pointer: &str) {
        if !self.ids.contains_key(&uri) {
            self.ids.insert(uri, Value::from(pointer));
        }
    }

    fn walk(&mut self, schema: &'a Value, pointer: &str, base: &str, depth: usize) {
        let Value::Object(keywords) = schema else {
            return self.expect(schema.is_boolean(), pointer);
        };
        if depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.seen.insert(pointer.into(), Value::Null);
        let base = self.identify(keywords, pointer, base);
        let mut children = Vec::new();
        for (keyword, argument) in keywords {
            self.visit_keyword(keyword, argument, child(pointer, keyword), &mut children);
            if let ("$ref" | "$dynamicRef", Value::String(uri)) = (keyword.as_str(), argument) {
                self.references.push(Reference {
                    holder: pointer.into(),
                    keyword: keyword.clone(),
                    uri: join(&base, uri),
                });
            }
        }
        for (pointer, schema) in children {
            self.walk(schema, &pointer, &base, depth + 1);
        }
    }

    /// Notes what is wrong with a keyword and collects the schemas it holds.
    fn visit_keyword(
        &mut self,
        keyword: &str,
        argument: &'a Value,
        path: String,
        children: &mut Vec<(String, &'a Value)>,
    ) {
        match keyword {
            "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "additionalItems"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties" => {
                children.push((path, argument));
            }
            "items" if !argument.is_array() => children.push((path, argument)),
            "items" | "prefixItems" | "allOf" | "anyOf" | "oneOf" => {
                self.expect(argument.is_array(), &path);
                for (index, schema) in list(Some(argument)).iter().enumerate() {
                    children.push((child(&path, &number::decimal(index)), schema));
                }
            }
            "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs"
            | "definitions" => {
                self.expect(argument.is_object(), &path);
                for (name, schema) in entries(Some(argument)) {
                    let path = child(&path, name);
                    if keyword == "patternProperties" {
                        self.patterns.push((path.clone(), name.clone()));
                    }
                    // A dependency may be a list of names instead.
                    if !schema.is_array() || keyword != "dependencies" {
                        children.push((path, schema));
                    }
                }
            }
            _ => self.note_assertion(keyword, argument, &path),
        }
    }

    /// Registers the names of a schema and returns the base URI inside it.
    fn identify(&mut self, keywords: &Map<String, Value>, pointer: &str, base: &str) -> String {
        let text = |keyword| keywords.get(keyword).and_then(Value::as_str);
        let mut base = String::from(base);
        if let Some(id) = text("$id")
            && !(self.ref_alone && keywords.contains_key("$ref"))
        {
            let mut uri = join(&base, id);
            if uri.ends_with('#') {
                uri.pop();
            }
            // Draft 7 writes an anchor as `$id: "#name"`.
            if before_any(&uri, b"#") == uri {
                base = uri.clone();
            }
            self.name(uri, pointer);
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(keyword) {
                self.name(base.clone() + "#" + anchor, pointer);
            }
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            // With one anchor of a name, a dynamic reference is an ordinary one.
            let is_known = self.dynamic_anchors.contains(&anchor.into());
            self.expect(!is_known, &child(pointer, "$dynamicAnchor"));
            self.dynamic_anchors.push(anchor.into());
        }
        base
    }

    /// Notes a keyword without subschemas whose value the validator cannot use.
    fn note_assertion(&mut self, keyword: &str, argument: &Value, path: &str) {
        let is_names = |value: &Value| {
            value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string))
        };
        let usable = match keyword {
            "type" => parse_types(argument).is_some(),
            "enum" => argument.is_array(),
            "required" => is_names(argument),
            "dependentRequired" => argument
                .as_object()
                .is_some_and(|map| map.values().all(is_names)),
            "minimum" | "maximum" => argument.is_number(),
            "exclusiveMinimum" | "exclusiveMaximum" => {
                argument.is_number() || argument.is_boolean()
            }
            "multipleOf" => argument.as_f64().is_some_and(|divisor| divisor > 0.0),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => {
                argument.as_f64().is_some_and(|size| size >= 0.0)
            }
            "uniqueItems" | "nullable" => argument.is_boolean(),
            "pattern" => {
                let pattern = argument.as_str();
                self.patterns
                    .extend(pattern.map(|pattern| (path.into(), pattern.into())));
                pattern.is_some()
            }
            "$ref" | "$dynamicRef" => argument.is_string(),
            // A dialect of its own may give keywords another meaning.
            "$schema" => argument
                .as_str()
                .is_some_and(|uri| contains(uri, "json-schema.org/")),
            // Assertions of drafts 3, 4 and 2019-09 that later drafts replaced.
            "$recursiveRef" | "extends" | "disallow" | "divisibleBy" => false,
            _ => true,
        };
        self.expect(usable, path);
    }

    fn expect(&mut self, usable: bool, path: &str) {
        if !usable {
            self.unsupported.push(String::from("#") + path);
        }
    }

    /// The JSON pointer of the schema a reference names.
    fn resolve(&mut self, reference: &Reference) -> Result<String, SchemaError> {
        let Some((pointer, schema)) = self.find(&reference.uri) else {
            return Err(SchemaError::UnresolvedReference {
                path: String::from("#") + &child(&reference.holder, &reference.keyword),
                reference: reference.uri.clone(),
            });
        };
        if !self.seen.contains_key(&pointer) {
            let base = before_any(&reference.uri, b"#");
            self.walk(schema, &pointer, base, 0);
        }
        Ok(pointer)
    }

    fn find(&self, uri: &str) -> Option<(String, &'a Value)> {
        let resource = before_any(uri, b"#");
        let fragment = uri.get(resource.len() + 1..).unwrap_or_default();
        let fragment = percent_decode(fragment)?;
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            String::from(self.ids.get(resource)?.as_str()?) + &fragment
        } else {
            self.ids
                .get(&(String::from(resource) + "#" + &fragment))?
                .as_str()?
                .into()
        };
        let schema = at_pointer(self.root, &pointer).filter(|schema| is_schema(schema))?;
        Some((pointer, schema))
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Appends a token to a JSON pointer.
fn child(pointer: &str, token: &str) -> String {
    let mut path = String::from(pointer);
    path.push('/');
    for character in token.chars() {
        match character {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            _ => path.push(character),
        }
    }
    path
}

/// Resolves a URI reference against a base without fragment, as far as schemas in one document
/// use them (RFC 3986, 5.2).
fn join(base: &str, reference: &str) -> String {
    let delimiter = reference.bytes().find(|byte| b":/?#".contains(byte));
    if delimiter == Some(b':') || base.is_empty() {
        return reference.into();
    }
    let mut reference = reference;
    let kept = if reference.is_empty() || reference.starts_with('#') {
        base.len()
    } else if reference.starts_with('/') {
        // "scheme://authority" ends before the third slash.
        slashes(base).nth(2).unwrap_or(base.len())
    } else {
        let mut ends: Vec<usize> = slashes(base).map(|slash| slash + 1).collect();
        let mut end = ends.pop().unwrap_or(0);
        loop {
            if let Some(rest) = reference.strip_prefix("./") {
                reference = rest;
            } else if let Some(rest) = reference.strip_prefix("../") {
                reference = rest;
                end = ends.pop().unwrap_or(0);
            } else {
                break end;
            }
        }
    };
    String::from(base.get(..kept).unwrap_or(base)) + reference
}

/// Where slashes stand.
fn slashes(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.bytes().enumerate();
    bytes.filter_map(|(at, byte)| (byte == b'/').then_some(at))
}

/// Decodes `%XX`; `None` if the text is malformed.
fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            (digit()? * 16 + digit()?) as u8
        } else {
            byte
        });
    }
    String::from_utf8(decoded).ok()
}
