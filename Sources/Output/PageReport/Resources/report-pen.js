// @ts-check
// Tools to draw on a canvas: colours, stripes, and text that fits.

import { defaultMode, isTracking } from "./report-vocabulary.js";
import { modeNames } from "./report-data.js";
import { short } from "./report-format.js";

/** @type {Object<string, string>} */
export const colours = {};

/** Reads the colours from the style sheet, which has them for both themes. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "quiet", "line", "shade", "late", "busy", "rest", "hang", "mark-text", "busy-soft", "own", "image-other", "mode-0", "mode-1", "mode-2", "mode-3", "mode-4", "mode-5"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  patterns.clear();
}

const patterns = new Map();
/** The number of the pattern below sums: dots in a row. */
export const dots = -1;

/** Every browser that runs this script supports this context. */
const contextOf = (/** @type {HTMLCanvasElement} */ canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/**
 * Returns a fill that can be recognized without its colour: stripes at an angle that depends on the number.
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} number
 */
export function pattern(context, colour, number) {
  const key = colour + number;
  if (!patterns.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = contextOf(tile);
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.globalAlpha = number === 0 ? 0.85 : 0.3;
    if (number !== dots) pen.fillRect(0, 0, 8, 8);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    const lines = number === dots ? [[1, 0, 1, 8], [5, 0, 5, 8]] : [[], [[-2, 10, 10, -2], [-6, 6, 6, -6], [2, 14, 14, 2]], [[-2, -2, 10, 10], [-6, 2, 6, 14], [2, -6, 14, 6]], [[4, 0, 4, 8]], [[0, 4, 8, 4]], [[4, 0, 4, 8], [0, 4, 8, 4]]][number % 6];
    for (const [x, y, x2, y2] of lines) { pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x2, y2); pen.stroke(); }
    patterns.set(key, context.createPattern(tile, "repeat"));
  }
  return patterns.get(key);
}

/**
 * The default mode and the tracking modes look the same in every report. The others follow in the order of
 * appearance.
 */
const modeStyles = (() => {
  const fixed = modeNames.map((/** @type {string} */ name) => (name === defaultMode ? 0 : isTracking(name) ? 1 : -1));
  let next = 2;
  return fixed.map((/** @type {any} */ style) => (style < 0 ? next++ : style));
})();
export const modeColour = (/** @type {number} */ mode) => colours["mode-" + modeStyles[mode] % 6];
/** Returns one of six hues, each with six patterns. */
export const modeFill = (/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ mode) => pattern(context, modeColour(mode), (modeStyles[mode] + Math.floor(modeStyles[mode] / 6)) % 6);

// MARK: Text

const font = "11px system-ui, sans-serif";
const textWidths = new Map();

/**
 * Returns the width of a string. Measuring costs more than drawing, so the width is cached.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 */
export function widthOf(context, text) {
  let width = textWidths.get(text);
  if (width === undefined) {
    context.font = font;
    width = context.measureText(text).width;
    if (textWidths.size > 4000) textWidths.clear();
    textWidths.set(text, width);
  }
  return width;
}

/**
 * Returns as much of a string as fits; nothing if the rest would be too short to be useful.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} room
 */
export function fitted(context, text, room) {
  const whole = short(text, 120), width = widthOf(context, whole);
  if (width <= room) return whole;
  let letters = Math.floor(whole.length * room / width);
  const cut = () => whole.slice(0, letters).replace(/[\ud800-\udbff]$/, "").trimEnd() + "…";
  while (letters > 2 && widthOf(context, cut()) > room) letters--;
  return letters > 2 ? cut() : "";
}

/**
 * Thousands of columns, one pixel wide, that are put on a canvas as one image. The image replaces the contents of the
 * canvas, so it must come first.
 */
export class Columns {
  /** @type {ImageData | null} */
  static image = null;
  static pixels = new Uint32Array(0);

  /** @param {Pen} pen */
  constructor(pen) {
    const { width, height } = pen.context.canvas;
    if (Columns.image?.width !== width || Columns.image?.height !== height) {
      Columns.image = width > 0 && height > 0 ? new ImageData(width, height) : null;
      Columns.pixels = Columns.image ? new Uint32Array(Columns.image.data.buffer) : new Uint32Array(0);
    }
    Columns.pixels.fill(0);
    this.pen = pen;
    this.width = width;
    this.ratio = pen.ratio;
  }
  /**
   * @param {number} x
   * @param {number} top
   * @param {number} height
   * @param {number} colour
   */
  fill(x, top, height, colour) {
    const pixels = Columns.pixels, { width, ratio } = this, right = Math.min(Math.round((x + 1) * ratio), width);
    const first = Math.round(top * ratio) * width, end = Math.round((top + height) * ratio) * width;
    for (let column = Math.round(x * ratio); column < right; column++) {
      for (let at = first + column; at < end; at += width) pixels[at] = colour;
    }
  }
  /** `top` and `height` select the part of the canvas that is drawn. */
  put(top = 0, height = this.pen.height) {
    if (Columns.image) this.pen.context.putImageData(Columns.image, 0, 0, 0, Math.round(top * this.ratio), this.width, Math.round(height * this.ratio));
  }
}

/**
 * Returns a colour in the form of an image's pixels.
 * @param {string} colour
 */
export function packed(colour) {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join("") : colour.slice(1);
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  const bytes = new Uint8Array([red, green, blue, 255]);
  return new Uint32Array(bytes.buffer)[0];
}

/** A canvas to draw on: its context and size, and the visible time range. */
export class Pen {
  /** Whether to draw for a printer, which has more dots than most screens. */
  static isForPaper = false;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{a: number, b: number}} view
   */
  constructor(canvas, view) {
    const ratio = Pen.isForPaper ? 3 : window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    this.context = contextOf(canvas);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.a = view.a;
    this.b = view.b;
    this.scale = width / (view.b - view.a);
    /** @type {any} the values set in the context, because setting one costs more than drawing */
    this.style = null;
    this.font = "";
  }
  /** @param {number} time */
  x(time) { return (time - this.a) * this.scale; }
  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {any} style
   */
  fill(x, y, width, height, style) {
    if (style !== this.style) this.context.fillStyle = this.style = style;
    this.context.fillRect(x, y, width, height);
  }
  /**
   * Draws the contents of `body` below the existing ones.
   * @param {() => void} body
   */
  under(body) {
    this.context.globalCompositeOperation = "destination-over";
    body();
    this.context.globalCompositeOperation = "source-over";
  }
  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {string} colour
   */
  text(text, x, y, colour) {
    if (this.font !== font) this.context.font = this.font = font;
    if (colour !== this.style) this.context.fillStyle = this.style = colour;
    this.context.fillText(text, x, y);
  }
  /**
   * Draws as much of a string as fits.
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {number} room
   */
  label(text, x, y, room, colour = colours.ink) {
    if (room < 18) return;
    const words = fitted(this.context, text, room - 6);
    if (words) this.text(words, x + 3, y, colour);
  }
}
