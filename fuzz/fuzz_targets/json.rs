#![no_main]
libfuzzer_sys::fuzz_target!(|input: &[u8]| sluice_agent_fuzz::checks::run("json", input));
