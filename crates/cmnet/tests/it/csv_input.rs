//! Tables that are read: every dialect gives the same data.

use cmnet::{
    Columns, DataDigest, Dataset, LevelOrder, Levels, LoadedTable, OnMissing, ReadOptions, Source, Warning,
    read_csv, read_csv_from,
};
use cmnet_report::answer::Description;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;

fn load(text: impl AsRef<[u8]>, options: &ReadOptions) -> LoadedTable {
    read_csv(&Source::bytes("t.csv", text.as_ref()), options).unwrap()
}

fn read(text: impl AsRef<[u8]>) -> Dataset {
    load(text, &ReadOptions::default()).data
}

fn levels(data: &Dataset, variable: usize) -> &[String] {
    &data.schema().variable(variable).levels
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const PLAIN: &str = "sex,age group,smokes\nf,<40,no\nm,40+,yes\nf,40+,no\nm,40+,yes\n";

#[test]
fn every_dialect_gives_the_same_data() {
    let plain = read(PLAIN);
    assert_eq!((plain.rows(), plain.distinct_rows(), plain.variables()), (4, 3, 3));
    let quoted = "\"sex\",\"age group\",\"smokes\"\n\"f\",\"<40\",\"no\"\n";
    let dialects = [
        PLAIN.replace(',', "\t"),
        PLAIN.replace(',', ";"),
        PLAIN.replace(',', "|"),
        PLAIN.replace(',', " , "),
        PLAIN.replace('\n', "\r\n"),
        PLAIN.replace('\n', "\r"),
        PLAIN.replace('\n', "\n\n"),
        PLAIN.replace('\n', "\n \t\n"),
        PLAIN.trim_end().to_owned(),
        format!("\u{feff}{PLAIN}"),
        format!("\u{feff}{}", PLAIN.replace('\n', "\r\n")),
        format!("\n\n{PLAIN}\n\n"),
        PLAIN.replace("sex,age group,smokes\nf,<40,no\n", quoted),
        format!("\u{feff}{}", PLAIN.replace("sex,age group,smokes\nf,<40,no\n", quoted)),
    ];
    for text in dialects {
        assert_eq!(read(&text), plain, "{text:?}");
    }
}

#[test]
fn rows_in_any_order_give_the_same_data_and_digest() {
    let plain = read(PLAIN);
    let shuffled = read("sex,age group,smokes\nm,40+,yes\nm,40+,yes\nf,40+,no\nf,<40,no\n");
    assert_eq!(shuffled, plain);
    assert_eq!(DataDigest::of(&shuffled), DataDigest::of(&plain));
}

#[test]
fn weights_stand_for_repeated_rows() {
    let options = ReadOptions { weights: Some("n".to_owned()), ..ReadOptions::default() };
    let text = "n,sex,age group,smokes\n1,f,<40,no\n02,m,40+,yes\n1,f,40+,no\n0,f,<40,no\n";
    let weighted = load(text, &options);
    assert_eq!(weighted.data, read(PLAIN));
    assert_eq!(DataDigest::of(&weighted.data), DataDigest::of(&read(PLAIN)));
    assert_eq!(weighted.file_rows, 4);
    // The largest table there can be, in one line.
    let large = load("a,n,b\nx,2147483648,y\nz,0,w\n", &options).data;
    assert_eq!((large.rows(), large.distinct_rows()), (1 << 31, 1));
    // A level seen only with weight 0 is still a level.
    assert_eq!(levels(&large, 1), ["w", "y"]);
}

#[test]
fn compressed_tables_are_known_by_their_content() {
    let plain = read(PLAIN);
    assert_eq!(read(gzip(PLAIN.as_bytes())), plain);
    let (first, second) = PLAIN.as_bytes().split_at(30);
    assert_eq!(read([gzip(first), gzip(second)].concat()), plain);
    assert_eq!(read(gzip(format!("\u{feff}{PLAIN}").as_bytes())), plain);
}

#[test]
fn files_and_readers_are_read_like_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.tsv.gz");
    std::fs::write(&path, gzip(PLAIN.replace(',', "\t").as_bytes())).unwrap();
    let loaded = read_csv(&Source::from_argument(&path), &ReadOptions::default()).unwrap();
    assert_eq!((loaded.data, loaded.delimiter), (read(PLAIN), Some(b'\t')));
    let piped = read_csv_from("standard input", PLAIN.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((piped.data, piped.file.as_str()), (read(PLAIN), "standard input"));
}

#[test]
fn names_are_made_up_without_a_header() {
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    let data = load("f,no\nm,yes\nf,no\n", &options).data;
    assert_eq!((data.rows(), data.schema().name(0), data.schema().name(1)), (3, "X1", "X2"));
    let options = ReadOptions { columns: Some(vec!["X2".to_owned()]), ..options };
    assert_eq!(levels(&load("f,no\nm,yes\n", &options).data, 0), ["no", "yes"]);
}

#[test]
fn columns_keep_the_order_of_the_file() {
    let names = |columns: &[&str]| columns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let chosen = ReadOptions { columns: Some(names(&["smokes", "sex"])), ..ReadOptions::default() };
    let dropped = ReadOptions { drop: names(&["age group"]), ..ReadOptions::default() };
    let data = load(PLAIN, &chosen).data;
    assert_eq!((data.schema().name(0), data.schema().name(1)), ("sex", "smokes"));
    assert_eq!(load(PLAIN, &dropped).data, data);
    // What is not selected is not looked into.
    let text = b"sex,age group,smokes\nf,\xff,no\nm,,yes\nf,,no\nm,,yes\n";
    assert_eq!(load(text, &dropped).data, data);
}

#[test]
fn a_given_delimiter_is_taken_at_its_word() {
    let options = ReadOptions { delimiter: Some(b' '), ..ReadOptions::default() };
    assert_eq!(load("a b\n1,5 x\n2,5 y\n", &options).data.variables(), 2);
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let loaded = load("a;b\n1;2\n2;2\n", &options);
    assert_eq!(loaded.warnings, [Warning::SingleColumn { name: "a;b".to_owned() }]);
}

#[test]
fn levels_are_ordered_by_schema_or_value_or_bytes() {
    let text = "a,b,c,d\n10,x,1.0,low\n9,10,1,high\n-1,9,-2e1,low\n";
    let data = read(text);
    assert_eq!(levels(&data, 0), ["-1", "9", "10"]);
    assert_eq!(levels(&data, 1), ["10", "9", "x"]);
    assert_eq!(levels(&data, 2), ["-2e1", "1", "1.0"]);
    assert_eq!(levels(&data, 3), ["high", "low"]);
    let schema = LevelOrder::parse("s", "[levels]\nd = ['low', 'middle', 'high']\na = [10, 9, -1]").unwrap();
    let loaded = load(text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() });
    assert_eq!(levels(&loaded.data, 0), ["10", "9", "-1"]);
    assert_eq!(levels(&loaded.data, 3), ["low", "middle", "high"]);
    assert_eq!(loaded.data.level_counts(3), [2, 0, 1]);
    let same = Warning::SameNumber { name: "c".to_owned(), level: "1".to_owned(), other: "1.0".to_owned() };
    assert_eq!(loaded.warnings, [same, Warning::UnusedLevels { name: "d".to_owned(), count: 1 }]);
}

#[test]
fn rows_with_missing_values_are_left_out_on_request() {
    let text = "a,b,n\nx,1,2\n?,2,3\nx,NA,1\n,NaN,4\ny,1,1\n";
    let options =
        ReadOptions { on_missing: OnMissing::Drop, weights: Some("n".to_owned()), ..ReadOptions::default() };
    let loaded = load(text, &options);
    assert_eq!((loaded.file_rows, loaded.dropped_rows, loaded.dropped_weight), (5, 3, 8));
    assert_eq!((loaded.data.rows(), loaded.missing.as_slice()), (3, [2, 2].as_slice()));
    // The 2 of the second row went with it.
    assert_eq!(levels(&loaded.data, 1), ["1"]);
    let description = Description::of_loaded(&loaded);
    assert_eq!((description.dropped_rows, description.variables[1].missing), (3, 2));
    assert!(description.to_string().contains("left out for missing values: 3 rows (8 by weight)"));
}

#[test]
fn which_texts_mean_missing_is_the_users_word() {
    let options = ReadOptions { missing: vec![" - ".to_owned()], ..ReadOptions::default() };
    let options = ReadOptions { on_missing: OnMissing::Drop, ..options };
    let loaded = load("a,b\nNA,?\n,x\n-,y\n", &options);
    assert_eq!(levels(&loaded.data, 0), ["", "NA"]);
    assert_eq!(loaded.dropped_rows, 1);
    // A declared level is a level, whatever it means elsewhere.
    let schema = Some(LevelOrder::parse("s", "[levels]\nb = ['?', 'x']").unwrap());
    let data = load("a,b\nu,?\nv,x\n", &ReadOptions { schema, ..ReadOptions::default() }).data;
    assert_eq!(data.level_counts(1), [1, 1]);
}

#[test]
fn quoted_fields_hold_delimiters_quotes_and_lines() {
    let data = read("a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"two\r\nlines\",z\r\n");
    assert_eq!(levels(&data, 0), ["two\nlines", "x,y"]);
    assert_eq!(levels(&data, 1), ["say \"hi\"", "z"]);
}

#[test]
fn a_column_may_have_65535_levels() {
    let mut text = "a,b\n".to_owned();
    (0..65_535).for_each(|row| writeln!(text, "{row},x").unwrap());
    let data = read(&text);
    assert_eq!(levels(&data, 0).len(), 65_535);
    assert_eq!((data.row(0), data.row(65_534)), (vec![0, 0], vec![65_534, 0]));
}

#[test]
fn warnings_name_what_cannot_help() {
    let loaded = load("a,b\nx,1\nx,2\n", &ReadOptions::default());
    let constant = Warning::ConstantColumn { name: "a".to_owned(), level: "x".to_owned() };
    assert_eq!(loaded.warnings, [constant]);
    let single = load("a,b\nx,1\n", &ReadOptions::default());
    assert_eq!(single.warnings, [Warning::SingleRow]);
}

#[test]
fn bundled_tables_have_the_sizes_of_the_paper() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/");
    let tables = [
        ("car", 7, 1728, 6912),
        ("congressional_voting", 15, 312, 32768),
        ("contraceptive", 10, 1473, 55296),
        ("coronary_heart", 6, 1841, 64),
        ("economic_activity", 8, 665, 256),
        ("mushroom", 8, 5644, 21504),
        ("soybean", 11, 266, 62208),
        // The paper prints 17496; see data/README.md.
        ("wisconsin_breast_cancer", 10, 683, 39366),
    ];
    for (name, variables, rows, outcomes) in tables {
        let source = Source::from_argument(format!("{folder}{name}.csv"));
        let loaded = read_csv(&source, &ReadOptions::default()).unwrap();
        assert_eq!((loaded.data.variables(), loaded.data.rows()), (variables, rows), "{name}");
        assert_eq!(Description::of_loaded(&loaded).outcome_space.size, Some(outcomes), "{name}");
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    }
}

#[test]
fn files_frames_and_labels_go_through_one_door() {
    let rows = [["yes", "10"], ["no", "9"], ["yes", "10"]];
    let file = load("smokes,age\n yes,10\nno,9 \nyes,10\n?,9\n", &dropping());
    let names = ["smokes".to_owned(), "age".to_owned()];
    let columns = Columns::of_memory(names.to_vec(), &dropping()).unwrap();
    let mut frame = columns.intake(&dropping(), vec![Levels::Observed; 2]).unwrap();
    for row in rows.iter().chain(&[["NA ", "9"]]) {
        frame.push(1, |column| Some(row[column].as_bytes())).unwrap();
    }
    let frame = frame.finish(OnMissing::Drop).unwrap();
    assert_eq!(file.data, frame.data);
    assert_eq!(file.data, Dataset::from_labels(&["smokes", "age"], rows).unwrap());
    let facts = |loaded: &LoadedTable| {
        (loaded.file_rows, loaded.dropped_rows, loaded.dropped_weight, loaded.missing.clone())
    };
    assert_eq!(facts(&file), (4, 1, 1, vec![1, 0]));
    assert_eq!(facts(&frame), facts(&file));
    assert_eq!((file.delimiter, frame.delimiter), (Some(b','), None));
    assert_eq!((file.file.as_str(), frame.file.as_str()), ("t.csv", "the table"));
}

#[test]
fn weights_and_categories_of_a_frame_are_read_as_those_of_a_file() {
    let options = ReadOptions { weights: Some("n".to_owned()), ..ReadOptions::default() };
    let columns = Columns::of_memory(vec!["x".to_owned(), "n".to_owned()], &options).unwrap();
    assert_eq!(columns.weight(|_| Some(b" 3 "), || 1).unwrap(), 3);
    let refused = columns.weight(|_| None, || 7).unwrap_err().to_string();
    assert!(refused.starts_with("the table, line 7, column 2 (\"n\"): the weight"), "{refused}");
    let known = Levels::Ordered(["low", "NA", "high"].map(str::to_owned).to_vec());
    let mut frame = columns.intake(&options, vec![known]).unwrap();
    frame.push(1, |_| Some(b"high")).unwrap();
    assert_eq!(levels(&frame.finish(OnMissing::Error).unwrap().data, 0), ["low", "high"]);
}

fn dropping() -> ReadOptions {
    ReadOptions { on_missing: OnMissing::Drop, ..ReadOptions::default() }
}

proptest! {
    #[test]
    fn bytes_of_any_kind_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        header in any::<bool>(),
    ) {
        let _ = read_csv(&Source::bytes("x", bytes), &ReadOptions { header, ..ReadOptions::default() });
    }

    #[test]
    fn what_is_nearly_a_table_is_read_or_refused(
        text in "[ab1,;\"\n\r\t ?\0é]{0,80}",
        header in any::<bool>(),
        drop in any::<bool>(),
    ) {
        let on_missing = if drop { OnMissing::Drop } else { OnMissing::Error };
        let weights = header.then(|| "a".to_owned()).filter(|_| drop);
        let options = ReadOptions { header, on_missing, weights, ..ReadOptions::default() };
        match read_csv(&Source::bytes("x", text), &options) {
            Ok(loaded) => prop_assert!(loaded.data.rows() > 0 && !Description::of_loaded(&loaded).to_string().is_empty()),
            Err(error) => prop_assert!(error.to_string().starts_with('x')),
        }
    }

    /// A quote in the header leaves every row to the parser, which takes them one by one.
    #[test]
    fn many_rows_at_a_time_are_what_they_are_one_by_one(
        rows in prop::collection::vec((0..3_usize, 0..400_usize), 1..6),
        odd in prop::collection::vec(prop::sample::select(vec![
            "?", "3", "x", " ", "", "NA", "10", "0,1", "1,0,1,0", "a,b,c", "\n", "\r", "é", "\u{7f}",
        ]), 6),
        levels in prop::sample::select(vec![&["0", "1"][..], &["0", "1", "2", "3", "4", "5"][..]]),
        schema in any::<bool>(),
        drop in any::<bool>(),
    ) {
        let mut body = String::new();
        for ((kind, count), odd) in rows.iter().zip(&odd) {
            for row in 0..*count {
                let level = |by: usize| levels[(row * by + row / 7 + kind) % levels.len()];
                let _ = writeln!(body, "{},{},{}", level(1), level(3), level(5));
            }
            let _ = match kind {
                0 => writeln!(body, "{odd}"),
                1 => writeln!(body, "1,{odd},0"),
                _ => write!(body, "{odd}"),
            };
        }
        let declared = "[levels]\na = [\"1\", \"0\"]\n";
        let options = ReadOptions {
            schema: schema.then(|| LevelOrder::parse("s.toml", declared).unwrap()),
            on_missing: if drop { OnMissing::Drop } else { OnMissing::Error },
            delimiter: Some(b','),
            ..ReadOptions::default()
        };
        let read = |header: &str| {
            let loaded = read_csv(&Source::bytes("t.csv", format!("{header}{body}")), &options);
            loaded.map_err(|error| error.to_string()).map(|loaded| {
                (loaded.data, loaded.file_rows, loaded.dropped_rows, loaded.missing)
            })
        };
        for names in [["a", "b", "c"], ["a", "bb", "c"]] {
            let plain = names.join(",") + "\n";
            let quoted = format!("\"{}\",{},{}\n", names[0], names[1], names[2]);
            prop_assert_eq!(read(&plain), read(&quoted));
        }
    }

    #[test]
    fn schemas_of_any_kind_are_read_or_refused(text in "(\\[levels\\]\n)?[ab=\\[\\]\"'\n,1.#é ]{0,40}") {
        let _ = LevelOrder::parse("s", &text);
    }

    #[test]
    fn what_is_written_as_csv_is_read_back(
        rows in prop::collection::vec(prop::collection::vec("[a-z\",;|\n é]{0,4}[a-z\"]", 3), 1..30),
    ) {
        // Blanks at either end are not part of a field.
        let rows: Vec<Vec<&str>> =
            rows.iter().map(|row| row.iter().map(|label| label.trim()).collect()).collect();
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(["NAME A", "NAME B", "NAME C"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let expected =
            Dataset::from_labels(&["NAME A", "NAME B", "NAME C"], rows.iter().map(|row| row.iter().copied()));
        let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
        prop_assert_eq!(load(text, &options).data, expected.unwrap());
    }
}

#[test]
fn columns_have_their_names_and_places() {
    let names = ["a", "n", "b"].map(str::to_owned);
    let options = ReadOptions { weights: Some("n".to_owned()), ..ReadOptions::default() };
    let columns = Columns::of_memory(names.to_vec(), &options).unwrap();
    assert_eq!((columns.variables(), columns.weights()), ([0, 2].as_slice(), Some(1)));
    for (place, name) in names.iter().enumerate() {
        assert_eq!(columns.name(place), name);
    }
}
