"use strict";
// The network as a picture: a box with bars for each variable, a line for each edge.

/** Below this scale nothing but names can be read. */
const FAR = 0.35;
/** With more boxes than this, bars are made when they can be read, and moves are drawn when they end. */
const MANY = 120;

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
    /** @type {Places} */
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

  /** @returns {Places} */
  ownPlaces() {
    return new Map(this.network.variables.map(({ box }, v) => [v, [box[0], box[1]]]));
  }

  /**
   * @param {number} index
   * @returns {Line}
   */
  makeLine(index) {
    const { network } = this;
    const edge = network.edges[index];
    const [from, to] = edge.ends.map((v) => this.places.get(v) ?? [0, 0]);
    const [fx, fy, ...rest] = this.own ? edge.path : [...from, ...detour(network, this.places, edge.ends), ...to];
    const curve = rest.length === 4 ? `M${fx} ${fy}Q${rest.join(" ")}` : `M${fx} ${fy}L${rest.join(" ")}`;
    const hit = shape("path", { class: "hit", d: curve });
    const stroke = shape("path", { class: "stroke", d: curve });
    const [mx, my] = middle(network, this.places, edge.ends, [fx, fy, ...rest]);
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

  /** @param {number} v */
  makeBox(v) {
    const box = new Box(this.network, this.state, v, this.places.get(v) ?? [0, 0]);
    this.boxes.set(v, box);
    if (this.places.size <= MANY) box.fill();
    return box;
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
      box.fill();
      box.update(this.answer.marginals[v]);
    }
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
    for (const [v, box] of this.boxes) box.update(answer.marginals[v]);
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

  /** The frame of everything that is drawn. */
  frame() {
    return frameOf(this.network, this.places);
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
