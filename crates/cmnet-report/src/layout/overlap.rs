//! Parts boxes that lie on one another, moving them as little as it takes.

use super::board::BOX_MARGIN;
use super::geometry::{Frame, Point};
use super::network::LayoutGraph;

const ROUNDS: usize = 80;

/// Positions in whole pixels at which no two boxes touch.
pub(super) fn parted(network: &LayoutGraph, positions: &[Point]) -> Vec<Point> {
    let mut frames: Vec<Frame> = positions
        .iter()
        .zip(&network.boxes)
        .map(|(&center, &size)| Frame::new(center.rounded(), size).padded(BOX_MARGIN / 2.0))
        .collect();
    for _ in 0..ROUNDS {
        if !push_all(&mut frames) {
            break;
        }
    }
    place_in_turn(&mut frames);
    frames.iter().map(|frame| frame.center).collect()
}

/// One round of pushes between neighbours; whether any was needed.
fn push_all(frames: &mut [Frame]) -> bool {
    let mut order: Vec<usize> = (0..frames.len()).collect();
    let left = |frame: &Frame| frame.center.x - frame.half.x;
    order.sort_by(|&one, &other| left(&frames[one]).total_cmp(&left(&frames[other])).then(one.cmp(&other)));
    let widest = frames.iter().map(|frame| frame.half.x).fold(0.0, f64::max);
    let mut pushed = false;
    for (place, &one) in order.iter().enumerate() {
        for &other in &order[place + 1..] {
            // Pushes of this round may have moved a box by its width at most.
            if left(&frames[other]) - frames[one].center.x > frames[one].half.x + 2.0 * widest {
                break;
            }
            pushed |= push(frames, one, other);
        }
    }
    pushed
}

/// Pushes two boxes apart along the shorter way, each by half, in whole pixels.
fn push(frames: &mut [Frame], one: usize, other: usize) -> bool {
    let Some(reach) = frames[one].overlap(frames[other]) else { return false };
    let apart = frames[other].center.minus(frames[one].center);
    let sideways = reach.x < reach.y;
    let (way, along) = if sideways { (reach.x, apart.x) } else { (reach.y, apart.y) };
    let forward = along > 0.0 || (along == 0.0 && one < other);
    let half = (way / 2.0).ceil() * if forward { 1.0 } else { -1.0 };
    let shift = if sideways { Point::new(half, 0.0) } else { Point::new(0.0, half) };
    frames[one].center = frames[one].center.minus(shift);
    frames[other].center = frames[other].center.plus(shift);
    true
}

/// The last word: boxes from left to right, each moved right past what it still lies on.
fn place_in_turn(frames: &mut [Frame]) {
    let mut order: Vec<usize> = (0..frames.len()).collect();
    order.sort_by(|&one, &other| {
        frames[one].center.x.total_cmp(&frames[other].center.x).then(one.cmp(&other))
    });
    for place in 1..order.len() {
        let node = order[place];
        while let Some(&blocking) =
            order[..place].iter().find(|&&placed| frames[placed].overlap(frames[node]).is_some())
        {
            frames[node].center.x =
                (frames[blocking].center.x + frames[blocking].half.x + frames[node].half.x).ceil();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::Size;

    #[test]
    fn boxes_in_one_place_are_parted() {
        for count in [2, 3, 10, 60] {
            let network = LayoutGraph::new(vec![Size::new(80.0, 30.0); count], Vec::new());
            let positions = parted(&network, &vec![Point::default(); count]);
            for (i, &one) in positions.iter().enumerate() {
                for &other in &positions[..i] {
                    let size = Size::new(80.0, 30.0);
                    assert_eq!(Frame::new(one, size).overlap(Frame::new(other, size)), None);
                }
            }
        }
    }
}
