//! Files in and out: the only modules that touch the disk.

pub mod atomic;
pub mod checkpoint_file;
mod checkpoint_record;
mod checkpointer;
pub mod csv;
mod fit_record;
mod header;
pub mod json_text;
pub mod model_file;
mod model_record;
mod records;
pub mod rows;
pub mod schema_file;
mod sniff;
pub mod source;
mod text;
pub mod uai;

pub use atomic::write_atomic;
pub use checkpointer::{Checkpointer, Clock, Opened};
pub use csv::{Loaded, OnMissing, ReadOptions};
pub use header::Columns;
pub use model_record::ContextRecord;
pub use schema_file::LevelOrder;
pub use sniff::parse_delimiter;
pub use source::Source;
