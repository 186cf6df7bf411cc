"use strict";
// What the reader has chosen: evidence, target, what is shown; with undo, and as the page's address.

/** More variables than this are not drawn all at once, unless asked for. */
const MOST_DRAWN = 60;

/** Neighbours of a variable that are shown at first. */
const FIRST_NEIGHBOURS = 16;

class State {
  /** @param {Network} network */
  constructor(network) {
    this.network = network;
    /** @type {Given} */
    this.given = new Map();
    /** @type {Given[]} */
    this.past = [];
    /** @type {Given[]} */
    this.future = [];
    /** @type {number | null} */
    this.target = null;
    this.completion = false;
    /** @type {Set<number> | null} Null: all. */
    this.shown = null;
    /** @type {() => void} */
    this.changed = () => {};
    this.startView();
  }

  /** A large graph starts from the variable with most neighbours. */
  startView() {
    const { neighbours, variables } = this.network;
    if (variables.length <= MOST_DRAWN) return;
    let hub = 0;
    neighbours.forEach((near, v) => {
      if (near.size > neighbours[hub].size) hub = v;
    });
    this.shown = new Set(this.around(hub));
  }

  /**
   * A variable and the first of its neighbours.
   * @param {number} v
   * @returns {number[]}
   */
  around(v) {
    return [v, ...[...this.network.neighbours[v]].slice(0, FIRST_NEIGHBOURS)];
  }

  /** @param {number} v */
  isShown(v) {
    return this.shown === null || this.shown.has(v);
  }

  /**
   * Starts the picture anew from one variable.
   * @param {number} v
   */
  startFrom(v) {
    this.shown = new Set(this.around(v));
    this.changed();
  }

  /**
   * Adds more neighbours of a variable to the picture.
   * @param {number} v
   */
  expand(v) {
    if (this.shown === null) return;
    const hidden = [...this.network.neighbours[v]].filter((other) => !this.isShown(other));
    this.shown = new Set([...this.shown, ...hidden.slice(0, FIRST_NEIGHBOURS)]);
    this.changed();
  }

  /** @param {Given} given */
  replace(given) {
    this.past.push(this.given);
    this.future = [];
    this.given = given;
    this.changed();
  }

  /**
   * Sets a level, or takes it back when it is set already.
   * @param {number} v
   * @param {number} level
   */
  toggle(v, level) {
    const given = new Map(this.network.answersAll || !this.network.hasNumbers ? this.given : []);
    if (this.given.get(v) === level) given.delete(v);
    else given.set(v, level);
    if (this.target === v && given.has(v)) this.target = null;
    if (this.shown !== null) this.shown = new Set([...this.shown, v]);
    this.replace(given);
  }

  clear() {
    if (this.given.size > 0) this.replace(new Map());
  }

  undo() {
    const before = this.past.pop();
    if (before === undefined) return;
    this.future.push(this.given);
    this.given = before;
    this.changed();
  }

  redo() {
    const after = this.future.pop();
    if (after === undefined) return;
    this.past.push(this.given);
    this.given = after;
    this.changed();
  }

  /** @param {number | null} target */
  aim(target) {
    this.target = target;
    if (target !== null && this.shown !== null) this.shown = new Set([...this.shown, target]);
    this.changed();
  }

  /** The state as a part of the address: names, so that it can be read and survives another order. */
  toAddress() {
    const { variables } = this.network;
    const written = encodeURIComponent;
    const parts = [...this.given].map(
      ([v, level]) => `given=${written(variables[v].name)}=${written(variables[v].levels[level])}`,
    );
    if (this.target !== null) parts.push(`target=${written(variables[this.target].name)}`);
    if (this.completion) parts.push("completion=yes");
    if (this.network.variables.length > MOST_DRAWN) {
      if (this.shown === null) parts.push("show=all");
      else for (const v of [...this.shown].slice(0, 200)) parts.push(`show.${v}`);
    }
    return parts.length > 0 ? `#${parts.join("&")}` : "";
  }

  /**
   * Takes the state from an address; what it does not know it leaves out.
   * @param {string} address
   */
  fromAddress(address) {
    const find = (/** @type {string} */ name) => this.network.variables.findIndex((own) => own.name === name);
    /** @type {Given} */
    const given = new Map();
    this.target = null;
    this.completion = false;
    /** @type {Set<number>} */
    const shown = new Set();
    for (const part of address.replace(/^#/, "").split("&")) {
      const [kind, ...values] = part.split("=").map(readable);
      const v = find(values[0] ?? "");
      if (kind === "given" && v >= 0) {
        const level = this.network.variables[v].levels.indexOf(values[1] ?? "");
        if (level >= 0) given.set(v, level);
      } else if (kind === "target" && v >= 0) {
        this.target = v;
      } else if (kind === "completion") {
        this.completion = true;
      } else if (kind === "show") {
        this.shown = null;
      } else if (/^show\.\d+$/.test(kind) && Number(kind.slice(5)) < this.network.variables.length) {
        shown.add(Number(kind.slice(5)));
      }
    }
    if (shown.size > 0 && this.network.variables.length > MOST_DRAWN) this.shown = shown;
    if (this.target !== null && given.has(this.target)) this.target = null;
    if (!this.network.answersAll && this.network.hasNumbers && given.size > 1) {
      this.given = new Map([...given].slice(-1));
    } else {
      this.given = given;
    }
  }
}

/**
 * A part of an address without its escapes; as it is when they are broken.
 * @param {string} text
 */
function readable(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
