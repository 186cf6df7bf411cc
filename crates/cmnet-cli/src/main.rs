//! The command `cmnet`.
fn main() {}
