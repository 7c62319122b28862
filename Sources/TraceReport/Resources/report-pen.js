// @ts-check
// What everything on a canvas is drawn with: colours, stripes, and text that fits.

import { defaultMode, isTracking } from "./report-vocabulary.js";
import { modeNames } from "./report-data.js";
import { short } from "./report-format.js";

/** @type {Object<string, string>} */
export const colours = {};

/** Colours are in the style sheet, for both themes. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "quiet", "line", "shade", "late", "busy", "rest", "hang", "mark-text", "busy-soft", "own", "image-other", "mode-0", "mode-1", "mode-2", "mode-3", "mode-4", "mode-5"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
  patterns.clear();
}

const patterns = new Map();
/** Number of the pattern below what stands for many: dots in a row. */
export const dots = -1;

/** Each browser that runs this has it. */
const contextOf = (/** @type {HTMLCanvasElement} */ canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/**
 * A fill that is told apart without its colour: stripes at an angle, by number.
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

/** The default mode and the tracking modes look the same in every report; the others follow in the order met. */
const modeStyles = (() => {
  const fixed = modeNames.map((/** @type {string} */ name) => (name === defaultMode ? 0 : isTracking(name) ? 1 : -1));
  let next = 2;
  return fixed.map((/** @type {any} */ style) => (style < 0 ? next++ : style));
})();
export const modeColour = (/** @type {number} */ mode) => colours["mode-" + modeStyles[mode] % 6];
/** Six hues, each in six patterns. */
export const modeFill = (/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ mode) => pattern(context, modeColour(mode), (modeStyles[mode] + Math.floor(modeStyles[mode] / 6)) % 6);

// MARK: Text

const font = "11px system-ui, sans-serif";
const textWidths = new Map();

/**
 * How wide a text is. To measure costs more than to draw: it is done once.
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
 * As much of a text as has room; nothing, where that says nothing.
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

/** Thousands of columns of one pixel, put on a canvas as one image. It replaces what is there: it comes first. */
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
  /** `top` and `height`: of the part of the canvas that it is for. */
  put(top = 0, height = this.pen.height) {
    if (Columns.image) this.pen.context.putImageData(Columns.image, 0, 0, 0, Math.round(top * this.ratio), this.width, Math.round(height * this.ratio));
  }
}

/**
 * A colour as an image has it.
 * @param {string} colour
 */
export function packed(colour) {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join("") : colour.slice(1);
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
  const bytes = new Uint8Array([red, green, blue, 255]);
  return new Uint32Array(bytes.buffer)[0];
}

/** What a canvas is drawn with: its context and size, and the visible part of time. */
export class Pen {
  /** A printer has more dots than most screens. */
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
    /** @type {any} what is set in the context: to set it costs more than to draw */
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
   * What `body` draws lies under what is there.
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
   * As much of a text as has room.
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
