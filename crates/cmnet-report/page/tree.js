"use strict";
// Exact sums over the joint distribution: messages in a junction tree, in the log domain. Each
// separator configuration is scaled by its own maximum, as the command's own engine does it.

/**
 * @typedef {object} Clique
 * @property {number[]} variables
 * @property {number[]} sizes
 * @property {number[]} strides
 * @property {number} cells
 * @property {number} run Cells for each configuration of the separator.
 * @property {number} parent
 * @property {Int32Array} onParent For each cell of the parent, the separator's configuration.
 * @property {Float64Array} base Logarithms of p(clique | separator).
 */

/**
 * The tree after evidence went through it.
 * @typedef {object} Propagation
 * @property {Float64Array[]} conditionals p(clique | separator, evidence).
 * @property {Float64Array[]} marginals p(clique | evidence).
 * @property {number} logEvidence
 */

/**
 * Numbers from base 64.
 * @param {string} text
 * @returns {ArrayBuffer}
 */
function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes.buffer;
}

/**
 * How far apart the levels of each variable are in a table, the last variable fastest.
 * @param {number[]} sizes
 * @returns {number[]}
 */
function stridesOf(sizes) {
  const strides = sizes.map(() => 1);
  for (let k = sizes.length - 2; k >= 0; k--) strides[k] = strides[k + 1] * sizes[k + 1];
  return strides;
}

/**
 * For each cell of a table, the sum of its levels times given steps: its cell in another table.
 * @param {number[]} sizes
 * @param {number[]} steps
 * @returns {Int32Array}
 */
function walk(sizes, steps) {
  let cells = 1;
  for (const size of sizes) cells *= size;
  const places = new Int32Array(cells);
  const digits = sizes.map(() => 0);
  let place = 0;
  for (let cell = 0; cell < cells; cell++) {
    places[cell] = place;
    for (let k = sizes.length - 1; k >= 0; k--) {
      place += steps[k];
      if (++digits[k] < sizes[k]) break;
      place -= steps[k] * sizes[k];
      digits[k] = 0;
    }
  }
  return places;
}

class JunctionTree {
  /**
   * @param {TreeRecord} record
   * @param {number[]} cardinalities
   */
  constructor(record, cardinalities) {
    const numbers = new Float64Array(bytesOf(record.tables));
    this.cardinalities = cardinalities;
    /** @type {Clique[]} */
    this.cliques = [];
    /** The smallest clique of each variable. */
    this.homes = cardinalities.map(() => -1);
    let from = 0;
    for (const { variables, separator, parent } of record.cliques) {
      const sizes = variables.map((v) => cardinalities[v]);
      const cells = sizes.reduce((product, size) => product * size, 1);
      const shared = sizes.slice(0, separator);
      const sharedStrides = stridesOf(shared);
      /** @type {Int32Array} */
      let onParent = new Int32Array(0);
      if (parent >= 0) {
        const { variables: above, sizes: aboveSizes } = this.cliques[parent];
        const steps = above.map((v) => {
          const place = variables.indexOf(v);
          return place >= 0 && place < separator ? sharedStrides[place] : 0;
        });
        onParent = walk(aboveSizes, steps);
      }
      const run = cells / shared.reduce((product, size) => product * size, 1);
      const base = numbers.subarray(from, from + cells);
      from += cells;
      this.cliques.push({ variables, sizes, strides: stridesOf(sizes), cells, run, parent, onParent, base });
      for (const v of variables) {
        const home = this.homes[v];
        if (home < 0 || cells < this.cliques[home].cells) this.homes[v] = this.cliques.length - 1;
      }
    }
  }

  /**
   * Logarithms of the clique tables, with weight zero where the evidence says otherwise.
   * @param {Given} given
   * @returns {Float64Array[]}
   */
  weighted(given) {
    const tables = this.cliques.map((clique) => clique.base.slice());
    for (const [v, level] of given) {
      const clique = this.cliques[this.homes[v]];
      const place = clique.variables.indexOf(v);
      const stride = clique.strides[place];
      const size = clique.sizes[place];
      const table = tables[this.homes[v]];
      for (let cell = 0; cell < table.length; cell++) {
        if (Math.floor(cell / stride) % size !== level) table[cell] = -Infinity;
      }
    }
    return tables;
  }

  /**
   * Adds what each clique says of its parent's cells to the parent, from the last clique to the first; returns the sum
   * of what the roots say.
   * @param {Float64Array[]} tables
   * @param {(table: Float64Array, run: number) => Float64Array} message
   */
  gather(tables, message) {
    let total = 0;
    for (let index = this.cliques.length - 1; index >= 0; index--) {
      const clique = this.cliques[index];
      const said = message(tables[index], clique.run);
      if (clique.parent < 0) {
        total += said[0];
      } else {
        const above = tables[clique.parent];
        for (let cell = 0; cell < above.length; cell++) above[cell] += said[clique.onParent[cell]];
      }
    }
    return total;
  }

  /**
   * The distribution given evidence; null when the evidence has probability 0.
   * @param {Given} given
   * @returns {Propagation | null}
   */
  propagate(given) {
    const tables = this.weighted(given);
    const logEvidence = this.gather(tables, conditioned);
    if (logEvidence === -Infinity) return null;
    /** @type {Float64Array[]} */
    const marginals = [];
    this.cliques.forEach((clique, index) => {
      const marginal = tables[index].slice();
      if (clique.parent >= 0) {
        const weights = new Float64Array(marginal.length / clique.run);
        const above = marginals[clique.parent];
        for (let cell = 0; cell < above.length; cell++) weights[clique.onParent[cell]] += above[cell];
        for (let cell = 0; cell < marginal.length; cell++) {
          marginal[cell] *= weights[Math.floor(cell / clique.run)];
        }
      }
      marginals.push(marginal);
    });
    return { conditionals: tables, marginals, logEvidence };
  }

  /**
   * The distribution of one variable.
   * @param {Propagation} propagation
   * @param {number} v
   * @returns {Float64Array}
   */
  marginal(propagation, v) {
    const home = this.homes[v];
    const clique = this.cliques[home];
    const place = clique.variables.indexOf(v);
    const sums = new Float64Array(clique.sizes[place]);
    let total = 0;
    propagation.marginals[home].forEach((p, cell) => {
      sums[Math.floor(cell / clique.strides[place]) % clique.sizes[place]] += p;
      total += p;
    });
    return sums.map((sum) => sum / total);
  }

  /**
   * The most probable levels of all variables together, and the logarithm of their probability.
   * @param {Given} given
   * @returns {{levels: number[], logProbability: number} | null}
   */
  mostProbable(given) {
    const tables = this.weighted(given);
    const logProbability = this.gather(tables, largest);
    if (logProbability === -Infinity) return null;
    const levels = this.cardinalities.map(() => -1);
    this.cliques.forEach((clique, index) => {
      let first = 0;
      clique.variables.forEach((v, place) => {
        if (levels[v] >= 0) first += levels[v] * clique.strides[place];
      });
      let cell = first;
      for (let k = first; k < first + clique.run; k++) {
        if (tables[index][k] > tables[index][cell]) cell = k;
      }
      clique.variables.forEach((v, place) => {
        levels[v] = Math.floor(cell / clique.strides[place]) % clique.sizes[place];
      });
    });
    return { levels, logProbability };
  }
}

/**
 * Turns logarithms into the distribution within each run; returns the logarithms of the sums.
 * @param {Float64Array} table
 * @param {number} run
 * @returns {Float64Array}
 */
function conditioned(table, run) {
  const sums = new Float64Array(table.length / run);
  for (let place = 0; place < sums.length; place++) {
    const start = place * run;
    let most = -Infinity;
    for (let k = start; k < start + run; k++) if (table[k] > most) most = table[k];
    if (most === -Infinity) {
      // Nothing is possible here. No weight will ever reach these cells.
      table.fill(0, start, start + run);
      sums[place] = -Infinity;
      continue;
    }
    let sum = 0;
    for (let k = start; k < start + run; k++) {
      table[k] = Math.exp(table[k] - most);
      sum += table[k];
    }
    for (let k = start; k < start + run; k++) table[k] /= sum;
    sums[place] = most + Math.log(sum);
  }
  return sums;
}

/**
 * The largest number of each run.
 * @param {Float64Array} table
 * @param {number} run
 * @returns {Float64Array}
 */
function largest(table, run) {
  const best = new Float64Array(table.length / run).fill(-Infinity);
  table.forEach((value, cell) => {
    const place = Math.floor(cell / run);
    if (value > best[place]) best[place] = value;
  });
  return best;
}
