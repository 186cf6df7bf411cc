#![no_main]

// Readers of Arrow panic at some damaged files, and cmnet catches that. A find is a panic of cmnet's own code.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|panic| {
        let own = |file: &str| file.contains("cmnet") || file.contains("bodies");
        if panic.location().is_some_and(|place| own(place.file())) {
            eprintln!("{panic}");
            std::process::abort();
        }
    })),
    |bytes: &[u8]| cmnet_fuzz::bodies::arrow(bytes)
);
