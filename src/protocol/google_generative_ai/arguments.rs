//! Arguments that arrive as paths and values → JSON text that only ever grows.
//!
//! A call's arguments may stream as pieces such as `{"jsonPath":"$.a[0].b","stringValue":"x",
//! "willContinue":true}`, in the order in which the model writes them. [`Arguments`] keeps the path
//! of the value that was written last: from there to the next path, it closes what is left and opens
//! what is entered. Refuses what text that only grows cannot say: a value given twice, a place that
//! was left and is entered again, an element that is skipped.
//!
//! Sources: Vertex AI API reference, "FunctionCall" and "PartialArg"; RFC 9535 (the paths).

use crate::text::json::{Json, JsonWriter};
use crate::text::number;

#[cfg(test)]
mod tests;

/// The arguments of one call, as far as they have been written.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The path of the last value, as it stood on the wire.
    path: String,
    /// The same, step by step: each is a place in one of the containers that are open.
    levels: Vec<Level>,
    /// Whether the last value is a string that goes on.
    in_string: bool,
    /// Whether all arguments came at once.
    is_whole: bool,
}

#[derive(Debug)]
struct Level {
    step: Step,
    /// The keys that an object has so far, sorted.
    keys: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Arguments {
    /// All arguments at once. `None` if there are some already.
    pub(super) fn write_whole(&mut self, arguments: Json<'_>, text: &mut String) -> Option<()> {
        if self.is_whole || !self.levels.is_empty() || !arguments.is_object() {
            return None;
        }
        self.is_whole = true;
        text.push_str(arguments.text());
        Some(())
    }

    /// One piece. `None` if it cannot be.
    pub(super) fn write_piece(&mut self, piece: Json<'_>, text: &mut String) -> Option<()> {
        let (mut path, mut value, mut goes_on) = (None, None, false);
        for (key, member) in piece.members() {
            match &*key {
                "jsonPath" => path = member.as_str(),
                "willContinue" => goes_on = member.as_bool() == Some(true),
                "stringValue" | "numberValue" | "boolValue" | "nullValue" => {
                    value = Some((key, member));
                }
                _ => {}
            }
        }
        let path = path?;
        if !self.levels.is_empty() && *path == self.path {
            let said = value.filter(|(kind, _)| kind == "stringValue");
            let said = said.and_then(|(_, value)| value.as_str());
            let said = said.unwrap_or_default();
            if self.in_string {
                self.write_string(&said, goes_on, text);
            } else if !said.is_empty() {
                return None;
            }
            // The last piece of any other value repeats it or says nothing.
            return Some(());
        }
        let Some((kind, value)) = value else {
            return Some(());
        };
        self.move_to(&path, text)?;
        match &*kind {
            "stringValue" => {
                text.push('"');
                self.write_string(&value.as_str()?, goes_on, text);
            }
            "nullValue" => text.push_str("null"),
            "numberValue" if value.as_f64().is_some() => text.push_str(value.text()),
            "boolValue" if value.as_bool().is_some() => text.push_str(value.text()),
            _ => return None,
        }
        Some(())
    }

    fn write_string(&mut self, string: &str, goes_on: bool, text: &mut String) {
        push_escaped(string, text);
        self.in_string = goes_on;
        if !goes_on {
            text.push('"');
        }
    }

    /// Nothing more comes: closes what is open.
    pub(super) fn finish(&mut self, text: &mut String) {
        if self.in_string {
            text.push('"');
        }
        if self.levels.is_empty() && !self.is_whole {
            text.push_str("{}");
        }
        self.close(0, text);
    }

    /// Closes the containers behind the first `kept`.
    fn close(&mut self, kept: usize, text: &mut String) {
        for level in self.levels.drain(kept..).rev() {
            text.push(match level.step {
                Step::Key(_) => '}',
                Step::Index(_) => ']',
            });
        }
    }

    /// Writes what stands between the last value and the one at `path`.
    fn move_to(&mut self, path: &str, text: &mut String) -> Option<()> {
        let steps = steps(path)?;
        if self.is_whole || !matches!(steps.first(), Some(Step::Key(_))) {
            return None;
        }
        if self.in_string {
            self.in_string = false;
            text.push('"');
        }
        let pairs = self.levels.iter().zip(&steps);
        let common = pairs
            .take_while(|(level, step)| level.step == **step)
            .count();
        if !self.levels.is_empty() {
            if common == self.levels.len() || common == steps.len() {
                return None;
            }
            self.close(common + 1, text);
        }
        for (depth, step) in steps.into_iter().enumerate().skip(common) {
            let entered = depth >= self.levels.len();
            match (&step, entered) {
                (Step::Key(_), true) => text.push('{'),
                (Step::Index(_), true) => text.push('['),
                (_, false) => text.push(','),
            }
            if entered {
                let step = Step::Index(0);
                let keys = Vec::new();
                self.levels.push(Level { step, keys });
            }
            self.levels.get_mut(depth)?.go_to(step, entered, text)?;
        }
        path.clone_into(&mut self.path);
        Some(())
    }
}

impl Level {
    /// Goes on to another member or element.
    fn go_to(&mut self, step: Step, entered: bool, text: &mut String) -> Option<()> {
        match (&step, &self.step) {
            (Step::Key(key), last) if entered || matches!(last, Step::Key(_)) => {
                let place = self.keys.binary_search(key).err()?;
                self.keys.insert(place, key.clone());
                text.push('"');
                push_escaped(key, text);
                text.push_str("\":");
            }
            (Step::Index(0), _) if entered => {}
            (Step::Index(next), Step::Index(last)) if !entered && *next == last + 1 => {}
            _ => return None,
        }
        self.step = step;
        Some(())
    }
}

fn push_escaped(string: &str, text: &mut String) {
    let mut json = JsonWriter::default();
    json.string(string);
    let quoted = json.into_text();
    text.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
}

/// The steps of a path such as `$.a[0]['b.c']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (key, behind) = name.split_at_checked(end)?;
            steps.push(Step::Key(key.to_owned()));
            rest = behind;
            continue;
        }
        let inner = rest.strip_prefix('[')?;
        let mut chars = inner.chars();
        match chars.next()? {
            quote @ ('\'' | '"') => {
                let mut key = String::new();
                loop {
                    match chars.next()? {
                        '\\' => key.push(chars.next()?),
                        c if c == quote => break,
                        c => key.push(c),
                    }
                }
                steps.push(Step::Key(key));
                rest = chars.as_str().strip_prefix(']')?;
            }
            _ => {
                let (digits, behind) = inner.split_once(']')?;
                steps.push(Step::Index(number::index(digits)?));
                rest = behind;
            }
        }
    }
    Some(steps)
}
