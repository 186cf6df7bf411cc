"use strict";
// What the model says: distributions given evidence, and which edges the evidence cuts.

class Network {
  /** @param {PageRecord} record */
  constructor(record) {
    this.record = record;
    this.variables = record.variables;
    this.edges = record.edges;
    this.cardinalities = record.variables.map((variable) => variable.levels.length);
    this.tree = record.tree === null ? null : new JunctionTree(record.tree, this.cardinalities);
    /** @type {Set<number>[]} */
    this.neighbours = record.variables.map(() => new Set());
    /** @type {number[][]} The edges at each variable. */
    this.edgesAt = record.variables.map(() => []);
    record.edges.forEach(({ ends: [one, other] }, index) => {
      this.neighbours[one].add(other);
      this.neighbours[other].add(one);
      this.edgesAt[one].push(index);
      this.edgesAt[other].push(index);
    });
    const sampled = record.sampled;
    this.counts = sampled && new Uint16Array(bytesOf(sampled.counts));
    this.pairs = sampled && sampled.pairs !== null ? new Uint16Array(bytesOf(sampled.pairs)) : null;
    /** Where the levels of each variable begin, among the levels of all. */
    this.offsets = this.cardinalities.map(() => 0);
    for (let v = 1; v < this.offsets.length; v++) {
      this.offsets[v] = this.offsets[v - 1] + this.cardinalities[v - 1];
    }
  }

  /** Whether several pieces of evidence can be answered. */
  get answersAll() {
    return this.tree !== null;
  }

  /** Whether there are distributions at all. */
  get hasNumbers() {
    return this.tree !== null || this.counts !== null;
  }

  /**
   * Whether the evidence cuts an edge between unobserved variables: every configuration of the common
   * neighbours that is still possible is in its context.
   * @param {number} index
   * @param {Given} given
   * @returns {boolean}
   */
  isCut(index, given) {
    const { ends, context, removed } = this.edges[index];
    if (ends.some((v) => given.has(v))) return false;
    if (removed) return true;
    if (context === null) return false;
    let possible = 1;
    for (const v of context.given) if (!given.has(v)) possible *= this.cardinalities[v];
    if (possible > context.elements.length) return false;
    const fits = context.elements.filter((levels) =>
      context.given.every((v, place) => levels[place] === (given.get(v) ?? levels[place])),
    );
    return fits.length === possible;
  }

  /**
   * The graph that the evidence leaves between unobserved variables.
   * @param {Given} given
   * @returns {{cut: number[], left: number[], neighbours: Set<number>[]}}
   */
  remaining(given) {
    /** @type {number[]} */
    const cut = [];
    /** @type {number[]} */
    const left = [];
    /** @type {Set<number>[]} */
    const neighbours = this.variables.map(() => new Set());
    this.edges.forEach(({ ends: [one, other] }, index) => {
      if (given.has(one) || given.has(other)) return;
      if (this.isCut(index, given)) {
        cut.push(index);
        return;
      }
      left.push(index);
      neighbours[one].add(other);
      neighbours[other].add(one);
    });
    return { cut, left, neighbours };
  }

  /**
   * Why an edge is cut, in a sentence.
   * @param {number} index
   * @param {Given} given
   * @returns {string}
   */
  whyCut(index, given) {
    const { ends, context, removed } = this.edges[index];
    const [one, other] = ends.map((v) => this.variables[v].label);
    if (removed) return `${one} and ${other} are independent: the contexts of other edges imply it.`;
    const because = (context?.given ?? []).flatMap((v) => {
      const level = given.get(v);
      return level === undefined ? [] : [`${this.variables[v].label} is ${this.variables[v].labels[level]}`];
    });
    return `${one} and ${other} are independent now, because ${because.join(" and ")}.`;
  }

  /**
   * The distribution of every variable given evidence.
   * @param {Given} given
   * @returns {Answer}
   */
  answer(given) {
    const certain = (/** @type {number} */ v) => {
      const shares = new Float64Array(this.cardinalities[v]);
      shares[given.get(v) ?? 0] = 1;
      return shares;
    };
    if (this.tree !== null) {
      const tree = this.tree;
      const propagation = tree.propagate(given);
      if (propagation === null) {
        const marginals = this.variables.map((_, v) => (given.has(v) ? certain(v) : null));
        return { marginals, logEvidence: -Infinity, propagation, problem: "This evidence has probability 0." };
      }
      const marginals = this.variables.map((_, v) =>
        given.has(v) ? certain(v) : tree.marginal(propagation, v),
      );
      return { marginals, logEvidence: propagation.logEvidence, propagation, problem: null };
    }
    const [rows, problem] = this.drawn(given);
    const marginals = this.variables.map((_, v) => {
      if (given.has(v)) return certain(v);
      if (rows === null) return null;
      const own = rows.subarray(this.offsets[v], this.offsets[v] + this.cardinalities[v]);
      const total = own.reduce((sum, count) => sum + count, 0);
      return total > 0 ? Float64Array.from(own, (count) => count / total) : null;
    });
    return { marginals, logEvidence: this.drawnEvidence(given), propagation: null, problem };
  }

  /**
   * How often each level was drawn among the rows that agree with at most one piece of evidence.
   * @param {Given} given
   * @returns {[Uint16Array | null, string | null]}
   */
  drawn(given) {
    const counts = this.counts;
    if (counts === null) return [null, null];
    if (given.size === 0) return [counts, null];
    const [[v, level]] = given;
    if (given.size > 1 || this.pairs === null) {
      return [null, "This page has no answer for this evidence. Ask the command, as shown below."];
    }
    const place = this.offsets[v] + level;
    if (counts[place] < 100) return [null, "Too few of the drawn rows agree with this evidence."];
    return [this.pairs.subarray(place * counts.length, (place + 1) * counts.length), null];
  }

  /**
   * @param {Given} given
   * @returns {number | null}
   */
  drawnEvidence(given) {
    if (given.size === 0) return 0;
    if (given.size > 1 || this.counts === null || this.record.sampled === null) return null;
    const [[v, level]] = given;
    return Math.log(this.counts[this.offsets[v] + level] / this.record.sampled.rows);
  }

  /**
   * The levels of other variables that would change a target most: the distance in total variation
   * between its distribution now and with that level, largest first.
   * @param {number} target
   * @param {Given} given
   * @returns {{variable: number, level: number, change: number, shares: Float64Array}[]}
   */
  influences(target, given) {
    const tree = this.tree;
    const now = this.answer(given).marginals[target];
    if (tree === null || now === null || given.has(target)) return [];
    // p(v = x | target = t) for every v at once, then Bayes' rule.
    const each = Array.from(now, (share, t) =>
      share > 0 ? tree.propagate(new Map([...given, [target, t]])) : null,
    );
    const found = this.variables.flatMap((_, variable) => {
      if (variable === target || given.has(variable)) return [];
      const shares = each.map((propagation) => propagation && tree.marginal(propagation, variable));
      return Array.from({ length: this.cardinalities[variable] }, (_, level) => {
        const joint = Float64Array.from(now, (share, t) => share * (shares[t]?.[level] ?? 0));
        const total = joint.reduce((sum, p) => sum + p, 0);
        const then = joint.map((p) => (total > 0 ? p / total : 0));
        const change = total > 0 ? then.reduce((sum, p, t) => sum + Math.abs(p - now[t]), 0) / 2 : 0;
        return { variable, level, change, shares: then };
      });
    });
    return found.filter(({ change }) => change > 1e-6).sort((a, b) => b.change - a.change);
  }
}
