//! Model files: the same bytes each time, and a place for every complaint.

use crate::common::{Sample, generator, random_structure, schema};
use cmnet::{Dataset, ErrorKind, Fit, FitOptions, LearnOptions, MAX_LEVELS, Model, Structure, fit, learn};

#[test]
fn save_load_save_gives_the_same_bytes() {
    let mut rng = generator(31);
    for _ in 0..40 {
        let (_, data) = Sample::random_dataset(&mut rng);
        let options = LearnOptions { threads: 1, ..LearnOptions::default() };
        let learned = learn(&data, &options, &()).unwrap();
        for model in &learned.models {
            let model = model.to_model(&data, &options, &learned.search).unwrap();
            let text = model.to_json().unwrap();
            let loaded = Model::from_json(&text, "model.json").unwrap();
            assert_eq!(loaded, model);
            assert_eq!(loaded.to_json().unwrap(), text);
        }
    }
}

#[test]
fn structures_written_by_hand_load_too() {
    let mut rng = generator(32);
    for _ in 0..200 {
        let structure = random_structure(&mut rng, &[2, 3, 2, 4, 2], 0.7);
        let model = Model::new(schema(structure.cardinalities()), structure).unwrap();
        assert_eq!(Model::from_json(&model.to_json().unwrap(), "model.json").unwrap(), model);
    }
}

const TRIANGLE: &str = r#"{
  "format": "cmnet-model/1",
  "variables": [
    {"name": "a", "levels": ["no", "yes"]},
    {"name": "b", "levels": ["no", "yes"]},
    {"name": "c", "levels": ["low", "mid", "high"]}
  ],
  "edges": [["a", "b"], ["a", "c"], ["b", "c"]],
  "contexts": [{"edge": ["a", "b"], "given": ["c"], "elements": [["low"], ["mid"]]}]
}"#;

/// Each case replaces a part of a good file and names the place and words of the complaint.
#[test]
fn broken_files_are_refused_with_their_place() {
    assert!(Model::from_json(TRIANGLE, "m").is_ok());
    let cases = [
        ("cmnet-model/1", "cmnet-model/9", "format", "cmnet-model/9"),
        (r#""format": "cmnet-model/1","#, "", "line", "missing field `format`"),
        (r#""edges""#, r#""edgs""#, "line", "unknown field `edgs`"),
        (r#""contexts": ["#, r#""contexts": [["#, "line", "expected"),
        (r#"["b", "c"]]"#, r#"["b", "c"], ["c", "b"]]"#, "edges[3]", "appears twice"),
        (r#"["b", "c"]]"#, r#"["b", "b"]]"#, "edges[2]", "to itself"),
        (r#"["b", "c"]]"#, r#"["b", "C"]]"#, "edges[2]", r#"did you mean "c""#),
        (r#"["b", "c"]]"#, r#"["b"]]"#, "line", "length"),
        (r#"{"name": "b""#, r#"{"name": "a""#, "variables[1].name", "appears twice"),
        (r#"{"name": "b""#, r#"{"name": """#, "variables[1].name", "empty"),
        (r#"["low", "mid", "high"]"#, "[]", "variables[2].levels", "0 levels"),
        (r#"["low", "mid", "high"]"#, r#"["low", "mid", "low"]"#, "variables[2].levels", "appears twice"),
        (r#""given": ["c"]"#, r#""given": []"#, "contexts[0].given", "common neighbours"),
        (r#"[["low"], ["mid"]]"#, "[]", "contexts[0].elements", "none"),
        (r#"[["low"], ["mid"]]"#, r#"[["low"], ["low"]]"#, "contexts[0].elements[1]", "appears twice"),
        (
            r#"[["low"], ["mid"]]"#,
            r#"[["low"], ["tall"]]"#,
            "contexts[0].elements[1]",
            r#""tall" is not a level"#,
        ),
        (r#"[["low"], ["mid"]]"#, r#"[["low", "mid"]]"#, "contexts[0].elements[0]", "2 levels for 1"),
        (r#"[["low"], ["mid"]]"#, r#"[["low"], ["mid"], ["high"]]"#, "contexts[0].elements[2]", "regularity"),
        (r#"["a", "b"], "#, "", "contexts[0].edge", "needs an edge"),
    ];
    for (from, to, at, words) in cases {
        let text = TRIANGLE.replacen(from, to, 1);
        assert_ne!(text, TRIANGLE, "{from}");
        let error = Model::from_json(&text, "broken.json").unwrap_err();
        let message = error.to_string();
        assert!(matches!(error.kind(), ErrorKind::Model { .. }), "{message}");
        assert!(
            message.starts_with("broken.json: ") && message.contains(at) && message.contains(words),
            "{message}"
        );
    }
}

#[test]
fn hostile_texts_never_panic() {
    let mut rng = generator(33);
    let bytes = TRIANGLE.as_bytes();
    for _ in 0..20_000 {
        let mut text = bytes.to_vec();
        for _ in 0..rand::Rng::random_range(&mut rng, 1..4) {
            let at = rand::Rng::random_range(&mut rng, 0..text.len());
            match rand::Rng::random_range(&mut rng, 0..3) {
                0 => text[at] = rand::Rng::random(&mut rng),
                1 => text.truncate(at.max(1)),
                _ => {
                    let from = rand::Rng::random_range(&mut rng, 0..=at);
                    let piece = text[from..at].to_vec();
                    text.splice(at..at, piece);
                }
            }
        }
        let _ = Model::from_json(&String::from_utf8_lossy(&text), "m");
    }
    let deep = "[".repeat(100_000);
    assert!(Model::from_json(&deep, "m").is_err());
}

#[test]
fn numbers_that_are_not_finite_are_not_written() {
    let data = Dataset::from_labels(&["a", "b"], [["x", "0"], ["y", "1"]].repeat(8)).unwrap();
    let structure = Structure::empty(&[2, 2]);
    let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
    let model = |fitted| Model::new(data.schema().clone(), structure.clone()).unwrap().with_fit(fitted);
    assert!(model(fitted.clone()).unwrap().to_json().is_ok());
    for wrong in [f64::NAN, f64::INFINITY] {
        let of_likelihood = Fit { log_likelihood: Some(wrong), ..fitted.clone() };
        for fitted in [of_likelihood, Fit { gradient: wrong, ..fitted.clone() }] {
            let refused = model(fitted).unwrap().to_json().unwrap_err().to_string();
            assert!(refused.contains("not finite, so it cannot be written"), "{refused}");
        }
    }
}

#[test]
fn a_variable_may_have_as_many_levels_as_a_table_may_have() {
    let file = |levels: usize| {
        let levels: Vec<String> = (0..levels).map(|level| format!("\"{level}\"")).collect();
        let variable = format!("{{\"name\": \"a\", \"levels\": [{}]}}", levels.join(", "));
        let text = format!(
            "{{\"format\": \"cmnet-model/1\", \"variables\": [{variable}], \"edges\": [], \"contexts\": []}}"
        );
        Model::from_json(&text, "model.json")
    };
    assert_eq!(file(MAX_LEVELS).unwrap().structure().cardinalities(), [MAX_LEVELS as u32]);
    let refused = file(MAX_LEVELS + 1).unwrap_err().to_string();
    assert!(refused.contains("65536 levels; expected 1 to 65535"), "{refused}");
}
