//! The checks of the fuzz targets, over their seeds, over every input that once failed, and over the
//! recorded streams.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    unreachable_pub,
    reason = "all of this is a test"
)]

#[path = "../fuzz/src/checks.rs"]
mod checks;
mod support;

use std::fs;
use std::path::Path;

use sluice_agent::protocol::Api;
use support::recorded::recordings;
use support::wire::{end_marker, frame};

#[test]
fn seeds_and_inputs_that_once_failed_pass() {
    for folder in ["seeds", "crashes"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fuzz")
            .join(folder);
        for (target, _) in checks::TARGETS {
            let files = fs::read_dir(root.join(target)).into_iter().flatten();
            let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
            assert!(
                folder != "seeds" || !files.is_empty(),
                "{target} has no seeds"
            );
            for file in files {
                eprintln!("{}", file.display());
                checks::run(target, &fs::read(file).expect("readable"));
            }
        }
    }
}

#[test]
fn every_wire_has_a_target() {
    for api in Api::ALL.into_iter().chain([Api::Proxy]) {
        let name = api.name().replace('-', "_");
        let is_target = |(target, _): &(&str, checks::Check)| *target == name;
        assert!(checks::TARGETS.iter().any(is_target), "{name}");
    }
}

#[test]
fn recorded_streams_pass() {
    for api in Api::ALL {
        let target = api.name().replace('-', "_");
        for recording in recordings(api.name()) {
            let lines = recording.lines.iter().map(String::as_str);
            let body: String = lines
                .chain(end_marker(api))
                .map(|line| frame(api, line, "\n"))
                .collect();
            eprintln!("{}", recording.name);
            checks::run(&target, body.as_bytes());
        }
    }
}
