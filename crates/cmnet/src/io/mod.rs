//! Files in and out: the only modules that touch the disk.
//!
//! The feature `csv`, on by default, adds the reader of tables of text. Models, schemas and
//! tables from memory need no feature.

pub mod atomic;
pub mod checkpoint_file;
mod checkpoint_record;
mod checkpointer;
mod columns;
#[cfg(feature = "csv")]
pub mod csv;
mod fit_record;
#[cfg(feature = "csv")]
mod header;
pub mod json_text;
mod model_error;
pub mod model_file;
mod model_record;
mod read_options;
#[cfg(feature = "csv")]
mod records;
#[cfg(feature = "csv")]
pub mod rows;
pub mod schema_file;
#[cfg(feature = "csv")]
mod sniff;
pub mod source;
#[cfg(feature = "csv")]
mod text;
pub mod uai;

pub use crate::data::LoadedTable;
pub use atomic::write_atomic;
pub use checkpointer::{CheckpointPace, CheckpointedRun, Checkpointer, Clock, OpenedCheckpoint};
pub use columns::Columns;
pub use model_record::ContextRecord;
pub use read_options::{OnMissing, ReadOptions};
pub use schema_file::LevelOrder;
#[cfg(feature = "csv")]
pub use sniff::parse_delimiter;
pub use source::Source;
