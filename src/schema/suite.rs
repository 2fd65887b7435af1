//! Runs the public JSON Schema Test Suite, if a copy is there.
//!
//! It is looked for in `$JSON_SCHEMA_TEST_SUITE`, then in `../shared/json-schema-test-suite`: a
//! folder with `draft2020-12/*.json` and `draft7/*.json` of
//! <https://github.com/json-schema-org/JSON-Schema-Test-Suite>.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Schema;
use super::tests::Regress;

fn suite_folder(draft: &str) -> Option<PathBuf> {
    let root = std::env::var_os("JSON_SCHEMA_TEST_SUITE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/json-schema-test-suite"),
        PathBuf::from,
    );
    let folder = root.join(draft);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no JSON Schema Test Suite at {}", folder.display());
    None
}

/// Returns how many tests passed, and the groups with a failure.
fn run_group(file: &str, group: &Value, dialect: &str) -> (usize, Option<String>) {
    let mut schema = group["schema"].clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.entry("$schema").or_insert_with(|| json!(dialect));
    }
    let tests = group["tests"].as_array().unwrap();
    let passed = Schema::compile(&schema).map_or(0, |schema| {
        let passes = |test: &&Value| {
            schema.is_valid(&test["data"], &Regress) == test["valid"].as_bool().unwrap()
        };
        let passed = tests.iter().filter(passes).count();
        let is_silent = passed < tests.len() && schema.unsupported().is_empty();
        assert!(
            !is_silent,
            "wrong and nothing reported: {file}: {}",
            group["description"]
        );
        passed
    });
    let failed = tests.len() - passed;
    let line = format!(
        "{file}: {} ({failed} of {})",
        group["description"],
        tests.len()
    );
    (passed, (failed > 0).then_some(line))
}

fn run_suite(draft: &str, dialect: &str, minimum: usize) {
    let Some(folder) = suite_folder(draft) else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let (mut total, mut passed) = (0, 0);
    let mut failing = Vec::new();
    for path in files {
        let groups: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let file = path.file_stem().unwrap().to_string_lossy();
        for group in groups.as_array().unwrap() {
            let (count, failure) = run_group(&file, group, dialect);
            passed += count;
            total += group["tests"].as_array().unwrap().len();
            failing.extend(failure);
        }
    }
    println!(
        "{draft}: {passed} of {total} tests pass; failing groups:\n{}",
        failing.join("\n")
    );
    assert!(
        passed >= minimum,
        "{draft}: {passed} of {total} tests pass, {minimum} did before"
    );
}

#[test]
fn draft_2020_12_tests_pass() {
    run_suite(
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
        1_050,
    );
}

#[test]
fn draft_7_tests_pass() {
    run_suite("draft7", "http://json-schema.org/draft-07/schema#", 798);
}
