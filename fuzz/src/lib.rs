//! What the fuzz targets check. The package's own tests include the same file (`tests/fuzz_seeds.rs`)
//! and run it over the seeds and over every input that once failed, so that no fuzzer is needed for
//! that.

pub mod checks;
