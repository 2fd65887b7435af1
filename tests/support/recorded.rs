//! Recorded responses, if the folder with them is there.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// One recorded response.
pub struct Recording {
    /// The file's name without its ending.
    pub name: String,
    /// One event each.
    pub lines: Vec<String>,
    /// What a correct client makes of it.
    pub expected: Value,
}

/// The recordings of one protocol; none, said aloud, if the folder is not there.
pub fn recordings(api: &str) -> Vec<Recording> {
    let root = std::env::var_os("RECORDED_STREAMS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/recorded"),
        PathBuf::from,
    );
    let Ok(expected) = fs::read_to_string(root.join("expected.json")) else {
        eprintln!(
            "SKIPPED: no recorded streams in {}; set RECORDED_STREAMS",
            root.display()
        );
        return Vec::new();
    };
    let expected: Value = serde_json::from_str(&expected).expect("expected.json is JSON");
    let mut files: Vec<PathBuf> = fs::read_dir(root.join(api))
        .expect("a folder for the protocol")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let text = fs::read_to_string(&file).expect("readable");
            let lines = text
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect();
            let expected = expected[&name].clone();
            assert!(expected.is_object(), "no expectation for {name}");
            Recording {
                name,
                lines,
                expected,
            }
        })
        .collect()
}
