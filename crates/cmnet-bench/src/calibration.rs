//! Of what is reported with a support, the share that is true: counted in ten classes, added up over what
//! `confidence` printed, as a table and a picture.

use anyhow::{Context, Result, ensure};
use cmnet_report::{Chart, ChartPoint, ChartSeries};
use std::collections::BTreeMap;

/// Classes of support: [0, 0.1), [0.1, 0.2), ..., [0.9, 1].
const CLASSES: usize = 10;

/// True and all, for each class of support.
#[derive(Clone, Default)]
pub(crate) struct Calibration([(u64, u64); CLASSES]);

impl Calibration {
    pub(crate) fn add(&mut self, support: f64, is_true: bool) {
        // Supports are shares of replicates: 0.3 must not fall into the class below for its last digit.
        let class = ((support * CLASSES as f64 + 1e-9) as usize).min(CLASSES - 1);
        self.0[class].0 += u64::from(is_true);
        self.0[class].1 += 1;
    }

    pub(crate) fn print(&self, what: &str) {
        for (class, (is_true, all)) in self.0.iter().enumerate() {
            let share = *is_true as f64 / (*all).max(1) as f64;
            let from = class as f64 / CLASSES as f64;
            println!("  {what:<9} support from {from:.1}: {is_true:>5} of {all:>5} true, {share:.2}");
        }
    }

    fn join(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = (own.0 + other.0, own.1 + other.1);
        }
    }

    /// The share that is true over the middle of each class, with twice its standard error.
    fn points(&self) -> Vec<ChartPoint> {
        let point = |(class, &(is_true, all)): (usize, &(u64, u64))| {
            let y = is_true as f64 / all as f64;
            let spread = 2.0 * (y * (1.0 - y) / all as f64).sqrt();
            ChartPoint { x: middle(class), y, spread: Some(spread) }
        };
        self.0.iter().enumerate().filter(|(_, (_, all))| *all > 0).map(point).collect()
    }
}

fn middle(class: usize) -> f64 {
    (class as f64 + 0.5) / CLASSES as f64
}

/// What is counted, as it is printed and as a reader calls it.
const COUNTED: [(&str, &str); 3] =
    [("edges", "edges"), ("elements", "elements"), ("nearly", "elements, nearly")];

/// One calibration for each of what is counted.
type Counts = [Calibration; COUNTED.len()];

/// Adds up what `confidence` printed into some files: a table of each structure and of all, and a picture of all.
pub(crate) fn run(picture: &str, files: &[String]) -> Result<()> {
    ensure!(!files.is_empty(), "name the files that `confidence` printed into");
    let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
        read(&text, &mut kinds)?;
    }
    let mut all = Counts::default();
    for (kind, counts) in &kinds {
        table(kind, counts);
        all.iter_mut().zip(counts).for_each(|(sum, own)| sum.join(own));
    }
    table("all", &all);
    Ok(std::fs::write(picture, chart(&all).svg())?)
}

/// The counts of printed lines, added to those of their kind.
fn read(text: &str, kinds: &mut BTreeMap<String, Counts>) -> Result<()> {
    let mut kind = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !line.starts_with(' ') {
            kind = line.split_once(',').map(|(kind, _)| kind.to_owned());
            continue;
        }
        let [what, "support", "from", from, is_true, "of", all, ..] = words[..] else { continue };
        let Some(place) = COUNTED.iter().position(|(name, _)| *name == what) else { continue };
        let kind = kind.clone().context("counts without a structure before them")?;
        let from: f64 = from.trim_end_matches(':').parse()?;
        let class = (from * CLASSES as f64).round() as usize;
        ensure!(class < CLASSES, "{line:?} is no class of support");
        let own = &mut kinds.entry(kind).or_default()[place].0[class];
        *own = (own.0 + is_true.parse::<u64>()?, own.1 + all.parse::<u64>()?);
    }
    Ok(())
}

fn table(kind: &str, counts: &Counts) {
    println!("\n{kind}\n\n| support | edges | true | elements | true | nearly |\n|---|---|---|---|---|---|");
    let share = |(is_true, all): (u64, u64)| {
        if all == 0 { "-".to_owned() } else { format!("{:.2}", is_true as f64 / all as f64) }
    };
    for class in 0..CLASSES {
        let [edges, elements, nearly] = [0, 1, 2].map(|place: usize| counts[place].0[class]);
        let (from, to) = (class as f64 / 10.0, (class + 1) as f64 / 10.0);
        println!(
            "| {from:.1} to {to:.1} | {} | {} | {} | {} | {} |",
            edges.1,
            share(edges),
            elements.1,
            share(elements),
            share(nearly)
        );
    }
}

fn chart(counts: &Counts) -> Chart {
    let series = |(place, calibration): (usize, &Calibration)| ChartSeries {
        name: COUNTED[place].1.to_owned(),
        color: place,
        joined: true,
        hollow: false,
        points: calibration.points(),
    };
    let even = |class: usize| ChartPoint { x: middle(class), y: middle(class), spread: None };
    let mut all: Vec<ChartSeries> = counts.iter().enumerate().map(series).collect();
    all.push(ChartSeries {
        name: "share = support".to_owned(),
        color: 3,
        joined: true,
        hollow: true,
        points: (0..CLASSES).map(even).collect(),
    });
    Chart {
        title: "Of what has this support, the share that is true".to_owned(),
        x_title: "support, in classes of 0.1".to_owned(),
        y_title: "share that is true, with two standard errors".to_owned(),
        ticks: (0..CLASSES).map(|class| (middle(class), format!("{:.1}", class as f64 / 10.0))).collect(),
        log_y: false,
        series: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_begin_where_they_say() {
        let mut counted = Calibration::default();
        for support in [0.0, 0.3, 3.0 * 0.1, 0.299, 0.9, 1.0] {
            counted.add(support, support > 0.5);
        }
        let all: Vec<u64> = counted.0.iter().map(|class| class.1).collect();
        assert_eq!(all, [1, 0, 1, 2, 0, 0, 0, 0, 0, 2]);
        assert_eq!(counted.0[9], (2, 2));
    }

    #[test]
    fn what_was_printed_is_added_up() {
        let text = "2-tree, 15 variables, 500 rows\n  edges     support from 0.9:   3 of    4 true, 0.75\n";
        let mut kinds = BTreeMap::new();
        read(&text.repeat(2), &mut kinds).unwrap();
        read(&text.replace("2-tree", "grid").replace("edges", "nearly"), &mut kinds).unwrap();
        assert_eq!((kinds["2-tree"][0].0[9], kinds["grid"][2].0[9]), ((6, 8), (3, 4)));
        let mut all = kinds["2-tree"].clone();
        all.iter_mut().zip(&kinds["grid"]).for_each(|(sum, own)| sum.join(own));
        let points = all[0].points();
        assert_eq!((points.len(), points[0].x, points[0].y), (1, 0.95, 0.75));
        assert!(chart(&all).svg().contains("elements, nearly"));
        assert!(read("  edges support from 0.9: 3 of 4 true", &mut BTreeMap::new()).is_err());
    }
}
