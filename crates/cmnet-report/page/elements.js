"use strict";
// Elements of the page. Names and levels become text, never markup.

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`there is no element ${id}`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * A name that may be broken where its words end.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function breakable(text) {
  return text.split(/(?<=[_./-])/).flatMap((part, k) => (k > 0 ? [element("wbr"), part] : [part]));
}

/**
 * A share as people read it.
 * @param {number} share
 */
function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  if (share < 1 && share > 0.9995) return ">99.9 %";
  return `${(100 * share).toFixed(1)} %`;
}

/**
 * How sure a context is, where that is known.
 * @param {ContextRecord} context
 */
function surely({ support }) {
  return support === null ? "" : ` (in ${percent(support)} of the resamples)`;
}

/**
 * A probability of any size.
 * @param {number} log Its natural logarithm.
 */
function probability(log) {
  const share = Math.exp(log);
  if (share >= 0.0005) return percent(share);
  if (log === -Infinity) return "0";
  const tens = Math.floor(log / Math.LN10);
  return `${Math.exp(log - tens * Math.LN10).toFixed(2)} × 10^${tens}`.replace("10.00 × 10^" + tens, `1.00 × 10^${tens + 1}`);
}

/**
 * Runs an action on click, and on Enter or Space for elements that are no buttons of their own.
 * @param {Element} target
 * @param {() => void} action
 */
function onPress(target, action) {
  target.addEventListener("click", action);
  if (target instanceof SVGElement) {
    target.addEventListener("keydown", (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      if (key !== "Enter" && key !== " ") return;
      event.preventDefault();
      action();
    });
  }
}
