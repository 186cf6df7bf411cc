//! Dashes of a line with a label on it.

use super::layout::{Frame, Path};

/// The length of a dash and of the gap after it, in pixels.
pub(super) const DASH: f64 = 6.0;
pub(super) const GAP: f64 = 4.0;

/// Points of a line that are looked at where its dashes are counted.
const STEPS: usize = 400;

/// Lengths of dashes and gaps in turn: each side begins at its box and ends with a whole dash before the
/// label, so that no fragment of a dash stands beside it.
pub(super) fn pattern(path: &Path, label: Frame, boxes: [Frame; 2]) -> Vec<f64> {
    let point = |step: usize| path.point(step as f64 / STEPS as f64);
    let covered = |frame: Frame, step: usize| {
        let away = point(step).minus(frame.center);
        away.x.abs() < frame.half.x && away.y.abs() < frame.half.y
    };
    let label = label.padded(1.0);
    let first = (0..=STEPS).find(|&step| covered(label, step));
    let last = (0..=STEPS).rev().find(|&step| covered(label, step));
    let (Some(first), Some(last)) = (first, last) else { return vec![DASH, GAP] };
    let length =
        |steps: usize| (0..steps).map(|step| point(step + 1).minus(point(step)).length()).sum::<f64>();
    let start = (0..=STEPS).find(|&step| !covered(boxes[0], step)).map_or(0.0, length);
    let end = (0..=STEPS).rev().find(|&step| !covered(boxes[1], step)).map_or(0.0, length);
    // So many dashes from one box on, and so many that end at the other.
    let whole = |room: f64| ((room + GAP) / (DASH + GAP)).floor().max(0.0);
    let (near, far) = (whole(length(first) - start), whole(end - length(last)));
    let reached = start + (near * (DASH + GAP) - GAP).max(0.0);
    let again = end - (far * (DASH + GAP) - GAP).max(0.0);
    let side = |count: f64| {
        let mut lengths = [DASH, GAP].repeat(count as usize);
        lengths.pop();
        // A dash of no length where there is none, so that gaps stay gaps.
        if lengths.is_empty() { vec![0.0] } else { lengths }
    };
    let parts = [vec![0.0, start], side(near), vec![again - reached], side(far), vec![end]];
    parts.concat()
}
