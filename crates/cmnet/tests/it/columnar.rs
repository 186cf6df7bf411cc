//! Parquet and Arrow files, and zstd: the same tables as in text, and files that are refused.

use crate::command_line::CommandLine;
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, StructArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use cmnet::{
    Bins, Control, DataDigest, LevelOrder, LoadedTable, OnMissing, OnUnknown, ReadOptions, Source,
    StopReason, Under, WeightKind, mix_seed, read_csv, read_incomplete, read_weighted, survey_csv,
    visit_rows,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::fmt::Write as _;
#[cfg(feature = "zstd")]
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// A table of each kind of column: whole numbers, texts, truths, ordered texts, numbers with decimals,
/// sums, weights.
fn batch(rows: usize) -> RecordBatch {
    let bits = |row: usize, column: u64| mix_seed(row as u64 * 7 + column);
    let sizes = StringArray::from(vec!["small", "large"]);
    // The writer of the tests, unlike others, stores labels in the order in which rows have them.
    let key = |row: usize| if row < 2 { row as i8 } else { (bits(row, 3) % 2) as i8 };
    let keys: Vec<Option<i8>> = (0..rows).map(|row| Some(key(row))).collect();
    let grown = DictionaryArray::<Int8Type>::try_new(keys.into_iter().collect(), Arc::new(sizes)).unwrap();
    let whole = |column| (0..rows).map(move |row| (bits(row, column) % 12) as i64);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(Int64Array::from_iter_values(whole(0)))),
        (
            "text",
            Arc::new(
                (0..rows)
                    .map(|row| (bits(row, 1) % 7 != 0).then(|| format!("t{}", bits(row, 1) % 3)))
                    .collect::<StringArray>(),
            ),
        ),
        ("truth", Arc::new((0..rows).map(|row| Some(bits(row, 2) % 2 == 0)).collect::<BooleanArray>())),
        ("size", Arc::new(grown)),
        (
            "measure",
            Arc::new((0..rows).map(|row| Some((bits(row, 4) % 1000) as f64 / 8.0)).collect::<Float64Array>()),
        ),
        (
            "price",
            Arc::new(
                Decimal128Array::from_iter_values((0..rows).map(|row| i128::from(bits(row, 5) % 3 * 125)))
                    .with_precision_and_scale(9, 2)
                    .unwrap(),
            ),
        ),
        ("weight", Arc::new((0..rows).map(|row| Some((bits(row, 6) % 4) as f64)).collect::<Float64Array>())),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| {
            Field::new(*name, array.data_type().clone(), true).with_dict_is_ordered(*name == "size")
        })
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, array)| array).collect())
        .unwrap()
}

/// The same table as text.
fn text(batch: &RecordBatch) -> String {
    let mut text =
        batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>().join(",");
    text.push('\n');
    let options = arrow_cells(batch);
    for row in options {
        writeln!(text, "{}", row.join(",")).unwrap();
    }
    text
}

/// The cells as another program writes them.
fn arrow_cells(batch: &RecordBatch) -> Vec<Vec<String>> {
    use arrow_array::Array;
    let cell = |column: &ArrayRef, row: usize| -> String {
        let any = column.as_any();
        if column.is_null(row) {
            return String::new();
        }
        if let Some(array) = any.downcast_ref::<Int64Array>() {
            array.value(row).to_string()
        } else if let Some(array) = any.downcast_ref::<StringArray>() {
            array.value(row).to_owned()
        } else if let Some(array) = any.downcast_ref::<BooleanArray>() {
            array.value(row).to_string()
        } else if let Some(array) = any.downcast_ref::<Float64Array>() {
            array.value(row).to_string()
        } else if let Some(array) = any.downcast_ref::<Decimal128Array>() {
            array.value_as_string(row)
        } else {
            let array = any.downcast_ref::<DictionaryArray<Int8Type>>().unwrap();
            let labels = array.values().as_any().downcast_ref::<StringArray>().unwrap();
            labels.value(array.keys().value(row) as usize).to_owned()
        }
    };
    (0..batch.num_rows())
        .map(|row| batch.columns().iter().map(|column| cell(column, row)).collect())
        .collect()
}

fn parquet(batch: &RecordBatch, compression: Compression, group: usize) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(group))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    let half = batch.num_rows() / 2;
    writer.write(&batch.slice(0, half)).unwrap();
    writer.write(&batch.slice(half, batch.num_rows() - half)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// An Arrow file whose columns are compressed.
fn packed(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn options() -> ReadOptions {
    ReadOptions {
        weights: Some("weight".to_owned()),
        on_missing: OnMissing::Drop,
        bins: Bins::read(&["measure=frequency:4".to_owned()]).unwrap(),
        ..ReadOptions::default()
    }
}

/// The levels of the dictionary in their order, which a text does not have.
fn ordered() -> ReadOptions {
    let schema = LevelOrder::parse("s.toml", "[levels]\nsize = [\"small\", \"large\"]\n").unwrap();
    ReadOptions { schema: Some(schema), ..options() }
}

fn read(name: &str, bytes: Vec<u8>) -> LoadedTable {
    read_csv(&Source::bytes(name, bytes), &options()).unwrap()
}

fn complaint(name: &str, bytes: impl Into<Vec<u8>>) -> String {
    read_csv(&Source::bytes(name, bytes), &options()).unwrap_err().words(&CommandLine)
}

#[test]
fn the_same_table_in_every_format() {
    let batch = batch(2500);
    let plain = read_csv(&Source::bytes("t.csv", text(&batch)), &ordered()).unwrap();
    let digest = DataDigest::of(&plain.data);
    assert_eq!(plain.data.schema().variable(3).levels, ["small", "large"]);
    let compressions = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
    ];
    let mut files: Vec<(String, Vec<u8>)> =
        compressions.iter().map(|&kind| (format!("{kind:?}"), parquet(&batch, kind, 700))).collect();
    files.push(("t.parquet".to_owned(), parquet(&batch, Compression::SNAPPY, 1 << 20)));
    files.push(("t.arrow".to_owned(), arrow(&batch)));
    files.push(("t.feather".to_owned(), packed(&batch)));
    files.push(("t.arrows".to_owned(), stream(&batch)));
    #[cfg(feature = "zstd")]
    files.push(("zstd".to_owned(), parquet(&batch, Compression::ZSTD(ZstdLevel::default()), 999)));
    for (name, bytes) in files {
        let loaded = read(&name, bytes);
        assert!(loaded.data == plain.data, "{name}: {:?}", loaded.data.schema());
        assert_eq!((loaded.file_rows, loaded.missing), (2500, plain.missing.clone()), "{name}");
        assert_eq!((DataDigest::of(&loaded.data), loaded.delimiter), (digest.clone(), None), "{name}");
    }
}

#[test]
fn every_reader_takes_them() {
    let batch = batch(1800);
    let (csv, file) = (
        Source::bytes("t.csv", text(&batch)),
        Source::bytes("t.parquet", parquet(&batch, Compression::SNAPPY, 500)),
    );
    let holed = [(&csv, &ordered()), (&file, &options())]
        .map(|(file, options)| read_incomplete(file, options).unwrap());
    assert!(holed[0].table == holed[1].table);
    let schema = read_csv(&csv, &ordered()).unwrap().data.schema().clone();
    let rows = [&csv, &file].map(|file| {
        let mut rows = Vec::new();
        visit_rows(file, &options(), OnUnknown::Error, &schema, |row| {
            rows.push((row.levels.to_vec(), row.weight));
            Ok(())
        })
        .unwrap();
        rows
    });
    assert!(rows[0] == rows[1]);
    let real = ReadOptions { drop: vec!["measure".to_owned()], bins: Bins::default(), ..options() };
    let real = ReadOptions { weights: Some("price".to_owned()), ..real };
    let weighed = read_weighted(&file, &real, Some(WeightKind::Design)).unwrap();
    assert!(weighed.table.sum() > 0.0 && weighed.table.rows() < weighed.table.observations());
    let surveyed = ReadOptions { bins: Bins::default(), drop: vec!["measure".to_owned()], ..options() };
    let found = survey_csv(&file, &surveyed).unwrap();
    assert!(serde_json::to_string(&found).unwrap().contains("\"large\""));
}

#[test]
fn files_of_several_formats_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch(900);
    let parts = [batch.slice(0, 300), batch.slice(300, 300), batch.slice(600, 300)];
    let paths: Vec<PathBuf> =
        ["a.parquet", "b.arrow", "c.csv"].iter().map(|name| folder.path().join(name)).collect();
    std::fs::write(&paths[0], parquet(&parts[0], Compression::SNAPPY, 100)).unwrap();
    std::fs::write(&paths[1], arrow(&parts[1])).unwrap();
    std::fs::write(&paths[2], text(&parts[2])).unwrap();
    let files = Source::Files { name: "all".to_owned(), paths };
    let whole = read_csv(&Source::bytes("t.csv", text(&batch)), &ordered()).unwrap();
    assert!(read_csv(&files, &options()).unwrap().data == whole.data);
    let weighed = ReadOptions {
        weights: Some("price".to_owned()),
        bins: Bins::default(),
        drop: vec!["measure".to_owned()],
        ..options()
    };
    let weighed = read_weighted(&files, &weighed, Some(WeightKind::Counts)).unwrap();
    assert_eq!(weighed.file_rows, 900);
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let whole = parquet(&batch(50), Compression::SNAPPY, 100);
    let end = "; write it again, or save the table as CSV";
    let said = complaint("t.parquet", "a,b\n1,2\n");
    assert_eq!(
        said,
        format!("t.parquet: this file of Parquet cannot be read: it begins with other bytes{end}")
    );
    assert_eq!(complaint("t.pq", ""), format!("t.pq: this file of Parquet cannot be read: it is empty{end}"));
    let said = complaint("t.feather", whole.clone());
    assert!(
        said.contains("this file of Arrow cannot be read: by its first bytes it is one of Parquet"),
        "{said}"
    );
    assert!(complaint("t.feather", "FEA1\0\0\0\0").contains("the first version of Feather"));
    for length in [5, 8, 12, whole.len() / 2, whole.len() - 1] {
        let said = complaint("t", &whole[..length]);
        assert!(
            said.starts_with("t: this file of Parquet cannot be read: ") && said.ends_with(end),
            "{said}"
        );
    }
    let inner: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    let field = Arc::new(Field::new("x", DataType::Int32, false));
    let nested: ArrayRef = Arc::new(StructArray::from(vec![(field, Arc::clone(&inner))]));
    let batch = RecordBatch::try_from_iter([("a", inner), ("b", nested)]).unwrap();
    for bytes in [parquet(&batch, Compression::SNAPPY, 100), arrow(&batch), stream(&batch)] {
        let error = |options: &ReadOptions| read_csv(&Source::bytes("t", bytes.clone()), options);
        let said = error(&ReadOptions::default()).unwrap_err().words(&CommandLine);
        assert!(said.starts_with("t, column 2 (\"b\"): this column holds nested values"), "{said}");
        let drop = ReadOptions { drop: vec!["b".to_owned()], ..ReadOptions::default() };
        assert_eq!(error(&drop).unwrap().data.rows(), 2);
    }
    let empty = batch.slice(0, 0);
    let drop = ReadOptions { drop: vec!["b".to_owned()], ..ReadOptions::default() };
    let source = Source::bytes("t", parquet(&empty, Compression::SNAPPY, 100));
    let said = read_csv(&source, &drop).unwrap_err().to_string();
    assert!(said.contains("no rows are left (there are names of columns and nothing below them)"), "{said}");
    let negative: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::INFINITY]));
    let batch = RecordBatch::try_from_iter([
        ("a", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef),
        ("weight", negative),
    ])
    .unwrap();
    let weights = ReadOptions { weights: Some("weight".to_owned()), ..ReadOptions::default() };
    let source = Source::bytes("t", arrow(&batch));
    let said = read_csv(&source, &weights).unwrap_err().to_string();
    assert!(
        said.starts_with("t, line 2, column 2 (\"weight\"): the weight \"inf\" is not a count"),
        "{said}"
    );
}

#[test]
fn names_that_cannot_be_used_are_told_without_a_header_line() {
    for (names, expected) in [
        (
            ["x", "x"],
            "t, column 2: the column name \"x\" appears twice (first as column 1); rename one of them",
        ),
        (["x", " "], "t, column 2: this column has no name; rename it"),
    ] {
        let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        let fields = names.map(|name| Field::new(name, DataType::Int32, false));
        let schema = Arc::new(Schema::new(fields.to_vec()));
        let named = RecordBatch::try_new(schema, vec![Arc::clone(&column), column]).unwrap();
        assert_eq!(complaint("t", parquet(&named, Compression::SNAPPY, 100)), expected);
    }
}

#[test]
fn columns_of_a_text_may_be_called_as_other_formats_begin() {
    for name in ["PAR1", "FEA1", "ARROW1", "PAR1x"] {
        for delimiter in [",", ";", "\t"] {
            let text = format!("{name}{delimiter}b\n1{delimiter}2\n2{delimiter}1\n");
            let read = read_csv(&Source::bytes("t", text), &ReadOptions::default()).unwrap();
            assert_eq!(read.data.schema().name(0), name);
        }
    }
}

#[test]
fn damaged_bytes_are_errors_or_other_tables() {
    let batch = batch(60);
    for bytes in [parquet(&batch, Compression::SNAPPY, 25), arrow(&batch), packed(&batch), stream(&batch)] {
        for seed in 0..400_u64 {
            let mut damaged = bytes.clone();
            let place = mix_seed(seed) as usize % damaged.len();
            damaged[place] ^= 1 << (mix_seed(seed + 1000) % 8);
            // Whatever comes: it must come back.
            let _ = read_csv(&Source::bytes("t", damaged), &options());
        }
    }
}

/// Stops at the first question.
struct Stop;

impl Control for Stop {
    fn stop(&self) -> Option<StopReason> {
        Some(StopReason::Interrupted)
    }
}

#[test]
fn reading_can_be_stopped() {
    let source = Source::bytes("t", parquet(&batch(50), Compression::SNAPPY, 100));
    let options = options();
    let stopped = read_csv(&source, Under::new(&options, &Stop)).unwrap_err();
    assert!(matches!(stopped.kind(), cmnet::ErrorKind::Stopped(_)));
}

#[cfg(feature = "zstd")]
#[test]
fn zstd_is_read_like_gzip() {
    let table = "a,b\n1,x\n2,y\n2,x\n";
    let plain = read_csv(&Source::bytes("t.csv", table), &ReadOptions::default()).unwrap();
    let frame = |text: &str| zstd::encode_all(text.as_bytes(), 3).unwrap();
    let skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd".to_vec();
    let (one, two) = (frame("a,b\n1,x\n"), frame("2,y\n2,x\n"));
    for bytes in [frame(table), [&one[..], &two].concat(), [&skipped[..], &one, &two].concat()] {
        let loaded = read_csv(&Source::bytes("t.csv.zst", bytes), &ReadOptions::default()).unwrap();
        assert_eq!(loaded.data, plain.data);
    }
    let cut = Source::bytes("t.csv.zst", &one[..one.len() - 3]);
    let said = read_csv(&cut, &ReadOptions::default()).unwrap_err().to_string();
    assert!(said.starts_with("t.csv.zst: the compressed data is damaged: it ends too early"), "{said}");
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(table.repeat(50).as_bytes()).unwrap();
    let mut damaged = encoder.finish().unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let said = read_csv(&Source::bytes("t.zst", damaged), &ReadOptions::default()).unwrap_err().to_string();
    assert!(said.contains("the compressed data is damaged"), "{said}");
    let inside = Source::bytes("t.zst", zstd::encode_all(&b"PAR1\x15\0\0"[..], 3).unwrap());
    assert!(read_csv(&inside, &ReadOptions::default()).unwrap_err().to_string().contains("a Parquet file"));
}
