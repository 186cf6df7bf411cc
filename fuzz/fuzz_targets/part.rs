#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cmnet_fuzz::bodies::part_file(bytes));
