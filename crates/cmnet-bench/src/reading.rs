//! How fast tables of one-byte fields are read, beside the same text read by the parser.

use crate::usage::Meter;
use anyhow::{Result, ensure};
use cmnet::{ReadOptions, Source, read_csv};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// How many times as long the parser takes at least: it takes rows one by one.
const LEAST: f64 = 1.5;

/// Random binary columns, as a file and with a quote in the header, which leaves every row to the parser.
pub(crate) fn run(rows: usize, columns: usize) -> Result<()> {
    let path = std::env::temp_dir().join(format!("cmnet-bench-{}.csv", std::process::id()));
    let mut seconds = [0.0; 2];
    for (quoted, seconds) in [false, true].into_iter().zip(&mut seconds) {
        std::fs::write(&path, text(rows, columns, quoted))?;
        *seconds =
            (0..3).map(|_| read(&path)).collect::<Result<Vec<f64>>>()?.into_iter().fold(f64::MAX, f64::min);
    }
    std::fs::remove_file(&path)?;
    let [plain, parsed] = seconds;
    println!(
        "reading {rows} rows x {columns} columns of one byte: {plain:.3} processor s, by the parser {parsed:.3}"
    );
    ensure!(
        parsed > LEAST * plain,
        "the parser takes less than {LEAST} times as long as many rows at a time"
    );
    Ok(())
}

fn read(path: &std::path::Path) -> Result<f64> {
    let meter = Meter::start();
    let loaded = read_csv(&Source::from_argument(path), &ReadOptions::default())?;
    ensure!(loaded.data.rows() > 0);
    Ok(meter.processor())
}

fn text(rows: usize, columns: usize, quoted: bool) -> Vec<u8> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let names: Vec<String> = (0..columns).map(|column| format!("x{column}")).collect();
    let mut text = if quoted { format!("\"{}\"\n", names.join("\",\"")) } else { names.join(",") + "\n" };
    for _ in 0..rows {
        for column in 0..columns {
            text.push(if rng.next_u32() & 1 == 1 { '1' } else { '0' });
            text.push(if column + 1 == columns { '\n' } else { ',' });
        }
    }
    text.into_bytes()
}
