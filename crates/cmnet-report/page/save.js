"use strict";
// The picture as a file.

/** What a style sheet decides and a file of its own has to carry. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "opacity",
];

/**
 * What an element has of those that it does not inherit.
 * @type {Record<string, string>}
 */
const STARTS = { opacity: "1" };

/** What only the page needs. */
const DROPPED = new Set(["class", "style", "role", "tabindex", "aria-pressed", "aria-label", "id"]);

/**
 * The picture as it is now, everything in it, as an SVG file.
 * @param {Picture} picture
 * @returns {{text: string, width: number, height: number}}
 */
function asSvg(picture) {
  const [left, top, width, height] = picture.frame();
  const copy = /** @type {SVGSVGElement} */ (picture.svg.cloneNode(true));
  const [own, copied] = [[picture.svg, ...picture.svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  const hidden = copied.filter((_, k) => own[k].matches(".hit") || getComputedStyle(own[k]).display === "none");
  own.forEach((from, k) => {
    const style = getComputedStyle(from);
    // A child inherits all of these but the last, whose start is known.
    const parent = k > 0 && from.parentElement !== null ? getComputedStyle(from.parentElement) : null;
    const to = copied[k];
    for (const name of STYLES) {
      const start = name in STARTS ? STARTS[name] : parent?.getPropertyValue(name);
      const value = style.getPropertyValue(name);
      if (value !== "" && value !== start) to.setAttribute(name, value);
    }
    for (const { name } of [...to.attributes]) {
      if (DROPPED.has(name) || name.startsWith("data-")) to.removeAttribute(name);
    }
  });
  for (const each of hidden) each.remove();
  copy.querySelector("g")?.removeAttribute("transform");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  copy.setAttribute("width", String(Math.ceil(width)));
  copy.setAttribute("height", String(Math.ceil(height)));
  const ground = getComputedStyle(document.body).getPropertyValue("background-color");
  copy.prepend(shape("rect", { x: left, y: top, width, height, fill: ground }));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/**
 * Hands a file to the reader.
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * @param {Picture} picture
 * @param {string} name
 */
function saveSvg(picture, name) {
  download(new Blob([asSvg(picture).text], { type: "image/svg+xml" }), `${name}.svg`);
}

/**
 * @param {Picture} picture
 * @param {string} name
 */
function savePng(picture, name) {
  const { text, width, height } = asSvg(picture);
  // Two pixels for each, but no more than a canvas can hold.
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = element("canvas", {
      width: String(Math.ceil(width * scale)),
      height: String(Math.ceil(height * scale)),
    });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => {
      if (blob !== null) download(blob, `${name}.png`);
    });
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}
