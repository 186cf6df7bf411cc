#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cmnet_fuzz::bodies::ensemble_file(bytes));
