//! Prepares a schema: finds every subschema, resolves every reference to a JSON pointer from the
//! root, and notes what the validator will not do.

use serde_json::{Map, Value};

use super::SchemaError;
use super::check::{list, member_of};
use super::value::parse_types;

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
    /// See `Schema::unsupported`.
    pub(super) unsupported: Vec<String>,
    /// Path and text of every regular expression.
    pub(super) patterns: Vec<(String, String)>,
}

#[derive(Clone)]
struct Reference {
    /// JSON pointer of the schema that holds the keyword.
    holder: String,
    keyword: &'static str,
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
        self.walk(self.root, "", "", 0)?;
        let mut compiled = self.root.clone();
        let mut next = 0;
        // Resolving a reference may walk a new part of the document and append to the list.
        while let Some(reference) = self.references.get(next).cloned() {
            let target = self.resolve(&reference)?;
            if let Some(Value::Object(holder)) = compiled.pointer_mut(&reference.holder) {
                holder.insert(reference.keyword.into(), Value::from(target));
            }
            next += 1;
        }
        Ok(compiled)
    }

    fn name(&mut self, uri: String, pointer: &str) {
        self.ids.entry(uri).or_insert_with(|| Value::from(pointer));
    }

    fn walk(
        &mut self,
        schema: &'a Value,
        pointer: &str,
        base: &str,
        depth: usize,
    ) -> Result<(), SchemaError> {
        let Value::Object(keywords) = schema else {
            if !schema.is_boolean() {
                self.unsupported.push(format!("#{pointer}"));
            }
            return Ok(());
        };
        if depth > MAX_DEPTH {
            return Err(SchemaError::TooDeep);
        }
        self.seen.insert(pointer.into(), Value::Null);
        let base = self.identify(keywords, pointer, base);
        for (keyword, argument) in keywords {
            let path = child(pointer, keyword);
            match keyword.as_str() {
                "$ref" => self.refer("$ref", argument, pointer, &base),
                "$dynamicRef" => self.refer("$dynamicRef", argument, pointer, &base),
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
                    self.walk(argument, &path, &base, depth + 1)?;
                }
                "items" if !argument.is_array() => self.walk(argument, &path, &base, depth + 1)?,
                "items" | "prefixItems" | "allOf" | "anyOf" | "oneOf" => {
                    self.expect(argument.is_array(), &path);
                    for (index, schema) in list(argument).iter().enumerate() {
                        self.walk(schema, &child(&path, &index.to_string()), &base, depth + 1)?;
                    }
                }
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies"
                | "$defs" | "definitions" => {
                    self.expect(argument.is_object(), &path);
                    for (name, schema) in member_of(keywords, keyword) {
                        let path = child(&path, name);
                        if keyword == "patternProperties" {
                            self.patterns.push((path.clone(), name.clone()));
                        }
                        // A dependency may be a list of names instead.
                        if !schema.is_array() || keyword != "dependencies" {
                            self.walk(schema, &path, &base, depth + 1)?;
                        }
                    }
                }
                _ => self.note_assertion(keyword, argument, &path),
            }
        }
        Ok(())
    }

    /// Registers the names of a schema and returns the base URI inside it.
    fn identify(&mut self, keywords: &Map<String, Value>, pointer: &str, base: &str) -> String {
        let text = |keyword| keywords.get(keyword).and_then(Value::as_str);
        let mut base = String::from(base);
        if let Some(id) = text("$id")
            && !(self.ref_alone && keywords.contains_key("$ref"))
        {
            let uri = join(&base, id);
            let uri = uri.strip_suffix('#').unwrap_or(&uri);
            self.name(uri.into(), pointer);
            // Draft 7 writes an anchor as `$id: "#name"`.
            if !uri.contains('#') {
                base = uri.into();
            }
        }
        if let Some(anchor) = text("$anchor") {
            self.name(format!("{base}#{anchor}"), pointer);
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            self.name(format!("{base}#{anchor}"), pointer);
            // With one anchor of a name, a dynamic reference is an ordinary one.
            if self.dynamic_anchors.iter().any(|known| known == anchor) {
                self.unsupported.push(format!("#{pointer}/$dynamicAnchor"));
            }
            self.dynamic_anchors.push(anchor.into());
        }
        base
    }

    fn refer(&mut self, keyword: &'static str, argument: &Value, pointer: &str, base: &str) {
        match argument.as_str() {
            Some(reference) => self.references.push(Reference {
                holder: pointer.into(),
                keyword,
                uri: join(base, reference),
            }),
            None => self.unsupported.push(format!("#{pointer}/{keyword}")),
        }
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
            // A dialect of its own may give keywords another meaning.
            "$schema" => argument
                .as_str()
                .is_some_and(|uri| uri.contains("json-schema.org/")),
            // Assertions of drafts 3, 4 and 2019-09 that later drafts replaced.
            "$recursiveRef" | "extends" | "disallow" | "divisibleBy" => false,
            _ => true,
        };
        self.expect(usable, path);
    }

    fn expect(&mut self, usable: bool, path: &str) {
        if !usable {
            self.unsupported.push(format!("#{path}"));
        }
    }

    /// The JSON pointer of the schema a reference names.
    fn resolve(&mut self, reference: &Reference) -> Result<String, SchemaError> {
        let uri = reference.uri.as_str();
        let (resource, fragment) = uri.split_once('#').unwrap_or((uri, ""));
        let fragment = percent_decode(fragment);
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            self.pointer_of(resource).map(|start| start + &fragment)
        } else {
            self.pointer_of(&format!("{resource}#{fragment}"))
        };
        let found = pointer.and_then(|pointer| {
            let schema = self
                .root
                .pointer(&pointer)
                .filter(|schema| is_schema(schema))?;
            Some((pointer, schema))
        });
        let Some((pointer, schema)) = found else {
            let path = format!("#{}/{}", reference.holder, reference.keyword);
            return Err(SchemaError::UnresolvedReference {
                path,
                reference: uri.into(),
            });
        };
        if !self.seen.contains_key(&pointer) {
            self.walk(schema, &pointer, resource, 0)?;
        }
        Ok(pointer)
    }

    fn pointer_of(&self, uri: &str) -> Option<String> {
        self.ids.get(uri)?.as_str().map(String::from)
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Appends a token to a JSON pointer.
fn child(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// Resolves a URI reference, as far as schemas in one document use them (RFC 3986, 5.2).
fn join(base: &str, reference: &str) -> String {
    let scheme = reference.split(['/', '?', '#']).next().unwrap_or("");
    let base = base.split('#').next().unwrap_or("");
    if scheme.contains(':') || base.is_empty() {
        return reference.into();
    }
    if reference.is_empty() || reference.starts_with('#') {
        return format!("{base}{reference}");
    }
    if reference.starts_with('/') {
        let (scheme, rest) = base.split_once("://").unwrap_or(("", base));
        let authority = rest.split('/').next().unwrap_or("");
        return format!("{scheme}://{authority}{reference}");
    }
    let mut directory = base.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut reference = reference;
    loop {
        if let Some(rest) = reference.strip_prefix("./") {
            reference = rest;
        } else if let Some(rest) = reference.strip_prefix("../") {
            reference = rest;
            directory = directory.rsplit_once('/').map_or("", |(parent, _)| parent);
        } else {
            return format!("{directory}/{reference}");
        }
    }
}

/// Decodes `%XX`; what is not valid UTF-8 afterwards stays as it was.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        let code = rest.get(1..3).filter(|_| byte == b'%');
        if let Some(code) = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(code);
            rest = rest.get(3..).unwrap_or("");
        } else {
            bytes.push(byte);
            // The next character boundary is the next byte that is one.
            let end = rest
                .char_indices()
                .nth(1)
                .map_or(rest.len(), |(index, _)| index);
            bytes.extend(rest.bytes().take(end).skip(1));
            rest = rest.get(end..).unwrap_or("");
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.into())
}
