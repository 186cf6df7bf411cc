//! Puts the laid-out components side by side in rows, and boxes without links below them.

use super::geometry::{Point, Size};

/// Room between components.
const GUTTER: f64 = 40.0;

/// Room between boxes without links.
const GAP: f64 = 14.0;

/// How much wider than high the whole should be.
const SHAPE: f64 = 1.6;

/// The top left corners of blocks in rows, tallest first, and the size of the whole.
pub(super) fn in_rows(blocks: &[Size], singles: &[Size]) -> (Vec<Point>, Vec<Point>, Size) {
    let area = |sizes: &[Size], gap: f64| -> f64 {
        sizes.iter().map(|size| (size.width + gap) * (size.height + gap)).sum()
    };
    let widest = blocks.iter().chain(singles).map(|size| size.width).fold(0.0, f64::max);
    let whole = area(blocks, GUTTER) + area(singles, GAP);
    let mut width = widest.max((whole * SHAPE).sqrt().round());
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|&one, &other| blocks[other].height.total_cmp(&blocks[one].height).then(one.cmp(&other)));
    let (mut corners, below) = shelves(blocks, &order, width, GUTTER);
    let used = corners.iter().zip(blocks).map(|(corner, size)| corner.x + size.width).fold(0.0, f64::max);
    // Singles stay below what stands above them, unless that is narrow.
    if !blocks.is_empty() {
        width = used.max(width.min(420.0));
    }
    let plain: Vec<usize> = (0..singles.len()).collect();
    let (mut spots, mut bottom) = shelves(singles, &plain, width, GAP);
    if !blocks.is_empty() && !singles.is_empty() {
        let down = below + GUTTER;
        for spot in &mut spots {
            spot.y += down;
        }
        bottom += down;
    } else {
        bottom = bottom.max(below);
    }
    let reach = spots.iter().zip(singles).map(|(spot, size)| spot.x + size.width).fold(0.0, f64::max);
    let whole = used.max(reach);
    for corner in &mut corners {
        corner.x += ((whole - used) / 2.0).round();
    }
    for spot in &mut spots {
        spot.x += ((whole - reach) / 2.0).round();
    }
    (corners, spots, Size::new(whole, bottom))
}

/// Rows filled from left to right, each row's blocks on one middle line, rows centred.
fn shelves(blocks: &[Size], order: &[usize], width: f64, gap: f64) -> (Vec<Point>, f64) {
    let mut rows: Vec<(Vec<usize>, Size)> = Vec::new();
    for &block in order {
        let size = blocks[block];
        match rows.last_mut() {
            Some((row, used)) if used.width + gap + size.width <= width => {
                row.push(block);
                *used = Size::new(used.width + gap + size.width, used.height.max(size.height));
            }
            _ => rows.push((vec![block], size)),
        }
    }
    let widest = rows.iter().map(|(_, used)| used.width).fold(0.0, f64::max);
    let mut corners = vec![Point::default(); blocks.len()];
    let mut top = 0.0;
    for (row, used) in &rows {
        let mut left = ((widest - used.width) / 2.0).round();
        for &block in row {
            let size = blocks[block];
            corners[block] = Point::new(left, top + ((used.height - size.height) / 2.0).round());
            left += size.width + gap;
        }
        top += used.height + gap;
    }
    (corners, if rows.is_empty() { 0.0 } else { top - gap })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::Frame;

    #[test]
    fn blocks_and_singles_keep_apart() {
        let blocks: Vec<Size> =
            (1..8).map(|i| Size::new(f64::from(i * 60), f64::from(300 - i * 30))).collect();
        let singles = vec![Size::new(80.0, 34.0); 9];
        let (corners, spots, whole) = in_rows(&blocks, &singles);
        let frames: Vec<Frame> = corners
            .iter()
            .chain(&spots)
            .zip(blocks.iter().chain(&singles))
            .map(|(corner, &size)| {
                Frame::new(corner.plus(Point::new(size.width / 2.0, size.height / 2.0)), size)
            })
            .collect();
        for (place, frame) in frames.iter().enumerate() {
            assert!(frames[..place].iter().all(|other| frame.overlap(*other).is_none()));
            assert!(frame.center.x + frame.half.x <= whole.width + 1.0);
            assert!(frame.center.y + frame.half.y <= whole.height + 1.0);
        }
    }
}
