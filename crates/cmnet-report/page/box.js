"use strict";
// A variable in the picture: a box with its name, and a bar for each level.

const NAME_LINE = 16;
const ROW = 18;
const BOX_PADDING = 8;
/** The narrowest bar. */
const LEAST_BAR = 24;
const LEVEL_FONT = "11.5px system-ui, sans-serif";
/** Levels that a box shows; the table beside the picture has all. */
const MOST_ROWS = 6;

/**
 * A level in a box.
 * @typedef {{group: SVGGElement, bar: SVGRectElement, share: SVGTextElement, mark: SVGTextElement}} Row
 */

class Box {
  /**
   * @param {Network} network
   * @param {State} state
   * @param {number} v
   * @param {[number, number]} place
   */
  constructor(network, state, v, [x, y]) {
    this.network = network;
    this.state = state;
    this.v = v;
    this.variable = network.variables[v];
    const [, , width, height] = this.variable.box;
    this.group = shape("g", {
      class: "node",
      "data-variable": v,
      transform: `translate(${x - width / 2} ${y - height / 2})`,
    });
    this.head = this.makeHead();
    this.group.append(
      shape("rect", { class: "box", width, height, rx: 9 }),
      shape("title", {}, this.variable.label),
      this.head,
    );
    /** @type {Row[]} */
    this.rows = [];
    /** @type {SVGTextElement | null} */
    this.others = null;
    /** Whether it has its bars already. */
    this.full = false;
  }

  /** The name, which makes the variable the target. */
  makeHead() {
    const { state, variable, v } = this;
    const width = variable.box[2];
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
    return head;
  }

  /** Gives the box its bars. */
  fill() {
    const { variable } = this;
    this.full = true;
    this.rows = this.makeRows();
    const hidden = variable.levels.length - this.rows.length;
    if (hidden > 0) {
      const down = this.rowTop(this.rows.length) + 13;
      this.others = shape("text", { class: "others", x: BOX_PADDING + 2, y: down }, `and ${hidden} more`);
      this.group.append(this.others);
    }
    this.makeMore();
  }

  /**
   * Where a row begins.
   * @param {number} row
   */
  rowTop(row) {
    return BOX_PADDING + this.variable.lines.length * NAME_LINE + 4 + row * ROW;
  }

  /** @returns {Row[]} */
  makeRows() {
    const { variable } = this;
    const width = variable.box[2];
    const count = variable.levels.length > MOST_ROWS ? MOST_ROWS - 1 : variable.levels.length;
    const total = (variable.observed ?? []).reduce((sum, n) => sum + n, 0);
    return variable.labels.slice(0, count).map((label, level) => {
      const top = this.rowTop(level);
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
      onPress(row, () => this.state.toggle(this.v, level));
      this.group.append(row);
      return { group: row, bar, share, mark };
    });
  }

  /** Adds a button for neighbours that are not shown, where there are some. */
  makeMore() {
    const { network, state, v } = this;
    const hidden = [...network.neighbours[v]].filter((other) => !state.isShown(other)).length;
    if (hidden === 0) return;
    const { label, box } = this.variable;
    const more = shape(
      "g",
      { class: "more", role: "button", tabindex: "0", transform: `translate(${box[2]} 0)` },
      shape("rect", { x: -22, y: -12, width: 44, height: 24, rx: 12 }),
      shape("text", { y: 4 }, `+${hidden}`),
    );
    more.setAttribute("aria-label", `Show ${hidden} more neighbours of ${label}`);
    onPress(more, () => state.expand(v));
    this.group.append(more);
  }

  /**
   * Shows the shares of the levels, and what is known.
   * @param {ArrayLike<number> | null} shares
   */
  update(shares) {
    const { state, variable, v } = this;
    const known = state.given.get(v);
    this.group.classList.toggle("known", known !== undefined);
    this.group.classList.toggle("target", state.target === v);
    this.head.setAttribute("aria-pressed", String(state.target === v));
    const room = barRoom(variable);
    this.rows.forEach((row, level) => {
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
    if (this.others !== null) {
      const hidden = variable.levels.length - this.rows.length;
      const below = known !== undefined && known >= this.rows.length;
      const text = below ? `✓ ${variable.labels[known]}` : `and ${hidden} more`;
      this.others.textContent = fitted(text, variable.box[2] - 2 * BOX_PADDING);
    }
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
