//! Files in and out: the only modules that touch the disk.
//!
//! The feature `csv`, on by default, adds the reader of tables of text, `zstd` what is compressed so, and
//! `parquet` the reader of Parquet and Arrow files. Models, schemas and tables from memory need no
//! feature.

mod any_model;
#[cfg(feature = "parquet")]
mod arrow;
mod atomic;
mod bootstrap_record;
mod checkpoint_file;
mod checkpoint_record;
mod checkpointer;
mod columns;
mod completion_record;
mod confirmed_record;
#[cfg(feature = "csv")]
mod csv;
mod ensemble_file;
mod fit_record;
#[cfg(feature = "csv")]
mod gzip;
#[cfg(feature = "csv")]
mod header;
mod json_text;
mod knowledge_file;
mod lock;
mod mixture_file;
mod mixture_record;
mod model_error;
mod model_file;
mod model_record;
mod network_record;
mod part;
mod part_record;
#[cfg(feature = "csv")]
mod plain;
#[cfg(feature = "csv")]
mod quotes;
mod read_options;
#[cfg(feature = "csv")]
mod records;
#[cfg(feature = "csv")]
mod rows;
mod schema_file;
#[cfg(feature = "csv")]
mod sniff;
mod source;
mod support_record;
#[cfg(feature = "csv")]
mod table;
#[cfg(feature = "csv")]
mod text;
pub mod uai;

pub use any_model::AnyModel;
#[cfg(feature = "parquet")]
pub use arrow::{ArrowCells, ArrowLabels};
pub use atomic::{check_writable, write_atomic, write_atomic_with};
pub use checkpoint_file::checkpoint_files;
pub use checkpointer::{CheckpointPace, CheckpointedRun, Checkpointer, Clock, OpenedCheckpoint};
pub use columns::Columns;
#[cfg(feature = "csv")]
pub use csv::{csv_field, read_csv, read_csv_from, read_incomplete, read_weighted, survey_csv};
pub use json_text::{json_to_text, write_json};
pub use model_file::{context_records, edge_names};
pub use model_record::{ContextRecord, VariableRecord, variable_records};
pub use part::{Part, PartFile};
pub use read_options::ReadOptions;
#[cfg(feature = "csv")]
pub use rows::{CodedRow, visit_rows};
pub use schema_file::LevelOrder;
#[cfg(feature = "csv")]
pub use sniff::parse_delimiter;
pub use source::Source;
