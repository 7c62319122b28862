// Tables that sort and filter, whole names, the legend, and the start of it all.

/** What a cell is sorted by: its exact number, else its text. */
function sortKey(row, place) {
  const cell = row.cells[place];
  const exact = cell.dataset.ns ?? cell.dataset.value;
  if (exact === undefined) return cell.textContent.toLowerCase();
  return exact === "" ? null : /^\d+$/.test(exact) ? BigInt(exact) : Number(exact);
}

function compare(x, y) {
  if (x === null || y === null) return x === y ? 0 : x === null ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = element("button", head.textContent, { type: "button" });
    if (head.title) button.title = head.title;
    head.removeAttribute("title");
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // Numbers begin with the largest.
      const isNumber = head.classList.contains("number");
      const old = head.getAttribute("aria-sort");
      const direction = old === "descending" ? "ascending" : old === "ascending" ? "descending" : isNumber ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, place), row]);
      rows.sort(([x], [y]) => sign * compare(x, y));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

function makeFilterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 4) return;
  const label = element("label", "Filter ", { class: "filter" });
  const field = element("input", "", { type: "search", autocomplete: "off", spellcheck: "false", "aria-controls": table.id });
  const count = element("span", "", { class: "quiet", role: "status" });
  label.append(field, " ", count);
  table.parentElement.before(label);
  field.addEventListener("input", () => {
    const words = field.value.trim().toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown++;
    }
    count.textContent = field.value.trim() === "" ? "" : shown + " of " + rows.length + " rows";
  });
}

/** A name that was cut in a table: a button shows the whole. */
function makeWhole(cell) {
  const button = element("button", "whole name", { type: "button", class: "whole" });
  button.addEventListener("click", () => {
    document.getElementById("whole-text").replaceChildren(isolated(names[Number(cell.dataset.whole)]));
    document.getElementById("whole").showModal();
  });
  cell.append(" ", button);
}

function buildLegend() {
  const list = document.getElementById("legend");
  const swatch = (words, paint) => {
    const item = element("li"), canvas = element("canvas", "", { "aria-hidden": "true" });
    item.append(canvas, isolated(words));
    list.append(item);
    charts.push(() => paint(new Pen(canvas, { a: 0, b: 22 })));
  };
  const used = [...new Set(threads.flatMap((thread) => [...thread.modes, ...thread.markedModes]))];
  const shown = 12;
  for (const mode of used.slice(0, shown)) swatch(short(modeNames[mode], 40), (pen) => pen.fill(0, 2, 22, 12, modeFill(pen.context, mode)));
  if (used.length > shown) list.append(element("li", "and " + counted(used.length - shown, "more mode") + ": names stand in the lane and at the pointer"));
  if (threads.some((thread) => thread.modes.some((_, place) => thread.isShared(place)))) swatch("several further modes", (pen) => pen.fill(0, 2, 22, 12, sharedFill(pen.context)));
  swatch("phase that serves callouts, lays out or draws", (pen) => pen.fill(0, 2, 22, 12, colours.busy));
  swatch("other phases, callouts", (pen) => pen.fill(0, 2, 22, 12, colours["busy-soft"]));
  if (timers.length > 0) {
    swatch("due (hollow) and fired (filled)", (pen) => { drawDue(pen, 7, 15, true); pen.fill(12, 3, 3, 11, colours.busy); });
    swatch("fired late, by a tenth of its interval or 50 ms", (pen) => pen.fill(10, 3, 3, 11, colours.late));
    swatch("skipped or pending", (pen) => drawDue(pen, 11, 14, false));
    swatch("overdue: wrong mode", (pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, wrongMode)));
    swatch("overdue: busy", (pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, busyCause)));
    swatch("overdue: another cause", (pen) => pen.fill(0, 2, 22, 12, causeFill(pen.context, 0)));
  }
}

function start() {
  readColours();
  buildLanes();
  for (const table of document.querySelectorAll("table.sortable")) { makeSortable(table); makeFilterable(table); }
  for (const cell of document.querySelectorAll("[data-whole]")) makeWhole(cell);
  for (const shown of document.querySelectorAll(".toolbar, #lanes, #lane-facts, #legend")) shown.hidden = false;
  buildHistograms();
  buildUtilisation();
  buildStarvation();
  buildLegend();
  followPointers();
  followKeys();
  followControls();
  setLane(0);
  sayDetail();
  followAddress();
  drawNow();
  performance.mark("report-ready");
  performance.measure("report", "report-start", "report-ready");
  document.documentElement.dataset.ready = "yes";
  // They are further down: the page answers first.
  setTimeout(drawCharts);
}

start();
