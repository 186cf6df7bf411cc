//! Files in and out: the only modules that touch the disk.

pub mod atomic;
pub mod csv;
mod header;
mod records;
pub mod schema_file;
mod sniff;
pub mod source;
mod text;

pub use atomic::write_atomic;
pub use csv::{Loaded, OnMissing, ReadOptions};
pub use schema_file::LevelOrder;
pub use sniff::parse_delimiter;
pub use source::Source;
