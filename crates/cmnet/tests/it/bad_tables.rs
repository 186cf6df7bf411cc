//! Tables that are refused: every complaint names its place, the text and what to do.

use crate::command_line::CommandLine;
use cmnet::{LevelOrder, OnMissing, ReadOptions, Source, read_csv};
use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::Write as _;

fn complaint_with(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    read_csv(&Source::bytes("t.csv", text.as_ref()), options).unwrap_err().words(&CommandLine)
}

fn complaint(text: impl AsRef<[u8]>) -> String {
    complaint_with(text, &ReadOptions::default())
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn nothing_to_read() {
    let empty = "t.csv: the file is empty; expected a header line and one row per observation";
    for text in ["", "\n\n", "  \r\n\t\n", "\u{feff}"] {
        assert_eq!(complaint(text), empty, "{text:?}");
    }
    assert_eq!(
        complaint("a,b\n"),
        "t.csv: no rows are left (there is a header line and nothing below it); expected at least one row"
    );
    let drop = ReadOptions { on_missing: OnMissing::Drop, ..ReadOptions::default() };
    assert_eq!(
        complaint_with("a,b\nx,?\nNA,y\n", &drop),
        "t.csv: no rows are left (all 2 have missing values and were left out); expected at least one row"
    );
    let weighted = ReadOptions { weights: Some("n".to_owned()), ..ReadOptions::default() };
    assert_eq!(
        complaint_with("a,n\nx,0\n", &weighted),
        "t.csv: no rows are left (all weights are 0); expected at least one row"
    );
}

#[test]
fn rows_of_another_length() {
    assert_eq!(
        complaint("a,b,c\n1,2,3\n\n4,5\n"),
        "t.csv, line 4: this row has 2 fields where 3 were expected (\"4,5\"); add or remove fields, \
         quote a field that contains the delimiter, or give --delimiter"
    );
    assert!(complaint("a,b\r\n1,2\r\n1,2,3,4\r\n").starts_with(
        "t.csv, line 3: this row has 4 fields where 2 were expected (\"1,2,3,4\"); add or remove"
    ));
    assert!(complaint("a,b\n\"x\ny\",1\n5\n").starts_with("t.csv, line 4: this row has 1 field where 2"));
    assert!(complaint("a,b\n1,x,y\n").contains("; are these row names without a name in the header line?;"));
    assert!(complaint("a,b\n1,2\n\"x,1\n3,4\n5,6\"\n7,8\n").starts_with(
        "t.csv, line 3: this row has 1 field where 2 were expected (\"x,1\\n3,4\\n5,6\"); a quote makes it \
         run on to line 5; add"
    ));
    let long = complaint(format!("a,b\n1,2,{}\n", "x".repeat(1000)));
    assert!(long.contains("xxx…\"") && long.len() < 300, "{long}");
}

#[test]
fn quotes_that_are_never_closed() {
    assert_eq!(
        complaint("a,b\n1,2\n3,\"x\n4,5\n6,7\n"),
        "t.csv, line 3, column 2: the quote opened before \"x\\n4,5\\n6,7\\n\" is never closed; close it, \
         or double a quote that is part of the text"
    );
    assert!(complaint("a,\"b\n1,2\n").starts_with("t.csv, line 1, column 2: the quote opened before \"b\\n"));
    assert!(complaint("a,b\r\n\"u\r\nv\",\"w\r\n").starts_with("t.csv, line 3, column 2: the quote opened"));
}

#[test]
fn header_lines() {
    assert_eq!(
        complaint("a,b, a\n1,2,3\n"),
        "t.csv, line 1, column 3: the column name \"a\" appears twice (first as column 1); rename one of \
         them, or give --no-header if the first line is a row"
    );
    assert_eq!(
        complaint("\n,a,b\n1,x,y\n"),
        "t.csv, line 2, column 1: this column has no name; name it in the header line, remove it (row \
         numbers, or a delimiter at the end of the line?), or give --no-header if the first line is a row"
    );
    assert_eq!(
        complaint("a,b\n1,2\na , b\n3,4\n"),
        "t.csv, line 3: this row repeats the header line; remove it (two files were joined?), or give \
         --no-header if the first line is a row"
    );
    assert_eq!(
        complaint(b"a,caf\xe9\n1,2\n"),
        "t.csv, line 1, column 2: the text \"caf\\xe9\" is not UTF-8; convert the file to UTF-8"
    );
}

#[test]
fn text_that_is_not_utf8() {
    assert_eq!(
        complaint(b"a,b\nx,y\n\nx,caf\xe9\n"),
        "t.csv, line 4, column 2 (\"b\"): the text \"caf\\xe9\" is not UTF-8; convert the file to UTF-8"
    );
}

#[test]
fn files_that_are_no_text() {
    let expectations: &[(&[u8], &str)] = &[
        (b"PK\x03\x04\x14\x00", "a zip archive or an Excel workbook"),
        (b"\xff\xfea\x00,\x00b\x00", "UTF-16 text"),
        (b"\xfe\xff\x00a", "UTF-16 text"),
        #[cfg(not(feature = "zstd"))]
        (b"\x28\xb5\x2f\xfd\x04", "zstd-compressed data (decompress it first, or use gzip)"),
        #[cfg(not(feature = "parquet"))]
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"\x7fELF\x00\x01", "binary data or UTF-16 text (it contains zero bytes)"),
        (b"a,b\n1,\x00\n", "binary data or UTF-16 text (it contains zero bytes)"),
    ];
    for (bytes, what) in expectations {
        assert_eq!(
            complaint(bytes),
            format!("t.csv: this is not a UTF-8 text but {what}; save the table as CSV or TSV in UTF-8")
        );
    }
    // A zero byte beyond what is looked at before reading starts.
    let late = format!("a,b\n{}x,y\0z\n", "x,y\n".repeat(20_000));
    assert!(complaint(late).starts_with("t.csv, line 20002, column 2 (\"b\"): this is not a UTF-8 text but"));
}

#[test]
fn compressed_data_that_is_damaged() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"a,b\n").unwrap();
    (0..100_000_u64).for_each(|row| writeln!(encoder, "{},{}", row % 7, row * 7919 % 30_011).unwrap());
    let whole = encoder.finish().unwrap();
    let cut = complaint(&whole[..whole.len() / 2]);
    assert!(cut.contains(": the compressed data is damaged: it ends too early; fetch or compress"), "{cut}");
    assert!(complaint(&whole[..5]).contains("the compressed data is damaged"));
    let mut flipped = whole.clone();
    let middle = flipped.len() - 6;
    flipped[middle] ^= 1;
    assert!(complaint(flipped).contains("the compressed data is damaged"));
    let trailing = [whole.as_slice(), b"junk behind it"].concat();
    assert!(complaint(trailing).contains("the compressed data is damaged: invalid gzip header"));
}

#[test]
fn missing_values() {
    assert_eq!(
        complaint("a,b,c\nx,1,u\n?,2,u\nx,NA,u\n,NaN,u\ny,1,u\n"),
        "t.csv: missing values in 3 of 5 rows, first in line 3 (\"a\": 2, \"b\": 2); give --on-missing drop \
         to leave those rows out, --on-missing model to learn, fit or evaluate with what is known of them, --drop to \
         leave out a column, or --missing to say which texts mean missing"
    );
    let header: Vec<String> = (0..20).map(|column| format!("v{column}")).collect();
    let text = format!("{}\n{}\n", header.join(","), ["?"; 20].join(","));
    assert!(complaint(text).contains("\"v7\": 1, and 12 more columns)"));
}

#[test]
fn weights_that_are_no_counts() {
    let options = ReadOptions { weights: Some("n".to_owned()), ..ReadOptions::default() };
    let real = " in plain digits; round or multiply the weights, or take a command that knows real ones: learn, fit, \
                score, evaluate, cv, bootstrap, check";
    let expectations = [
        ("-2", "; a count cannot be negative"),
        ("1.5", real),
        ("12.0", real),
        ("1e3", real),
        ("+3", real),
        ("", "; write 0, or remove the row"),
        ("many", "; is this the right --weights column?"),
        ("1 000", "; is this the right --weights column?"),
        ("2147483649", ", at most 2147483648; divide the weights"),
        ("99999999999999999999999", ", at most 2147483648; divide the weights"),
    ];
    for (weight, hint) in expectations {
        assert_eq!(
            complaint_with(format!("a,n\nx,1\ny,{weight}\n"), &options),
            format!(
                "t.csv, line 3, column 2 (\"n\"): the weight {weight:?} is not a count; \
                 expected a whole number, 0 or more{hint}"
            )
        );
    }
    assert_eq!(
        complaint_with("a,n\nx,2147483648\ny,1\n", &options),
        "t.csv, line 3: the rows add up to 2147483649, beyond the limit of 2147483648; \
         sample the table or divide the weights"
    );
}

#[test]
fn columns_that_are_not_there() {
    let text = "smoking,sex,n\nyes,f,1\n";
    let columns = ReadOptions { columns: Some(names(&["sex", "smokng"])), ..ReadOptions::default() };
    assert_eq!(
        complaint_with(text, &columns),
        "t.csv: there is no column \"smokng\" (the table has \"smoking\", \"sex\", \"n\"); \
         did you mean \"smoking\"?"
    );
    let drop = ReadOptions { drop: names(&["Zebra"]), ..ReadOptions::default() };
    assert!(complaint_with(text, &drop).ends_with("; check the spelling"));
    let weights = ReadOptions { weights: Some("N".to_owned()), ..ReadOptions::default() };
    assert!(complaint_with(text, &weights).ends_with("; did you mean \"n\"?"));
    let both = ReadOptions {
        weights: Some("n".to_owned()),
        columns: Some(names(&["sex", "n"])),
        ..ReadOptions::default()
    };
    assert_eq!(
        complaint_with(text, &both),
        "t.csv, column 3 (\"n\"): this column holds the weights and cannot be a variable too; \
         take it out of --columns or --weights"
    );
    let none = ReadOptions { drop: names(&["n", "sex", "smoking"]), ..ReadOptions::default() };
    assert_eq!(
        complaint_with(text, &none),
        "t.csv: no column is left to learn from; keep at least one with --columns or --drop"
    );
}

#[test]
fn delimiters_that_cannot_be_one() {
    for delimiter in [b'"', b'\n', b'\r', 0, b'a', 0xe9] {
        let options = ReadOptions { delimiter: Some(delimiter), ..ReadOptions::default() };
        let found = complaint_with("a,b\n1,2\n", &options);
        assert!(
            found.starts_with("--delimiter: ") && found.contains("expected a single character"),
            "{found}"
        );
    }
}

#[test]
fn values_and_columns_beside_the_schema() {
    let with = |schema: &str| ReadOptions {
        schema: Some(LevelOrder::parse("s.toml", schema).unwrap()),
        ..ReadOptions::default()
    };
    assert_eq!(
        complaint_with("a,grade\nx,low\nx,hihg\n", &with("[levels]\ngrade = ['low', 'high']")),
        "t.csv, line 3, column 2 (\"grade\"): the value \"hihg\" is not a level of this variable \
         (\"low\", \"high\"); mend the row, or learn with this level in a --schema file"
    );
    assert!(
        complaint_with("a,grade\nx,middel\n", &with("[levels]\ngrade = ['low', 'middle']"))
            .contains("; did you mean \"middle\"?; mend")
    );
    assert_eq!(
        complaint_with("a,grade\nx,low\n", &with("[levels]\n\ngrades = ['low', 'high']")),
        "s.toml, line 3: there is no column \"grades\" (the table has \"a\", \"grade\"); \
         did you mean \"grade\"?"
    );
}

#[test]
fn more_levels_than_a_variable_may_have() {
    let mut text = "a,id\n".to_owned();
    (0..70_000).for_each(|row| writeln!(text, "x,r{row}").unwrap());
    assert_eq!(
        complaint(text),
        "t.csv, line 65537, column 2 (\"id\"): more than 65535 different values; this column looks like an \
         identifier or a measurement: --drop it, or cut its numbers into classes: --bins 4"
    );
}

#[test]
fn paths_that_are_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &std::path::Path| {
        read_csv(&Source::from_argument(path), &ReadOptions::default()).unwrap_err().words(&CommandLine)
    };
    assert_eq!(
        refused(folder.path()),
        format!(
            "{}: this is a directory; name a CSV or TSV file in it, or - for standard input",
            folder.path().display()
        )
    );
    std::fs::write(folder.path().join("coronary.csv"), "a\n1\n").unwrap();
    let near = folder.path().join("coronory.csv");
    let found = refused(&near);
    assert!(
        found.starts_with(&format!("{}: there is no such file; did you mean \"", near.display())),
        "{found}"
    );
    let far = folder.path().join("something else");
    assert!(
        refused(&far)
            .ends_with("there is no such file; check the path, which is taken from the current directory")
    );
    assert!(refused(&folder.path().join("no/where.csv")).contains("its folder does not exist either"));
    let schema = LevelOrder::read(folder.path()).unwrap_err().to_string();
    assert!(schema.contains(": this is a directory; expected a TOML table [levels]"), "{schema}");
    assert!(
        LevelOrder::read(&far).unwrap_err().to_string().contains("something else: there is no such file")
    );
    std::fs::write(&far, b"[levels]\na = ['\xff']").unwrap();
    assert!(
        LevelOrder::read(&far).unwrap_err().to_string().contains("line 2: the text is not UTF-8; expected")
    );
}
