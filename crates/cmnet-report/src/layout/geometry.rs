//! Points, boxes and segments of the plane, in pixels, y downwards.

/// A point or a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }

    /// The point a share of the way to another.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        self.plus(other.minus(self).times(share))
    }

    pub(super) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    pub(super) fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// The length; `sqrt` is exact on every platform, `hypot` is not.
    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Whole pixels: what is placed is what is written.
    pub(crate) fn rounded(self) -> Self {
        Self::new(self.x.round(), self.y.round())
    }
}

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Size {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height }
    }
}

/// An upright box around a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) center: Point,
    pub(crate) half: Point,
}

impl Frame {
    pub(crate) fn new(center: Point, size: Size) -> Self {
        Self { center, half: Point::new(size.width / 2.0, size.height / 2.0) }
    }

    /// The same box with a margin on every side.
    pub(crate) fn padded(self, margin: f64) -> Self {
        Self { center: self.center, half: self.half.plus(Point::new(margin, margin)) }
    }

    /// How far two boxes reach into each other, along x and y; none when they only touch.
    pub(super) fn overlap(self, other: Self) -> Option<Point> {
        let x = self.half.x + other.half.x - (self.center.x - other.center.x).abs();
        let y = self.half.y + other.half.y - (self.center.y - other.center.y).abs();
        (x > 0.0 && y > 0.0).then(|| Point::new(x, y))
    }

    /// Whether a segment runs through the inside.
    pub(super) fn is_crossed(self, from: Point, to: Point) -> bool {
        self.chord(from, to).is_some()
    }

    /// The part of a segment inside the box, as shares of its length.
    pub(crate) fn chord(self, from: Point, to: Point) -> Option<(f64, f64)> {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let (x, y) = (from.x - self.center.x, from.y - self.center.y);
        // A cheap no for most pairs.
        if x.min(x + dx) >= self.half.x
            || x.max(x + dx) <= -self.half.x
            || y.min(y + dy) >= self.half.y
            || y.max(y + dy) <= -self.half.y
        {
            return None;
        }
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (start, step, half) in [(x, dx, self.half.x), (y, dy, self.half.y)] {
            if step == 0.0 {
                continue; // inside this strip all along, or the test above had said no
            }
            let (one, other) = ((-half - start) / step, (half - start) / step);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        (enter < leave).then_some((enter, leave))
    }
}

/// Whether two segments cross properly; touching ends do not count.
pub(super) fn segments_cross(a: (Point, Point), b: (Point, Point)) -> bool {
    if a.0.x.max(a.1.x) < b.0.x.min(b.1.x)
        || b.0.x.max(b.1.x) < a.0.x.min(a.1.x)
        || a.0.y.max(a.1.y) < b.0.y.min(b.1.y)
        || b.0.y.max(b.1.y) < a.0.y.min(a.1.y)
    {
        return false;
    }
    let (along_a, along_b) = (a.1.minus(a.0), b.1.minus(b.0));
    let one = along_a.cross(b.0.minus(a.0)) * along_a.cross(b.1.minus(a.0));
    let other = along_b.cross(a.0.minus(b.0)) * along_b.cross(a.1.minus(b.0));
    one < 0.0 && other < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_the_part_inside() {
        let frame = Frame::new(Point::new(10.0, 0.0), Size::new(4.0, 4.0));
        assert_eq!(frame.chord(Point::new(0.0, 0.0), Point::new(20.0, 0.0)), Some((0.4, 0.6)));
        assert_eq!(frame.chord(Point::new(0.0, 3.0), Point::new(20.0, 3.0)), None);
        assert_eq!(frame.chord(Point::new(0.0, 0.0), Point::new(7.0, 0.0)), None);
        assert_eq!(frame.chord(Point::new(10.0, 0.0), Point::new(10.0, 1.0)), Some((0.0, 1.0)));
    }

    #[test]
    fn only_proper_crossings_count() {
        let p = Point::new;
        assert!(segments_cross((p(0.0, 0.0), p(2.0, 2.0)), (p(0.0, 2.0), p(2.0, 0.0))));
        assert!(!segments_cross((p(0.0, 0.0), p(2.0, 2.0)), (p(0.0, 0.0), p(2.0, 0.0))));
    }
}
