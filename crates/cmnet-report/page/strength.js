"use strict";
// How much the two ends of an edge tell about each other, given the evidence and everything else: the
// number of `cmnet explain`.

/** The largest table that is made for one edge. */
const MOST_CELLS = 1 << 13;

/**
 * A table over some variables, the last one fastest.
 * @typedef {object} Factor
 * @property {number[]} variables
 * @property {ArrayLike<number>} values
 */

/**
 * The product of factors, summed over all variables that are not kept; null when it is too large.
 * @param {Factor[]} factors
 * @param {Set<number>} keep
 * @param {number[]} cardinalities
 * @returns {Factor | null}
 */
function multiplied(factors, keep, cardinalities) {
  const variables = [...new Set(factors.flatMap((factor) => factor.variables))];
  const sizes = variables.map((v) => cardinalities[v]);
  if (sizes.reduce((product, size) => product * size, 1) > MOST_CELLS) return null;
  /** @type {(kept: number[]) => Int32Array} */
  const places = (kept) => {
    const strides = stridesOf(kept.map((v) => cardinalities[v]));
    return walk(sizes, variables.map((v) => (kept.includes(v) ? strides[kept.indexOf(v)] : 0)));
  };
  const walks = factors.map((factor) => places(factor.variables));
  const left = variables.filter((v) => keep.has(v));
  const onto = places(left);
  const values = new Float64Array(left.reduce((product, v) => product * cardinalities[v], 1));
  for (let cell = 0; cell < onto.length; cell++) {
    let product = 1;
    for (let k = 0; k < factors.length; k++) product *= factors[k].values[walks[k][cell]];
    values[onto[cell]] += product;
  }
  return { variables: left, values };
}

/**
 * The joint distribution of some variables that all share a clique with one of two ends of an edge.
 * @param {JunctionTree} tree
 * @param {Propagation} propagation
 * @param {[number, number]} ends
 * @param {Set<number>} wanted
 * @returns {Factor | null}
 */
function jointAround(tree, propagation, ends, wanted) {
  // The cliques with an end hang together, so that the first of them is their root.
  const inside = tree.cliques.map((clique) => ends.some((v) => clique.variables.includes(v)));
  const root = inside.indexOf(true);
  /** @type {Map<number, Factor[]>} */
  const received = new Map();
  for (let index = tree.cliques.length - 1; index >= root; index--) {
    if (!inside[index]) continue;
    const clique = tree.cliques[index];
    const values = index === root ? propagation.marginals[index] : propagation.conditionals[index];
    const factors = [{ variables: clique.variables, values }, ...(received.get(index) ?? [])];
    if (index === root) return multiplied(factors, wanted, tree.cardinalities);
    const above = tree.cliques[clique.parent].variables;
    const keep = new Set([...wanted, ...clique.variables.filter((v) => above.includes(v))]);
    const message = multiplied(factors, keep, tree.cardinalities);
    if (message === null) return null;
    received.set(clique.parent, [...(received.get(clique.parent) ?? []), message]);
  }
  return null;
}

/**
 * The information of two variables about each other given the others of a joint distribution, in nats.
 * @param {Factor} joint
 * @param {[number, number]} ends
 * @param {number[]} cardinalities
 * @returns {number}
 */
function information(joint, ends, cardinalities) {
  /** @type {(without: number[]) => Factor} */
  const summed = (without) => {
    const keep = new Set(joint.variables.filter((v) => !without.includes(v)));
    return multiplied([joint], keep, cardinalities) ?? joint;
  };
  const sizes = joint.variables.map((v) => cardinalities[v]);
  const parts = [summed([]), summed(ends), summed([ends[0]]), summed([ends[1]])];
  const walks = parts.map(({ variables }) => {
    const strides = stridesOf(variables.map((v) => cardinalities[v]));
    const steps = joint.variables.map((v) => (variables.includes(v) ? strides[variables.indexOf(v)] : 0));
    return walk(sizes, steps);
  });
  let sum = 0;
  for (let cell = 0; cell < joint.values.length; cell++) {
    const p = joint.values[cell];
    if (p <= 0) continue;
    const [whole, rest, one, other] = parts.map((part, k) => part.values[walks[k][cell]]);
    sum += p * Math.log((whole * rest) / (one * other));
  }
  return Math.max(0, sum);
}

/**
 * The strength of an edge that the evidence leaves, and whether it is given everything else; null when
 * even that given the common neighbours takes too large a table.
 * @param {JunctionTree} tree
 * @param {Propagation} propagation
 * @param {[number, number]} ends
 * @param {Set<number>[]} neighbours In the graph that the evidence leaves.
 * @returns {{nats: number, givenAll: boolean} | null}
 */
function strength(tree, propagation, ends, neighbours) {
  const [one, other] = ends;
  const around = new Set([...neighbours[one], ...neighbours[other]]);
  const common = [...neighbours[one]].filter((v) => neighbours[other].has(v));
  for (const [others, givenAll] of /** @type {[Iterable<number>, boolean][]} */ ([
    [around, true],
    [common, false],
  ])) {
    const joint = jointAround(tree, propagation, ends, new Set([...others, one, other]));
    if (joint !== null) return { nats: information(joint, ends, tree.cardinalities), givenAll };
  }
  return null;
}
