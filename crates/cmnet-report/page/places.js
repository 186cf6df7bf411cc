"use strict";
// Where the boxes of the picture stand, and how lines go between them.

/** From the middle of a box to the lane between two columns of them. */
const LANE = 110;
/** How far aside a line may go around boxes, in shares of its length; the curve reaches half as far. */
const BENDS = [0.12, -0.12, 0.22, -0.22, 0.35, -0.35, 0.5, -0.5, 0.75, -0.75, 1.1, -1.1];

/**
 * The middle of each box, by variable.
 * @typedef {Map<number, [number, number]>} Places
 */

/**
 * Places for a part of the network: from those of the whole, neighbours are drawn together and boxes that overlap
 * pushed apart.
 * @param {Network} network
 * @param {Set<number>} shown
 * @param {boolean} narrow Whether two boxes side by side are the most.
 * @returns {Places}
 */
function compact(network, shown, narrow) {
  const members = [...shown].sort((a, b) => a - b);
  const places = members.map((v) => {
    const { box } = network.variables[v];
    return { x: box[0], y: box[1], w: box[2] + 44, h: box[3] + 36 };
  });
  if (!narrow && members.length <= MOST_DRAWN) drawTogether(places, hops(network, members));
  else if (!narrow) shrink(places);
  if (narrow) stack(places);
  else for (let round = 0; round < 300 && pushApart(places); round++);
  return new Map(members.map((v, k) => [v, [Math.round(places[k].x), Math.round(places[k].y)]]));
}

/**
 * Draws many boxes together as far as they have room.
 * @param {{x: number, y: number, w: number, h: number}[]} boxes
 */
function shrink(boxes) {
  const [width, height] = [boxes.map(({ x }) => x), boxes.map(({ y }) => y)].map(
    (places) => Math.max(...places) - Math.min(...places),
  );
  const room = 4 * boxes.reduce((sum, { w, h }) => sum + w * h, 0);
  const scale = Math.min(1, Math.sqrt(room / Math.max(1, width * height)));
  for (const box of boxes) [box.x, box.y] = [box.x * scale, box.y * scale];
}

/**
 * How many edges lie between each two of some variables; one more than the most where there is no way.
 * @param {Network} network
 * @param {number[]} members
 */
function hops(network, members) {
  const place = new Map(members.map((v, k) => [v, k]));
  /** @type {number[][]} */
  const near = members.map(() => []);
  for (const { ends } of network.edges) {
    const [a, b] = ends.map((v) => place.get(v));
    if (a === undefined || b === undefined) continue;
    near[a].push(b);
    near[b].push(a);
  }
  const far = members.map((_, start) => {
    const steps = members.map(() => Infinity);
    steps[start] = 0;
    const queue = [start];
    for (const at of queue) {
      for (const next of near[at]) {
        if (steps[next] < Infinity) continue;
        steps[next] = steps[at] + 1;
        queue.push(next);
      }
    }
    return steps;
  });
  const most = Math.max(1, ...far.flat().filter((steps) => steps < Infinity));
  return far.map((row) => row.map((steps) => Math.min(steps, most + 1)));
}

/**
 * Moves boxes until their distances are near what the edges between them ask for (stress majorisation). Boxes are
 * wider than high, and so is the picture.
 * @param {{x: number, y: number}[]} boxes
 * @param {number[][]} steps
 */
function drawTogether(boxes, steps) {
  const [wide, unit] = [1.6, 165];
  for (let round = 0; round < 120; round++) {
    boxes.forEach((box, a) => {
      let [x, y, weight] = [0, 0, 0];
      boxes.forEach((other, b) => {
        if (a === b) return;
        const wanted = unit * steps[a][b];
        const [dx, dy] = [(box.x - other.x) / wide, box.y - other.y];
        const pull = 1 / (wanted * wanted);
        const stretch = wanted / Math.max(1, Math.hypot(dx, dy));
        x += pull * (other.x + stretch * dx * wide);
        y += pull * (other.y + stretch * dy);
        weight += pull;
      });
      if (weight > 0) [box.x, box.y] = [x / weight, y / weight];
    });
  }
}

/**
 * Puts boxes into two columns, each from top to bottom as they were.
 * @param {{x: number, y: number, w: number, h: number}[]} boxes
 */
function stack(boxes) {
  const byHeight = [...boxes].sort((a, b) => a.y - b.y || a.x - b.x);
  const width = Math.max(...boxes.map(({ w }) => w));
  const ends = [0, 0];
  byHeight.forEach((box, k) => {
    // Of two neighbours in height, the left one goes left; a column that is far ahead waits.
    const next = byHeight[k % 2 === 0 ? k + 1 : k - 1];
    let column = k % 2 === 0 ? Number(next !== undefined && box.x > next.x) : Number(box.x >= next.x);
    if (ends[column] > ends[1 - column] + box.h) column = 1 - column;
    box.x = (column * width + width / 2) * 0.96;
    box.y = ends[column] + box.h / 2;
    ends[column] += box.h + 14;
  });
}

/**
 * One round of pushing boxes apart; tells whether some overlapped.
 * @param {{x: number, y: number, w: number, h: number}[]} boxes
 */
function pushApart(boxes) {
  let moved = false;
  for (let a = 0; a < boxes.length; a++) {
    for (let b = a + 1; b < boxes.length; b++) {
      const [one, other] = [boxes[a], boxes[b]];
      const overX = (one.w + other.w) / 2 - Math.abs(one.x - other.x);
      const overY = (one.h + other.h) / 2 - Math.abs(one.y - other.y);
      if (overX <= 0.5 || overY <= 0.5) continue;
      moved = true;
      if (overX < overY) {
        const by = (one.x <= other.x ? -1 : 1) * (overX / 2);
        one.x += by;
        other.x -= by;
      } else {
        const by = (one.y <= other.y ? -1 : 1) * (overY / 2);
        one.y += by;
        other.y -= by;
      }
    }
  }
  return moved;
}

/**
 * The frame of all boxes: left, top, width, height.
 * @param {Network} network
 * @param {Places} places
 */
function frameOf(network, places) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [v, [x, y]] of places) {
    const [, , width, height] = network.variables[v].box;
    left = Math.min(left, x - width / 2);
    top = Math.min(top, y - height / 2);
    right = Math.max(right, x + width / 2);
    bottom = Math.max(bottom, y + height / 2);
  }
  return left > right ? [0, 0, 1, 1] : [left - 24, top - 24, right - left + 48, bottom - top + 48];
}

/**
 * A control point around the boxes that stand in the way of a line; nothing where there are none.
 * @param {Network} network
 * @param {Places} places
 * @param {[number, number]} ends
 * @returns {number[]}
 */
function detour(network, places, ends) {
  const [[x, y], [tx, ty]] = ends.map((v) => places.get(v) ?? [0, 0]);
  const others = [...places].filter(([v]) => !ends.includes(v));
  const [left, top, width, height] = frameOf(network, places);
  const price = (/** @type {number[]} */ control) => {
    const points = Array.from({ length: 33 }, (_, k) => pointOf([x, y, ...control, tx, ty], k / 32));
    const away = points.some(([px, py]) => px < left || py < top || px > left + width || py > top + height);
    if (away) return Infinity;
    const hidden = points.filter(([px, py]) =>
      others.some(([v, [ox, oy]]) => {
        const [, , w, h] = network.variables[v].box;
        return Math.abs(px - ox) < w / 2 + 3 && Math.abs(py - oy) < h / 2 + 3;
      }),
    );
    return hidden.length;
  };
  // The lane between two columns is half a box and half a gap away.
  const lane = (2 * LANE) / Math.max(1, Math.hypot(tx - x, ty - y));
  /** @type {number[]} */
  let best = [];
  let least = price(best);
  for (const bend of [...BENDS, lane, -lane]) {
    if (least === 0) break;
    const control = [(x + tx) / 2 - bend * (ty - y), (y + ty) / 2 + bend * (tx - x)];
    const found = price(control);
    if (found < least) [best, least] = [control, found];
  }
  return best.map(Math.round);
}

/**
 * The middle of what the boxes at the ends of a line leave to see.
 * @param {Network} network
 * @param {Places} places
 * @param {[number, number]} ends
 * @param {number[]} path
 */
function middle(network, places, ends, path) {
  const covered = (/** @type {number} */ share) => {
    const [x, y] = pointOf(path, share);
    return ends.some((v) => {
      const [, , width, height] = network.variables[v].box;
      const [ox, oy] = places.get(v) ?? [0, 0];
      return Math.abs(x - ox) < width / 2 && Math.abs(y - oy) < height / 2;
    });
  };
  const open = Array.from({ length: 41 }, (_, k) => k / 40).filter((share) => !covered(share));
  return pointOf(path, open.length > 0 ? (open[0] + open[open.length - 1]) / 2 : 0.5);
}

/**
 * The point at a share of a line, straight or curved.
 * @param {number[]} path
 * @param {number} share
 * @returns {[number, number]}
 */
function pointOf(path, share) {
  const back = 1 - share;
  if (path.length === 4) return [back * path[0] + share * path[2], back * path[1] + share * path[3]];
  const [a, b, c] = [back * back, 2 * back * share, share * share];
  return [a * path[0] + b * path[2] + c * path[4], a * path[1] + b * path[3] + c * path[5]];
}
