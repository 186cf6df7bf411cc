//! A picture for LaTeX: a document of its own that holds one TikZ picture.

use super::dash;
use super::draft::Node;
use super::escape::latex;
use super::layout::{Path, Point};
use super::scene::{Caption, Line, SAMPLE, Scene};
use super::{Drawing, LabelStyle};

/// A pixel is three quarters of a point; y runs downwards as on the screen.
const HEAD: &str = r##"% Compile with pdflatex; with xelatex or lualatex where names are not in Latin letters, which
% pdflatex shows as empty boxes. Head and picture can also be copied into a paper.
\documentclass[border=6pt]{standalone}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \usepackage{textcomp}
  \newcommand{\cmnetchar}[1]{{\fboxsep=0pt\fboxrule=0.3pt\fbox{\rule{0pt}{5pt}\rule{4pt}{0pt}}}}
\else
  \usepackage{fontspec}
  \newcommand{\cmnetchar}[1]{\char"#1\relax}
\fi
\usepackage{tikz}
\definecolor{cmnetink}{HTML}{1B2430}
\definecolor{cmnetmuted}{HTML}{5B6675}
\definecolor{cmnetfill}{HTML}{ECEFF3}
\definecolor{cmnetborder}{HTML}{55606E}
\definecolor{cmnetline}{HTML}{707B88}
\definecolor{cmnetcontext}{HTML}{C2410C}
\definecolor{cmnetlabel}{HTML}{9A3412}
\tikzset{
  cmnet edge/.style={draw=cmnetline, line width=1pt},
  cmnet context/.style={draw=cmnetcontext, line width=1pt, dash pattern=on 4pt off 3pt},
  cmnet label/.style={align=center, inner sep=1.5pt, fill=white, text=cmnetlabel, font=\sffamily\fontsize{8.5}{10.5}\selectfont},
  cmnet codes/.style={cmnet label, font=\ttfamily\bfseries\fontsize{8.5}{10.5}\selectfont},
  cmnet sign/.style={cmnet label, draw=cmnetcontext, line width=0.6pt, rounded corners=5pt, inner xsep=3pt},
  cmnet node/.style={draw=cmnetborder, fill=cmnetfill, text=cmnetink, align=center, inner sep=3pt, line width=0.8pt, font=\sffamily\fontsize{9.5}{12}\selectfont},
  cmnet title/.style={anchor=base west, inner sep=0pt, text=cmnetink, font=\sffamily\bfseries\fontsize{11}{13}\selectfont},
  cmnet caption/.style={anchor=base west, inner sep=0pt, text=cmnetmuted, font=\sffamily\fontsize{8.5}{10.5}\selectfont},
}
\begin{document}
\begin{tikzpicture}[x=0.75pt, y=-0.75pt]
"##;

/// Draws a structure.
pub fn render(drawing: &Drawing<'_>) -> String {
    let scene = Scene::new(drawing);
    let codes = scene.style == LabelStyle::Codes;
    let mut parts = vec![HEAD.to_owned()];
    parts.extend(scene.title.iter().map(|caption| words(caption, "cmnet title")));
    // A label hides no line: what another line runs through lies under the lines.
    let labels = |crossed: bool| scene.lines.iter().filter(move |line| line.crossed == crossed);
    parts.extend(labels(true).map(|line| label(line, codes)));
    parts.extend(scene.lines.iter().map(|line| edge(&scene, line)));
    parts.extend(labels(false).map(|line| label(line, codes)));
    parts.extend(scene.nodes.iter().enumerate().map(|(index, shape)| node(index, shape)));
    parts.extend(scene.sample.map(|from| format!("\\path[cmnet context] {} -- ++({SAMPLE},0);\n", at(from))));
    parts.extend(scene.legend.iter().map(|caption| words(caption, "cmnet caption")));
    parts.push("\\end{tikzpicture}\n\\end{document}\n".to_owned());
    parts.concat()
}

fn at(point: Point) -> String {
    let tenth = |value: f64| (value * 10.0).round() / 10.0 + 0.0;
    format!("({},{})", tenth(point.x), tenth(point.y))
}

fn words(caption: &Caption, style: &str) -> String {
    format!("\\node[{style}] at {} {{{}}};\n", at(caption.at), latex(&caption.text))
}

fn edge(scene: &Scene, line: &Line) -> String {
    let style = match &line.label {
        Some((label, _)) => {
            let ends = [line.ends.0, line.ends.1].map(|end| scene.nodes[end].frame);
            format!("cmnet context, dash pattern={}", dashes(&dash::pattern(&line.path, *label, ends)))
        }
        None => "cmnet edge".to_owned(),
    };
    let Path { from, control, to } = line.path;
    let way = match control {
        None => "--".to_owned(),
        // The cubic curve that is this quadratic one.
        Some(control) => format!(
            ".. controls {} and {} ..",
            at(from.towards(control, 2.0 / 3.0)),
            at(to.towards(control, 2.0 / 3.0))
        ),
    };
    let width = line.width.map_or(String::new(), |width| format!(", line width={}pt", 0.75 * width));
    let opacity = line.opacity.map_or(String::new(), |opacity| format!(", draw opacity={opacity}"));
    format!("\\path[{style}{width}{opacity}] {} {way} {};\n", at(from), at(to))
}

/// Dashes and gaps in points.
fn dashes(lengths: &[f64]) -> String {
    let points = |length: &f64| format!("{}pt", (7.5 * length).round() / 10.0 + 0.0);
    let part = |pair: &[f64]| {
        format!("on {} off {}", points(&pair[0]), pair.get(1).map_or("0pt".to_owned(), points))
    };
    lengths.chunks(2).map(part).collect::<Vec<_>>().join(" ")
}

fn label(line: &Line, codes: bool) -> String {
    let Some((frame, lines)) = &line.label else { return String::new() };
    let style = match (line.sign, codes) {
        (true, _) => "cmnet sign",
        (false, true) => "cmnet codes",
        (false, false) => "cmnet label",
    };
    let lines: Vec<String> =
        lines.iter().map(|text| if codes { latex(text).replace(' ', "~") } else { latex(text) }).collect();
    format!("\\node[{style}] at {} {{{}}};\n", at(frame.center), lines.join("\\\\"))
}

fn node(index: usize, shape: &Node) -> String {
    let frame = shape.frame;
    let corners = if shape.lines.len() == 1 { 0.75 * frame.half.y - 0.5 } else { 11.0 };
    let number = shape
        .number
        .map(|number| format!("{{\\color{{cmnetmuted}}\\fontsize{{8}}{{12}}\\selectfont {number}}} "));
    let lines: Vec<String> = shape.lines.iter().map(|line| latex(line)).collect();
    format!(
        "\\node[cmnet node, rounded corners={corners}pt, minimum width={}pt, minimum height={}pt] (n{}) at {} {{{}{}}};\n",
        1.5 * frame.half.x,
        1.5 * frame.half.y,
        index + 1,
        at(frame.center),
        number.unwrap_or_default(),
        lines.join("\\\\")
    )
}
