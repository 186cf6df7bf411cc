"use strict";
// The network as a picture: a box with bars for each variable, a line for each edge.

const NAME_LINE = 16;
const ROW = 18;
const BOX_PADDING = 8;
/** The narrowest bar. */
const LEAST_BAR = 24;
const LEVEL_FONT = "11.5px system-ui, sans-serif";
/** Levels that a box shows; the table beside the picture has all. */
const MOST_ROWS = 6;
/** Below this scale nothing but names can be read. */
const FAR = 0.35;
/** With more boxes than this, bars are made when they can be read, and moves are drawn when they end. */
const MANY = 120;
/** From the middle of a box to the lane between two columns of them. */
const LANE = 110;
/** How far aside a line may go around boxes, in shares of its length; the curve reaches half as far. */
const BENDS = [0.12, -0.12, 0.22, -0.22, 0.35, -0.35, 0.5, -0.5, 0.75, -0.75, 1.1, -1.1];

/**
 * A variable in the picture.
 * @typedef {object} Box
 * @property {SVGGElement} group
 * @property {SVGGElement} head
 * @property {SVGGElement | null} more
 * @property {{group: SVGGElement, bar: SVGRectElement, share: SVGTextElement, mark: SVGTextElement}[]} rows
 * @property {SVGTextElement | null} others
 * @property {boolean} full Whether it has its bars already.
 */

/**
 * An edge in the picture.
 * @typedef {object} Line
 * @property {SVGGElement} group
 * @property {SVGPathElement} stroke
 */

class Picture {
  /**
   * @param {Network} network
   * @param {State} state
   * @param {(text: string) => void} say
   */
  constructor(network, state, say) {
    this.network = network;
    this.state = state;
    this.say = say;
    this.svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId("picture")));
    this.stage = /** @type {HTMLElement} */ (this.svg.parentElement);
    /** Whether the places are those that Rust has chosen. */
    this.own = true;
    this.world = shape("g", { id: "world" });
    this.svg.append(this.world);
    /** @type {Map<number, Box>} */
    this.boxes = new Map();
    /** @type {Map<number, Line>} */
    this.lines = new Map();
    /** @type {Map<number, [number, number]>} */
    this.places = new Map();
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.drawn = "";
    /** The view as it is drawn; a move is a change of it until it ends. */
    this.view = { x: 0, y: 0, scale: 1 };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.settling = undefined;
    /** @type {Answer | null} */
    this.answer = null;
    this.listen();
  }

  /** Draws the boxes and lines of what is shown, where that has changed. */
  draw() {
    const { network, state } = this;
    const narrow = this.isNarrow();
    const key = `${narrow} ${state.shown === null ? "all" : [...state.shown].join()}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.own = state.shown === null && !narrow;
    const shown = state.shown ?? new Set(network.variables.keys());
    this.places = this.own ? this.ownPlaces() : compact(network, shown, narrow);
    this.boxes.clear();
    this.lines.clear();
    const lines = shape("g", { class: "lines" });
    const boxes = shape("g", { class: "boxes" });
    network.edges.forEach(({ ends }, index) => {
      if (ends.every((v) => state.isShown(v))) lines.append(this.makeLine(index).group);
    });
    for (const v of this.places.keys()) boxes.append(this.makeBox(v).group);
    this.world.replaceChildren(lines, boxes);
    this.fit();
  }

  /** Whether the screen is too narrow for the places that Rust has chosen. */
  isNarrow() {
    const shown = this.state.shown?.size ?? this.network.variables.length;
    return this.stage.clientWidth < 600 && shown <= MOST_DRAWN;
  }

  /** @returns {Map<number, [number, number]>} */
  ownPlaces() {
    return new Map(this.network.variables.map(({ box }, v) => [v, [box[0], box[1]]]));
  }

  /**
   * @param {number} index
   * @returns {Line}
   */
  makeLine(index) {
    const edge = this.network.edges[index];
    const [from, to] = edge.ends.map((v) => this.places.get(v) ?? [0, 0]);
    const [fx, fy, ...rest] = this.own ? edge.path : [...from, ...this.detour(edge.ends), ...to];
    const curve = rest.length === 4 ? `M${fx} ${fy}Q${rest.join(" ")}` : `M${fx} ${fy}L${rest.join(" ")}`;
    const hit = shape("path", { class: "hit", d: curve });
    const stroke = shape("path", { class: "stroke", d: curve });
    const [mx, my] = this.middle(edge.ends, [fx, fy, ...rest]);
    const kind = edge.context === null && !edge.removed ? "plain" : "contextual";
    const group = shape("g", { class: `edge ${kind}`, "data-edge": index }, hit, stroke);
    if (kind === "contextual") {
      const cross = shape("g", { class: "cross", transform: `translate(${mx} ${my})` });
      cross.append(shape("circle", { r: 8 }), shape("path", { d: "M-3 -3L3 3M-3 3L3 -3" }));
      group.append(cross);
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      onPress(group, () => this.say(this.about(index)));
    }
    for (const event of ["pointerenter", "focus"]) {
      group.addEventListener(event, () => this.say(this.about(index)));
    }
    for (const event of ["pointerleave", "blur"]) group.addEventListener(event, () => this.say(""));
    const line = { group, stroke };
    this.lines.set(index, line);
    return line;
  }

  /**
   * A control point around the boxes that stand in the way of a line; nothing where there are none.
   * @param {[number, number]} ends
   * @returns {number[]}
   */
  detour(ends) {
    const [[x, y], [tx, ty]] = ends.map((v) => this.places.get(v) ?? [0, 0]);
    const others = [...this.places].filter(([v]) => !ends.includes(v));
    const [left, top, width, height] = this.frame();
    const price = (/** @type {number[]} */ control) => {
      const points = Array.from({ length: 33 }, (_, k) => pointOf([x, y, ...control, tx, ty], k / 32));
      const away = points.some(([px, py]) => px < left || py < top || px > left + width || py > top + height);
      if (away) return Infinity;
      const hidden = points.filter(([px, py]) =>
        others.some(([v, [ox, oy]]) => {
          const [, , w, h] = this.network.variables[v].box;
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
   * @param {[number, number]} ends
   * @param {number[]} path
   */
  middle(ends, path) {
    const covered = (/** @type {number} */ share) => {
      const [x, y] = pointOf(path, share);
      return ends.some((v) => {
        const [, , width, height] = this.network.variables[v].box;
        const [ox, oy] = this.places.get(v) ?? [0, 0];
        return Math.abs(x - ox) < width / 2 && Math.abs(y - oy) < height / 2;
      });
    };
    const open = Array.from({ length: 41 }, (_, k) => k / 40).filter((share) => !covered(share));
    return pointOf(path, open.length > 0 ? (open[0] + open[open.length - 1]) / 2 : 0.5);
  }

  /**
   * What an edge says, now.
   * @param {number} index
   */
  about(index) {
    const { network, state } = this;
    const { ends, context, implied, support } = network.edges[index];
    const names = ends.map((v) => network.variables[v].label).join(" – ");
    const parts = [];
    if (network.isCut(index, state.given)) parts.push(network.whyCut(index, state.given));
    else parts.push(context === null ? `${names}: directly dependent.` : `${names}.`);
    if (context !== null) parts.push(`${context.sentence}${implied ? "; implied by other contexts" : ""}${surely(context)}.`);
    const found = this.strengths?.get(index);
    if (found !== undefined && found !== null) parts.push(`Strength ${found.nats.toFixed(4)} nats.`);
    if (support !== null) parts.push(`In ${percent(support)} of the resamples.`);
    return parts.join(" ");
  }

  /**
   * @param {number} v
   * @returns {Box}
   */
  makeBox(v) {
    const { network, state } = this;
    const variable = network.variables[v];
    const [, , width, height] = variable.box;
    const [x, y] = this.places.get(v) ?? [0, 0];
    const group = shape("g", {
      class: "node",
      "data-variable": v,
      transform: `translate(${x - width / 2} ${y - height / 2})`,
    });
    group.append(shape("rect", { class: "box", width, height, rx: 9 }));
    const head = shape("g", { class: "head", role: "button", tabindex: "0", "aria-pressed": "false" });
    head.setAttribute("aria-label", `Target ${variable.label}`);
    head.append(shape("rect", { class: "hit", width, height: variable.lines.length * NAME_LINE + 10, rx: 9 }));
    variable.lines.forEach((line, place) => {
      const name = shape("text", { class: "name", x: BOX_PADDING + 2, y: BOX_PADDING + 12 + place * NAME_LINE }, line);
      // From afar there is nothing but the name, so that it may fill the box.
      const room = variable.lines.length > 1 ? 15 : Math.max(13, Math.min(40, (width - 20) / (0.74 * [...line].length)));
      name.style.setProperty("--far", `${room.toFixed(1)}px`);
      head.append(name);
    });
    onPress(head, () => state.aim(state.target === v ? null : v));
    group.append(shape("title", {}, variable.label), head);
    /** @type {Box} */
    const box = { group, head, more: null, rows: [], others: null, full: false };
    this.boxes.set(v, box);
    if (this.places.size <= MANY) this.fill(v, box);
    return box;
  }

  /**
   * Gives a box its bars.
   * @param {number} v
   * @param {Box} box
   */
  fill(v, box) {
    const variable = this.network.variables[v];
    box.full = true;
    box.rows = this.makeRows(v, box.group);
    const hidden = variable.levels.length - box.rows.length;
    if (hidden > 0) {
      const down = this.rowTop(variable, box.rows.length) + 13;
      box.others = shape("text", { class: "others", x: BOX_PADDING + 2, y: down }, `and ${hidden} more`);
      box.group.append(box.others);
    }
    box.more = this.makeMore(v, box.group);
  }

  /** Gives the boxes that can be read their bars. */
  fillReadable() {
    if (this.scale < FAR || this.answer === null) return;
    const { clientWidth, clientHeight } = this.stage;
    for (const [v, box] of this.boxes) {
      const [x, y] = this.places.get(v) ?? [0, 0];
      const [at, down] = [this.x + x * this.scale, this.y + y * this.scale];
      const near = at > -200 && at < clientWidth + 200 && down > -200 && down < clientHeight + 200;
      if (box.full || !near) continue;
      this.fill(v, box);
      this.updateBox(v, box, this.answer.marginals[v]);
    }
  }

  /**
   * @param {VariableRecord} variable
   * @param {number} row
   */
  rowTop(variable, row) {
    return BOX_PADDING + variable.lines.length * NAME_LINE + 4 + row * ROW;
  }

  /**
   * @param {number} v
   * @param {SVGGElement} group
   * @returns {Box["rows"]}
   */
  makeRows(v, group) {
    const variable = this.network.variables[v];
    const width = variable.box[2];
    const count = variable.levels.length > MOST_ROWS ? MOST_ROWS - 1 : variable.levels.length;
    const total = (variable.observed ?? []).reduce((sum, n) => sum + n, 0);
    return variable.labels.slice(0, count).map((label, level) => {
      const top = this.rowTop(variable, level);
      const row = shape("g", { class: "level", role: "button", tabindex: "0", "aria-pressed": "false" });
      row.setAttribute("data-level", String(level));
      const [left, room] = [barLeft(variable), barRoom(variable)];
      const bar = shape("rect", { class: "bar", x: left, y: top + 4, height: 10, width: 0, rx: 2 });
      const share = shape("text", { class: "share", x: width - BOX_PADDING, y: top + 13 });
      const mark = shape("text", { class: "mark", x: BOX_PADDING - 1, y: top + 13 });
      row.append(
        shape("rect", { class: "hit", x: 2, y: top, width: width - 4, height: ROW, rx: 4 }),
        shape("rect", { class: "track", x: left, y: top + 4, height: 10, width: room, rx: 2 }),
        bar,
        shape("text", { class: "label", x: BOX_PADDING + 12, y: top + 13 }, fitted(label, left - BOX_PADDING - 16)),
        mark,
        share,
      );
      if (total > 0 && variable.observed !== undefined) {
        const at = left + (room * variable.observed[level]) / total;
        row.append(shape("path", { class: "observed", d: `M${at.toFixed(1)} ${top + 2}v14` }));
      }
      onPress(row, () => this.state.toggle(v, level));
      group.append(row);
      return { group: row, bar, share, mark };
    });
  }

  /**
   * A button for neighbours that are not shown.
   * @param {number} v
   * @param {SVGGElement} group
   * @returns {SVGGElement | null}
   */
  makeMore(v, group) {
    const hidden = [...this.network.neighbours[v]].filter((other) => !this.state.isShown(other)).length;
    if (hidden === 0) return null;
    const { label, box } = this.network.variables[v];
    const more = shape(
      "g",
      { class: "more", role: "button", tabindex: "0", transform: `translate(${box[2]} 0)` },
      shape("rect", { x: -22, y: -12, width: 44, height: 24, rx: 12 }),
      shape("text", { y: 4 }, `+${hidden}`),
    );
    more.setAttribute("aria-label", `Show ${hidden} more neighbours of ${label}`);
    onPress(more, () => this.state.expand(v));
    group.append(more);
    return more;
  }

  /**
   * Shows an answer: bars, observed boxes, cut edges, widths of lines.
   * @param {Answer} answer
   * @param {Map<number, {nats: number, givenAll: boolean} | null>} strengths
   */
  update(answer, strengths) {
    const { network, state } = this;
    this.strengths = strengths;
    this.answer = answer;
    for (const [v, box] of this.boxes) this.updateBox(v, box, answer.marginals[v]);
    for (const [index, line] of this.lines) {
      const { ends } = network.edges[index];
      const cut = network.isCut(index, state.given);
      const silent = ends.some((v) => state.given.has(v));
      line.group.classList.toggle("cut", cut);
      line.group.classList.toggle("silent", silent);
      const found = strengths.get(index);
      const width = cut || silent || !found ? 1.5 : 1.2 + 7 * Math.min(1, Math.sqrt(found.nats / 0.35));
      line.stroke.style.strokeWidth = `${width.toFixed(2)}px`;
      if (line.group.hasAttribute("role")) line.group.setAttribute("aria-label", this.about(index));
    }
  }

  /**
   * @param {number} v
   * @param {Box} box
   * @param {ArrayLike<number> | null} shares
   */
  updateBox(v, box, shares) {
    const { network, state } = this;
    const variable = network.variables[v];
    const known = state.given.get(v);
    box.group.classList.toggle("known", known !== undefined);
    box.group.classList.toggle("target", state.target === v);
    box.head.setAttribute("aria-pressed", String(state.target === v));
    const room = barRoom(variable);
    box.rows.forEach((row, level) => {
      const share = shares === null ? null : shares[level];
      const width = `${(room * (share ?? 0)).toFixed(2)}`;
      row.bar.setAttribute("width", width);
      row.bar.style.width = `${width}px`;
      row.share.textContent = share === null ? "" : percent(share);
      row.mark.textContent = known === level ? "✓" : "";
      row.group.setAttribute("aria-pressed", String(known === level));
      const told = share === null ? "" : `, ${percent(share)}`;
      row.group.setAttribute("aria-label", `${variable.label}: ${variable.labels[level]}${told}`);
    });
    if (box.others !== null) {
      const hidden = variable.levels.length - box.rows.length;
      const below = known !== undefined && known >= box.rows.length;
      const text = below ? `✓ ${variable.labels[known]}` : `and ${hidden} more`;
      box.others.textContent = fitted(text, variable.box[2] - 2 * BOX_PADDING);
    }
  }

  /** The frame of everything that is drawn. */
  frame() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [v, [x, y]] of this.places) {
      const [, , width, height] = this.network.variables[v].box;
      left = Math.min(left, x - width / 2);
      top = Math.min(top, y - height / 2);
      right = Math.max(right, x + width / 2);
      bottom = Math.max(bottom, y + height / 2);
    }
    return left > right ? [0, 0, 1, 1] : [left - 24, top - 24, right - left + 48, bottom - top + 48];
  }

  /** Shows everything that is drawn. */
  fit() {
    const [left, top, wide, high] = this.frame();
    const most = (this.stage.clientWidth / wide) * high;
    this.stage.style.height = this.isNarrow() ? `${Math.max(320, Math.min(1600, most)).toFixed(0)}px` : "";
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width === 0 || height === 0) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.scale = Math.min(width / wide, height / high, 1.25);
    this.x = (width - wide * this.scale) / 2 - left * this.scale;
    this.y = (height - high * this.scale) / 2 - top * this.scale;
    clearTimeout(this.settling);
    this.settle();
  }

  /** Shows the picture from where the reader has moved. Of many boxes, the old one is moved until the move ends. */
  move() {
    clearTimeout(this.settling);
    if (this.boxes.size <= MANY) {
      this.settle();
      return;
    }
    const grown = this.scale / this.view.scale;
    const [x, y] = [this.x - this.view.x * grown, this.y - this.view.y * grown];
    this.svg.style.transform = `translate(${x}px, ${y}px) scale(${grown})`;
    this.settling = setTimeout(() => this.settle(), 150);
  }

  /** Draws the picture as the reader sees it. */
  settle() {
    this.svg.style.transform = "";
    this.view = { x: this.x, y: this.y, scale: this.scale };
    this.world.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.svg.classList.toggle("far", this.scale < FAR);
    this.fillReadable();
  }

  /**
   * @param {number} factor
   * @param {number} [atX]
   * @param {number} [atY]
   */
  zoom(factor, atX, atY) {
    const { clientWidth, clientHeight } = this.stage;
    const [px, py] = [atX ?? clientWidth / 2, atY ?? clientHeight / 2];
    const scale = Math.max(0.03, Math.min(4, this.scale * factor));
    this.x = px - ((px - this.x) * scale) / this.scale;
    this.y = py - ((py - this.y) * scale) / this.scale;
    this.scale = scale;
    this.move();
  }

  /** Wheel, drag, pinch and keys. */
  listen() {
    /** @type {Map<number, [number, number]>} */
    const fingers = new Map();
    const { svg } = this;
    svg.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const { left, top } = this.stage.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 500), event.clientX - left, event.clientY - top);
      },
      { passive: false },
    );
    let dragged = 0;
    svg.addEventListener("pointerdown", (event) => {
      dragged = 0;
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    // A drag that ends on a level sets nothing.
    const afterDrag = (/** @type {Event} */ event) => {
      if (dragged > 6) event.stopPropagation();
    };
    svg.addEventListener("click", afterDrag, true);
    window.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      dragged += Math.hypot(event.clientX - before[0], event.clientY - before[1]);
      if (others.length === 0) {
        this.x += event.clientX - before[0];
        this.y += event.clientY - before[1];
        this.move();
        return;
      }
      const [[ox, oy]] = others;
      const { left, top } = this.stage.getBoundingClientRect();
      const reach = Math.hypot(event.clientX - ox, event.clientY - oy);
      const old = Math.max(1, Math.hypot(before[0] - ox, before[1] - oy));
      this.zoom(reach / old, (event.clientX + ox) / 2 - left, (event.clientY + oy) / 2 - top);
    });
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      window.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    /** @type {Record<string, () => void>} */
    const keys = {
      "+": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      0: () => this.fit(),
      ArrowLeft: () => (this.x += step),
      ArrowRight: () => (this.x -= step),
      ArrowUp: () => (this.y += step),
      ArrowDown: () => (this.y -= step),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
    this.move();
  }
}

/**
 * Where bars begin: further to the right for long names of levels, as far as a short bar allows.
 * @param {Network["variables"][number]} variable
 */
function barLeft(variable) {
  const width = variable.box[2];
  const usual = Math.round(width * 0.43);
  if (ruler === null) return usual;
  ruler.font = LEVEL_FONT;
  const widest = Math.max(...variable.labels.slice(0, MOST_ROWS).map((label) => ruler.measureText(label).width));
  return Math.min(Math.max(usual, Math.ceil(BOX_PADDING + 17 + widest)), width - BOX_PADDING - 52 - LEAST_BAR);
}

/** @param {Network["variables"][number]} variable */
function barRoom(variable) {
  return variable.box[2] - barLeft(variable) - BOX_PADDING - 52;
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

const ruler = document.createElement("canvas").getContext("2d");

/**
 * A text cut to a width in the picture.
 * @param {string} text
 * @param {number} most
 */
function fitted(text, most) {
  if (ruler === null) return text;
  ruler.font = LEVEL_FONT;
  if (ruler.measureText(text).width <= most) return text;
  let letters = [...text].slice(0, 40);
  while (letters.length > 1 && ruler.measureText(`${letters.join("")}…`).width > most) letters.pop();
  return `${letters.join("")}…`;
}

/**
 * Places for a part of the network: from those of the whole, neighbours are drawn together and boxes that overlap
 * pushed apart.
 * @param {Network} network
 * @param {Set<number>} shown
 * @param {boolean} narrow Whether two boxes side by side are the most.
 * @returns {Map<number, [number, number]>}
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
