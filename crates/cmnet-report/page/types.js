"use strict";
// What the command writes into the page, by name. The page reads it from one element of JSON.

/**
 * @typedef {object} VariableRecord
 * @property {string} name As the table has it.
 * @property {string} label The name as it can be shown.
 * @property {string[]} lines The name in the lines that fit its box.
 * @property {string[]} levels As the table has them.
 * @property {string[]} labels The levels as they can be shown.
 * @property {[number, number, number, number]} box Centre, width and height.
 * @property {number[]} [observed] How often the table has each level.
 */

/**
 * The configurations of some variables in which an edge is cut.
 * @typedef {object} ContextRecord
 * @property {number[]} given The common neighbours, ascending.
 * @property {number[][]} elements Their levels, in the order of `given`.
 * @property {string} sentence
 * @property {number | null} support The smallest share of resamples that had one of the elements.
 */

/**
 * @typedef {object} EdgeRecord
 * @property {[number, number]} ends
 * @property {number[]} path From, perhaps a control point, to.
 * @property {ContextRecord | null} context With what other contexts imply.
 * @property {boolean} implied Whether the context or the cut takes more than the edge's own context.
 * @property {boolean} removed Whether the contexts of other edges imply that there is no edge at all.
 * @property {number | null} support The share of resamples that had the edge.
 */

/**
 * @typedef {object} CliqueRecord
 * @property {number[]} variables The separator first; the last variable runs fastest.
 * @property {number} separator How many of them are shared with the parent.
 * @property {number} parent The parent's place, which is before this one; -1 for a root.
 */

/**
 * @typedef {object} TreeRecord
 * @property {CliqueRecord[]} cliques
 * @property {string} tables Logarithms of p(clique | separator): little-endian doubles in base 64.
 */

/**
 * How far chains of Gibbs sampling agree.
 * @typedef {object} ChainRecord
 * @property {number} chains
 * @property {number} sweeps Those of each chain that counted.
 * @property {number | null} r_hat The largest split R-hat; null where it is infinite.
 * @property {number} effective The smallest effective number of draws.
 * @property {boolean} agrees
 */

/**
 * Answers of the command for no evidence, and for one piece of it, where the tree is too large for a page.
 * @typedef {object} SampledRecord
 * @property {number} rows The rows that were drawn.
 * @property {number} seed What determined the draws.
 * @property {ChainRecord | null} chains Of the chains that rows come from; null where rows are drawn exactly.
 * @property {string} tree What the tree would take, in words.
 * @property {string} counts How often each level was drawn: little-endian 16-bit numbers in base 64.
 * @property {string | null} pairs The same of each pair of levels, row by row; null where that is too much.
 */

/**
 * @typedef {object} PageRecord
 * @property {string} title
 * @property {string} about One line about the model.
 * @property {string} version
 * @property {string} file The model's file, for commands that are shown.
 * @property {[number, number]} size
 * @property {VariableRecord[]} variables
 * @property {EdgeRecord[]} edges
 * @property {TreeRecord | null} tree
 * @property {SampledRecord | null} sampled
 * @property {number | null} rows The rows of the table whose shares are shown.
 */

/**
 * What is known: the level of each observed variable.
 * @typedef {Map<number, number>} Given
 */

/**
 * @typedef {object} Answer
 * @property {(ArrayLike<number> | null)[]} marginals
 * @property {number | null} logEvidence
 * @property {Propagation | null} propagation
 * @property {string | null} problem Why there is no answer.
 */
