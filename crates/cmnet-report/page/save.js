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
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "display",
];

/**
 * The picture as it is now, everything in it, as an SVG file.
 * @param {Picture} picture
 * @returns {{text: string, width: number, height: number}}
 */
function asSvg(picture) {
  const [left, top, width, height] = picture.frame();
  const copy = /** @type {SVGSVGElement} */ (picture.svg.cloneNode(true));
  const [own, copied] = [[picture.svg, ...picture.svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  own.forEach((from, k) => {
    const style = getComputedStyle(from);
    const to = copied[k];
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value !== "") to.setAttribute(name, value);
    }
    for (const name of ["class", "style", "role", "tabindex", "aria-pressed", "id"]) to.removeAttribute(name);
  });
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
