// @ts-check
// Wide tables: the screen shows the columns that distinguish rows; paper shows all of them, in parts as wide as the
// paper.

import { element, isolated, parts } from "./report-page.js";

/** A table with more columns than this folds the columns that are equal in all rows. */
const columnsShown = 8;

/**
 * The width of the paper in CSS pixels, as in the style sheet: A4 and Letter have this room between their margins.
 */
const paperWidth = 700;

const wordsOf = (/** @type {Element} */ cell) => (cell.textContent ?? "").trim();

/**
 * Folds the columns that are equal in all rows (for a single row: those without a value), lists their values, and
 * unfolds them on demand.
 * @param {HTMLTableElement} table
 */
export function foldColumns(table) {
  const heads = [...(table.tHead?.rows[0].cells ?? [])], rows = [...table.tBodies[0].rows];
  if (heads.length <= columnsShown || rows.length === 0) return;
  const isSame = (/** @type {number} */ place) => {
    const words = wordsOf(rows[0].cells[place]);
    return rows.length === 1 ? /^(–|0|0 ns|)$/.test(words) : rows.every((row) => wordsOf(row.cells[place]) === words);
  };
  const same = heads.map((_, place) => place).filter((place) => place > 0 && isSame(place));
  if (same.length === 0) return;
  for (const row of [table.tHead?.rows[0], ...rows]) for (const place of same) row?.cells[place].classList.add("same");
  const said = element("p", "", { class: "quiet same-words" });
  said.append((rows.length === 1 ? "Also: " : "The same in all rows: "));
  same.forEach((place, i) => said.append(i > 0 ? ", " : "", isolated(wordsOf(heads[place]) + " " + (wordsOf(rows[0].cells[place]) || "–"))));
  const button = element("button", "All " + heads.length + " columns", { type: "button", "aria-pressed": "false" });
  button.addEventListener("click", () => button.setAttribute("aria-pressed", String(!table.classList.toggle("folded"))));
  said.append(". ", button);
  table.classList.add("folded");
  table.parentElement?.after(said);
}

/**
 * Returns a table with only the columns at `places`, without hidden rows.
 * @param {HTMLTableElement} table
 * @param {number[]} places
 * @param {string} words
 */
function partOf(table, places, words) {
  const made = element("table"), head = element("tr"), body = element("tbody");
  made.append(element("caption", words));
  const copy = (/** @type {HTMLTableRowElement} */ row) => places.map((place) => {
    const cell = /** @type {HTMLElement} */ (row.cells[place].cloneNode(true));
    cell.classList.remove("same");
    return cell;
  });
  head.append(...copy(/** @type {HTMLTableRowElement} */ (table.tHead?.rows[0])));
  for (const row of table.tBodies[0].rows) {
    if (row.hidden) continue;
    const line = element("tr");
    line.append(...copy(row));
    body.append(line);
  }
  made.append(element("thead"), body);
  made.tHead?.append(head);
  return made;
}

/** Splits tables that are wider than the paper. Each part repeats the first column. */
export function splitForPaper() {
  for (const table of parts("table.sortable", HTMLTableElement)) {
    table.classList.add("measured");
    const widths = [...(table.tHead?.rows[0].cells ?? [])].map((head) => head.offsetWidth);
    table.classList.remove("measured");
    if (widths.reduce((sum, width) => sum + width, 0) <= paperWidth) continue;
    /** @type {number[][]} */
    const chunks = [];
    let room = 0;
    for (let place = 1; place < widths.length; place++) {
      if (widths[place] > room) { chunks.push([0]); room = paperWidth - widths[0]; }
      chunks[chunks.length - 1].push(place);
      room -= widths[place];
    }
    const box = element("div", "", { class: "on-paper" }), caption = wordsOf(table.caption ?? table);
    chunks.forEach((places, i) => box.append(partOf(table, places, caption + " (part " + (i + 1) + " of " + chunks.length + ")")));
    table.parentElement?.after(box);
    table.parentElement?.classList.add("on-screen");
  }
}

export function joinAgain() {
  for (const box of parts(".on-paper", HTMLElement)) box.remove();
  for (const box of parts(".on-screen", HTMLElement)) box.classList.remove("on-screen");
}
