//! Drawings: what the paper's figures become, that nothing covers anything else, and that
//! no name can break a format.

use crate::drawing_support::{Element, elements};
use cmnet::{Edge, EdgeStrength, ErrorKind, Schema, Structure, VarSet, Variable};
use cmnet_report::{Drawing, Format, LabelStyle, Places, dot, sentence, svg, text, tikz};
use std::collections::BTreeSet;

const FORMATS: [(Format, &str); 5] = [
    (Format::Svg, "svg"),
    (Format::Dot, "dot"),
    (Format::Tikz, "tex"),
    (Format::GraphMl, "graphml"),
    (Format::Text, "txt"),
];

/// A generator of the tests' own: the same cases on every run and platform.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn schema(names: impl IntoIterator<Item = String>, levels: &[&str]) -> Schema {
    let levels: Vec<String> = levels.iter().map(|&level| level.to_owned()).collect();
    Schema::new_unchecked(names.into_iter().map(|name| Variable { name, levels: levels.clone() }).collect())
}

fn structure(schema: &Schema, edges: impl IntoIterator<Item = (usize, usize)>) -> Structure {
    let mut structure = Structure::empty(&schema.cardinalities());
    for (one, other) in edges {
        structure.toggle_edge(Edge::new(one, other).unwrap()).unwrap();
    }
    structure
}

fn add_context(structure: &mut Structure, (one, other): (usize, usize), rows: &[&[u32]]) {
    let edge = Edge::new(one, other).unwrap();
    let space = structure.context_space(edge).unwrap();
    for row in rows {
        structure.add_context_element(edge, space.cell(row)).unwrap();
    }
}

/// The paper's Figure 1(b): six nodes, labels 0 and 1/2.
fn six_nodes() -> (Schema, Structure) {
    let schema = schema((1..=6).map(|number| number.to_string()), &["0", "1", "2"]);
    let mut structure = structure(&schema, [(0, 1), (1, 2), (0, 3), (3, 4), (1, 4), (2, 4)]);
    add_context(&mut structure, (1, 4), &[&[0]]);
    add_context(&mut structure, (2, 4), &[&[1], &[2]]);
    (schema, structure)
}

/// A part of the heart data's model: names and levels that people use.
fn heart() -> (Schema, Structure) {
    let variable = |name: &str, levels: [&str; 2]| Variable {
        name: name.to_owned(),
        levels: levels.map(str::to_owned).to_vec(),
    };
    let schema = Schema::new_unchecked(vec![
        variable("smoking", ["no", "yes"]),
        variable("systolic_blood_pressure", ["<140", ">=140"]),
        variable("lipoprotein_ratio", ["<3", ">=3"]),
        variable("family_anamnesis", ["negative", "positive"]),
    ]);
    let mut structure = structure(&schema, [(0, 1), (0, 2), (1, 2)]);
    add_context(&mut structure, (0, 1), &[&[1]]);
    (schema, structure)
}

/// Names of everyday length.
fn names(count: usize) -> impl Iterator<Item = String> {
    let words = ["age", "income_group", "smoking", "systolic_blood_pressure", "region", "education_level"];
    (0..count).map(move |index| format!("{}_{}", words[index % words.len()], index / words.len()))
}

/// A 2-tree: every new node is linked to both ends of an edge, so that all have contexts.
fn two_tree(count: usize, dice: &mut Dice) -> Vec<(usize, usize)> {
    let mut edges = vec![(0, 1)];
    for node in 2..count {
        let (one, other) = edges[dice.roll(edges.len())];
        edges.extend([(one, node), (other, node)]);
    }
    edges
}

fn complete(count: usize) -> Vec<(usize, usize)> {
    (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other))).collect()
}

fn with_contexts(mut structure: Structure, percent: usize, dice: &mut Dice) -> Structure {
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let size = structure.context_space(edge).unwrap().size() as usize;
        if size > 1 && dice.roll(100) < percent {
            for _ in 0..=dice.roll(3.min(size - 1)) {
                // A full context is refused, and that is fine here.
                let _ = structure.add_context_element(edge, dice.roll(size) as u64);
            }
        }
    }
    structure
}

/// Pictures of every kind up to 60 nodes.
fn gallery() -> Vec<(String, Schema, Structure)> {
    let mut dice = Dice(11);
    let mut gallery = Vec::new();
    let mut add = |name: &str, count: usize, edges: Vec<(usize, usize)>, percent: usize| {
        let schema = schema(names(count), &["no", "yes"]);
        let structure = with_contexts(structure(&schema, edges), percent, &mut Dice(count as u64));
        gallery.push((format!("{name} of {count}"), schema, structure));
    };
    for count in [2, 3, 6, 12, 20, 30, 45, 60] {
        let edges = two_tree(count, &mut dice);
        add("2-tree", count, edges.clone(), 0);
        add("labelled 2-tree", count, edges, 60);
    }
    let triangle = |first| [(first, first + 1), (first, first + 2), (first + 1, first + 2)];
    add("nothing", 0, Vec::new(), 0);
    add("single node", 1, Vec::new(), 0);
    add("isolated nodes", 60, Vec::new(), 0);
    add("star", 21, (1..21).map(|leaf| (0, leaf)).collect(), 0);
    add("triangles", 26, (0..8).flat_map(|number| triangle(3 * number)).collect(), 50);
    add("path", 20, (0..19).map(|node| (node, node + 1)).collect(), 0);
    add("complete graph", 9, complete(9), 0);
    let mut dense = BTreeSet::new();
    while dense.len() < 30 {
        let (one, other) = (dice.roll(15), dice.roll(15));
        dense.extend((one < other).then_some((one, other)));
    }
    add("dense graph", 15, dense.into_iter().collect(), 70);
    gallery
}

/// The boxes of nodes, then those of labels, in a drawing.
fn boxes(svg: &str) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let elements = elements(svg);
    let of = |class: &str| -> Vec<[f64; 4]> {
        let is = |element: &Element| element.attributes.get("class").is_some_and(|c| c == class);
        (0..elements.len())
            .filter(|&place| is(&elements[place]))
            .map(|place| elements[place..].iter().find(|element| element.name == "rect").unwrap().sides())
            .collect()
    };
    (of("cmnet-node"), of("cmnet-label"))
}

fn overlap(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

fn overlaps(boxes: &[[f64; 4]]) -> usize {
    (0..boxes.len()).map(|i| boxes[..i].iter().filter(|other| overlap(&boxes[i], other)).count()).sum()
}

#[test]
fn the_six_node_figure_looks_as_it_did() {
    let (schema, structure) = six_nodes();
    let drawing = Drawing::new(&schema, &structure).unwrap().with_title("Figure 1(b)");
    for (format, extension) in FORMATS {
        let path = format!("{}/tests/golden/six_nodes.{extension}", env!("CARGO_MANIFEST_DIR"));
        let drawn = format.render(&drawing);
        if std::env::var_os("CMNET_BLESS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        let golden = std::fs::read_to_string(&path).unwrap();
        assert_eq!(drawn, golden, "{path} differs; look at it and set CMNET_BLESS=1 to accept it");
    }
}

#[test]
fn no_box_touches_another_and_labels_stay_clear() {
    let (mut labels_in_all, mut on_boxes, mut on_labels) = (0, 0, 0);
    for (name, schema, structure) in gallery() {
        for style in [LabelStyle::Auto, LabelStyle::Codes] {
            let svg = svg::render(&Drawing::new(&schema, &structure).unwrap().with_labels(style));
            let (nodes, labels) = boxes(&svg);
            assert_eq!(nodes.len(), schema.len(), "{name}");
            assert_eq!(labels.len(), structure.contexts().count(), "{name}");
            assert_eq!(overlaps(&nodes), 0, "{name}: boxes on boxes");
            let picture = elements(&svg);
            let (width, height) = (picture[0].number("width"), picture[0].number("height"));
            for side in nodes.iter().chain(&labels) {
                assert!(side[0] >= 0.0 && side[1] >= 0.0 && side[2] <= width && side[3] <= height, "{name}");
            }
            labels_in_all += labels.len();
            on_labels += overlaps(&labels);
            on_boxes += labels.iter().filter(|label| nodes.iter().any(|node| overlap(label, node))).count();
        }
    }
    assert!(labels_in_all > 200);
    assert!(on_boxes * 100 <= labels_in_all, "{on_boxes} of {labels_in_all} labels on boxes");
    assert!(on_labels * 100 <= labels_in_all, "{on_labels} of {labels_in_all} labels on labels");
}

/// Points along a line as it is drawn.
fn way(edge: &Element) -> Vec<(f64, f64)> {
    let parts = edge.attributes["d"].split(['M', 'L', 'Q', ' ']).filter(|part| !part.is_empty());
    let numbers: Vec<f64> = parts.map(|part| part.parse().unwrap()).collect();
    let (from, to) = ((numbers[0], numbers[1]), (numbers[numbers.len() - 2], numbers[numbers.len() - 1]));
    let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    let control = if numbers.len() == 6 { (numbers[2], numbers[3]) } else { middle };
    let at = |share: f64| {
        let rest = 1.0 - share;
        let part = |a: f64, b: f64, c: f64| rest * rest * a + 2.0 * rest * share * b + share * share * c;
        (part(from.0, control.0, to.0), part(from.1, control.1, to.1))
    };
    (0..=200).map(|step| at(f64::from(step) / 200.0)).collect()
}

#[test]
fn labels_hide_no_other_line_and_stand_nearest_to_their_own() {
    let (mut in_all, mut lines_in_all, mut astray, mut behind) = (0, 0, 0, 0);
    let (mut crossings, mut hiding) = (0, 0);
    for (name, schema, structure) in gallery() {
        let picture = svg::render(&Drawing::new(&schema, &structure).unwrap());
        let all = elements(&picture);
        let is = |element: &Element| element.attributes.get("class").is_some_and(|own| own == "cmnet-edge");
        let lines: Vec<&Element> = all.iter().filter(|element| is(element)).collect();
        let ways: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| way(line)).collect();
        let (nodes, labels) = boxes(&picture);
        let inside = |frame: &[f64; 4], (x, y): (f64, f64)| {
            x > frame[0] && x < frame[2] && y > frame[1] && y < frame[3]
        };
        let about =
            |part: &str| part.split("<title>").nth(1).unwrap().split("</title>").next().unwrap().to_owned();
        let (edge_tag, label_tag) = ("<path class=\"cmnet-edge\"", "<g class=\"cmnet-label\"");
        let edges: Vec<String> = picture.split(edge_tag).skip(1).map(about).collect();
        let said: Vec<String> = picture.split(label_tag).skip(1).map(about).collect();
        let under_lines = picture.split(edge_tag).next().unwrap().matches(label_tag).count();
        assert_eq!(said.len(), labels.len());
        for (place, label) in labels.iter().enumerate() {
            let own = edges.iter().position(|edge| *edge == said[place]).unwrap();
            let center = (f64::midpoint(label[0], label[2]), f64::midpoint(label[1], label[3]));
            let distance = |line: usize| {
                let away = ways[line].iter().map(|point| (point.0 - center.0).hypot(point.1 - center.1));
                away.fold(f64::MAX, f64::min)
            };
            let others = || (0..ways.len()).filter(|&other| other != own);
            in_all += 1;
            let crossed = others().any(|other| ways[other].iter().any(|&at| inside(label, at)));
            crossings += usize::from(crossed);
            // What is drawn before the lines hides none of them.
            hiding += usize::from(crossed && place >= under_lines);
            astray += usize::from(others().any(|other| distance(other) + 1.5 < distance(own)));
        }
        let ends = |way: &Vec<(f64, f64)>| [way[0], way[200]];
        for way in &ways {
            let foreign = |node: &&[f64; 4]| !ends(way).iter().any(|&end| inside(node, end));
            behind +=
                usize::from(nodes.iter().filter(foreign).any(|node| way.iter().any(|&at| inside(node, at))));
        }
        assert_eq!(labels.len(), structure.contexts().count(), "{name}");
        lines_in_all += ways.len();
    }
    assert!(in_all > 100);
    assert_eq!(hiding, 0, "labels hide other lines");
    assert!(crossings * 50 <= in_all, "{crossings} of {in_all} labels are crossed");
    assert!(astray * 50 <= in_all, "{astray} of {in_all} labels are nearer to another line");
    assert!(behind * 50 <= lines_in_all, "{behind} of {lines_in_all} lines run behind boxes");
}

#[test]
fn the_same_structure_gives_the_same_bytes() {
    let mut dice = Dice(5);
    let schema = schema(names(25), &["no", "yes"]);
    let edges = two_tree(25, &mut dice);
    let forward = with_contexts(structure(&schema, edges.clone()), 50, &mut Dice(1));
    let backward = with_contexts(structure(&schema, edges.into_iter().rev()), 50, &mut Dice(1));
    for (format, _) in FORMATS {
        let draw = |structure| format.render(&Drawing::new(&schema, structure).unwrap());
        assert_eq!(draw(&forward), draw(&backward));
    }
}

/// Names that mean something in one format or another, or nothing anywhere.
fn hostile() -> (Schema, Structure) {
    let names = [
        "</svg><script>alert(\"&\")</script>".to_owned(),
        "]]>&amp;&#0;".to_owned(),
        "\"]; evil [label=\"\\N".to_owned(),
        "50% \\ _{x}^2 $#~ \\input{/etc/passwd}".to_owned(),
        "line\r\nbreak\t\u{0}\u{1b}[31m".to_owned(),
        "\u{202e}שלום\u{2066} עולם".to_owned(),
        "👩‍👩‍👧 e\u{301}\u{302}\u{303}\u{304}\u{305}日本語\u{ffff}".to_owned(),
        "x".repeat(50_000),
        String::new(),
    ];
    let schema = schema(names, &["<a&b>'\"", "\\end{document}%\n\u{7}", ""]);
    let edges = (0..7).flat_map(|node| [(node, node + 1), (node, node + 2)]);
    let structure = structure(&schema, edges);
    (schema, with_contexts(structure, 100, &mut Dice(3)))
}

#[test]
fn no_name_can_break_a_format() {
    let (schema, structure) = hostile();
    for style in [LabelStyle::Auto, LabelStyle::Codes, LabelStyle::Names] {
        let title = "</title>\u{1b}\"\\end{document}";
        let drawing = Drawing::new(&schema, &structure).unwrap().with_labels(style).with_title(title);
        let svg = Format::Svg.render(&drawing);
        let known = ["svg", "title", "desc", "rect", "g", "path", "text", "tspan"];
        assert!(elements(&svg).iter().all(|element| known.contains(&element.name.as_str())));
        assert!(!svg.contains('\u{202e}') && !svg.contains("href") && !svg.contains(" id="));
        let graphml = elements(&Format::GraphMl.render(&drawing));
        assert_eq!(graphml.iter().filter(|element| element.name == "node").count(), 9);
        check_dot(&Format::Dot.render(&drawing));
        check_latex(&Format::Tikz.render(&drawing));
        let text = text::render(&drawing);
        assert!(text.chars().all(|c| !c.is_control() || c == '\n'));
        assert!(text.lines().all(|line| line.chars().count() < 2_000));
    }
}

/// Outside of quotes there are only the words that the writer puts there.
fn check_dot(dot: &str) {
    let mut outside = String::new();
    let mut characters = dot.chars();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => assert!(matches!(characters.next(), Some('n' | '\\' | '"'))),
            '"' => quoted = !quoted,
            _ if !quoted => outside.push(c),
            _ => assert_ne!(c, '\n'),
        }
    }
    assert!(!quoted && !outside.contains("evil"), "{outside}");
}

/// Braces balance and no special stands without its backslash.
fn check_latex(document: &str) {
    let (_, picture) = document.split_once("\\begin{tikzpicture}").unwrap();
    let (picture, end) = picture.split_once("\\end{tikzpicture}").unwrap();
    assert_eq!(end.trim(), "\\end{document}");
    let mut depth = 0;
    let mut characters = picture.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                if characters.next_if(|next| !next.is_ascii_alphabetic()).is_none() {
                    let letters = std::iter::from_fn(|| characters.next_if(char::is_ascii_alphabetic));
                    let command: String = letters.collect();
                    assert!(!matches!(command.as_str(), "input" | "end"), "{command}");
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => assert!(!"%$#&_^".contains(c), "{c} in {picture}"),
        }
        assert!(depth >= 0);
    }
    assert_eq!(depth, 0);
}

#[test]
fn large_networks_are_drawn_by_cheaper_means() {
    let tree = two_tree(1_500, &mut Dice(2));
    let star = (1..800).map(|leaf| (0, leaf)).collect();
    for (count, edges) in [(1_500, tree), (120, complete(120)), (800, star)] {
        let schema = schema(names(count), &["no", "yes"]);
        let structure = structure(&schema, edges);
        let (nodes, _) = boxes(&svg::render(&Drawing::new(&schema, &structure).unwrap()));
        assert_eq!(overlaps(&nodes), 0, "{count} nodes");
    }
}

#[test]
fn huge_contexts_are_cut_not_worked_out_to_the_end() {
    let schema = schema(names(16), &["no", "yes"]);
    let mut structure = structure(&schema, complete(16));
    let edge = Edge::new(0, 1).unwrap();
    for cell in (0..1 << 14).filter(|cell: &u64| cell.count_ones().is_multiple_of(2)) {
        structure.add_context_element(edge, cell).unwrap();
    }
    let drawing = Drawing::new(&schema, &structure).unwrap().with_labels(LabelStyle::Codes);
    let picture = svg::render(&drawing);
    // The whole label, or a letter for it that the list explains.
    assert!(
        picture.contains("+8185") || picture.contains(">a: age_0 and income_group_0 are independent"),
        "{picture}"
    );
    let in_words = Drawing::new(&schema, &structure).unwrap();
    assert!(text::render(&in_words).contains("more cases"));
}

#[test]
fn short_contexts_are_written_in_names_and_codes_come_with_a_legend() {
    let (schema, structure) = heart();
    let drawn = svg::render(&Drawing::new(&schema, &structure).unwrap());
    assert!(drawn.contains(">lipoprotein_ratio &gt;=3</text>"), "{drawn}");
    let said = "smoking and systolic_blood_pressure are independent when lipoprotein_ratio is &gt;=3 \
                (given everything else)";
    assert!(drawn.contains(&format!("<title>{said}</title>")), "{drawn}");
    let coded = Drawing::new(&schema, &structure).unwrap().with_labels(LabelStyle::Codes);
    let drawn = svg::render(&coded);
    assert!(drawn.contains(">1</text>") && drawn.contains("0 = &lt;3, 1 = &gt;=3"), "{drawn}");
}

#[test]
fn text_lists_edges_contexts_and_the_rest() {
    let (schema, structure) = heart();
    let expected = "\
4 variables, 3 edges, 1 of them with a context

Edges
  smoking - systolic_blood_pressure             1 (lipoprotein_ratio)
      independent when lipoprotein_ratio is >=3
  smoking - lipoprotein_ratio
  systolic_blood_pressure - lipoprotein_ratio

Without edges
  family_anamnesis

Independent: of each other, given everything else.
";
    assert_eq!(text::render(&Drawing::new(&schema, &structure).unwrap()), expected);
    let context = structure.contexts().next().unwrap();
    assert!(sentence(&schema, context).ends_with("when lipoprotein_ratio is >=3 (given everything else)"));
}

#[test]
fn formats_follow_from_paths_and_schemas_must_match() {
    let format = |path: &str| Format::from_path(path.as_ref());
    for (path, expected) in [
        ("a.svg", Format::Svg),
        ("a.SVG", Format::Svg),
        ("dir.x/a.gv", Format::Dot),
        ("a.tex", Format::Tikz),
        ("a.b.graphml", Format::GraphMl),
        ("-", Format::Text),
    ] {
        assert_eq!(format(path).unwrap(), expected);
    }
    for path in ["a.png", "svg", "", "a."] {
        assert!(format(path).unwrap_err().to_string().contains(".graphml"), "{path}");
    }
    let (schema, _) = six_nodes();
    let other = Structure::empty(&[2, 2]);
    let problem = Drawing::new(&schema, &other).unwrap_err();
    assert!(matches!(problem.kind(), ErrorKind::Mismatch { .. }));
}

#[test]
fn places_of_another_drawing_are_kept() {
    let (schema, structure) = six_nodes();
    let whole = Drawing::new(&schema, &structure).unwrap();
    let mut fewer = structure.clone();
    fewer.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
    let places = Places::of(&whole);
    assert_eq!(Places::from_svg(&svg::render(&whole)).unwrap(), places);
    let drawn = svg::render(&Drawing::new(&schema, &fewer).unwrap().with_places(&places).unwrap());
    let boxes = |text: &str| -> Vec<String> {
        let nodes = text.split("<g class=\"cmnet-node\">").skip(1);
        nodes.map(|node| node.split("/>").next().unwrap().to_owned()).collect()
    };
    assert_eq!(boxes(&drawn), boxes(&svg::render(&whole.clone().with_places(&places).unwrap())));
    let other = self::schema(["elsewhere".to_owned()], &["no", "yes"]);
    let alone = Structure::empty(&[2]);
    let refused = Drawing::new(&other, &alone).unwrap().with_places(&places).unwrap_err();
    assert!(refused.to_string().contains("no place for the variable \"elsewhere\""), "{refused}");
}

#[test]
fn stronger_edges_are_wider() {
    let (schema, structure) = six_nodes();
    let strength = |edge: Edge, nats: f64| EdgeStrength {
        edge,
        information: Some(nats),
        given: VarSet::default(),
        given_all: true,
    };
    let strengths = [strength(Edge::new(0, 1).unwrap(), 0.5), strength(Edge::new(1, 4).unwrap(), 0.01)];
    let drawing = Drawing::new(&schema, &structure).unwrap().with_strengths(&strengths);
    let picture = svg::render(&drawing);
    let widths: Vec<&str> = picture
        .split("<path class=\"cmnet-edge\"")
        .skip(1)
        .map(|edge| edge.split("stroke-width=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(widths, ["7", "1", "1", "2", "1", "1"]);
    assert!(
        dot::render(&drawing).contains("penwidth=7") && tikz::render(&drawing).contains("line width=5.25pt")
    );
}

#[test]
fn dashes_end_whole_before_a_label() {
    let (schema, structure) = six_nodes();
    let picture = svg::render(&Drawing::new(&schema, &structure).unwrap());
    let all = elements(&picture);
    let is = |class: &'static str| {
        move |element: &&Element| element.attributes.get("class").is_some_and(|own| own == class)
    };
    let dashed = |element: &&Element| element.attributes.contains_key("stroke-dasharray");
    let lines: Vec<&Element> = all.iter().filter(is("cmnet-edge")).filter(dashed).collect();
    let grounds: Vec<[f64; 4]> = all
        .iter()
        .zip(all.iter().skip(2))
        .filter(|(group, _)| is("cmnet-label")(group))
        .map(|(_, ground)| ground.sides())
        .collect();
    assert_eq!((lines.len(), grounds.len()), (2, 2));
    for (line, ground) in lines.iter().zip(&grounds) {
        let numbers = |text: &str| -> Vec<f64> {
            text.split(['M', 'L', ' '])
                .filter(|part| !part.is_empty())
                .map(|part| part.parse().unwrap())
                .collect()
        };
        let way = numbers(&line.attributes["d"]);
        let length = (way[2] - way[0]).hypot(way[3] - way[1]);
        let (mut at, mut dashes) = (0.0, 0);
        for pair in numbers(&line.attributes["stroke-dasharray"]).chunks(2) {
            assert!([0.0, 6.0].iter().any(|length: &f64| (pair[0] - length).abs() < 1e-9), "{pair:?}");
            for share in [at / length, (at + pair[0]) / length] {
                let (x, y) = (way[0] + share * (way[2] - way[0]), way[1] + share * (way[3] - way[1]));
                let hidden = x > ground[0] && x < ground[2] && y > ground[1] && y < ground[3];
                assert!(!hidden || pair[0] == 0.0, "a dash under the label at {x} {y}");
            }
            dashes += usize::from(pair[0] > 0.0);
            at += pair[0] + pair[1];
        }
        assert!(dashes >= 4, "{dashes}");
    }
}
