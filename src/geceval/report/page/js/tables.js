// Tables: sorting and export.

/**
 * Copy text to the clipboard, also from a page opened as a local file, and announce it.
 * @param {string} text
 * @param {string} message
 */
async function copy(text, message) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    if (!isDone) message = "Copy failed: the browser denied access to the clipboard";
  }
  announce(message);
}

/**
 * Save text as a file.
 * @param {string} name
 * @param {string} kind
 * @param {string} text
 */
function save(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  make("a", { href: address, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * Create the export menu of a table.
 * @param {() => Table} table
 */
function exportMenu(table) {
  const menu = make("details", { class: "menu" });
  const close = () => {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  };
  const lines = FORMS.map(([label, ending, kind, form]) => {
    const copyIt = () => copy(form(table()), `Copied as ${label}`);
    const saveIt = () => save(`${table().name}.${ending}`, kind, form(table()));
    const act = (/** @type {() => unknown} */ what) => () => {
      what();
      close();
    };
    return make(
      "li",
      {},
      make("span", {}, label),
      button("Copy", act(copyIt), { "aria-label": `Copy as ${label}`, "data-copy": ending }),
      button("Save", act(saveIt), { "aria-label": `Save as ${label}`, "data-save": ending }),
    );
  });
  menu.append(
    make("summary", { "aria-label": `Export: ${table().title}` }, "Export"),
    make("ul", {}, ...lines),
  );
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      event.stopPropagation();
      close();
    }
  });
  return menu;
}

/** Close menus on a click outside. */
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
  }
});

/**
 * Make the columns of a table sortable. Cells are compared by `data-value` if present.
 * @param {HTMLTableElement} table
 */
function sortable(table) {
  const headers = [...(table.tHead?.rows[0].cells ?? [])];
  headers.forEach((header, column) => {
    const isNumber = header.classList.contains("number");
    const label = make("button", { type: "button", class: "sort" });
    label.append(...header.childNodes);
    header.append(label);
    label.addEventListener("click", () => {
      const before = header.getAttribute("aria-sort");
      // Numbers sort in descending order first.
      const first = isNumber ? "descending" : "ascending";
      const second = isNumber ? "ascending" : "descending";
      const order = before === first ? second : first;
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", order);
      sortRows(table.tBodies[0], column, isNumber, order === "descending");
    });
  });
}

/**
 * @param {HTMLTableSectionElement} body
 * @param {number} column
 * @param {boolean} isNumber
 * @param {boolean} isDescending
 */
function sortRows(body, column, isNumber, isDescending) {
  const keyed = [...body.rows].map((row) => {
    const cell = row.cells[column];
    return { row, key: cell.dataset.value ?? cell.textContent?.trim() ?? "" };
  });
  const compare = isNumber
    ? (/** @type {string} */ a, /** @type {string} */ b) => Number(a) - Number(b)
    : new Intl.Collator("en", { numeric: true }).compare;
  keyed.sort((a, b) => {
    // Empty cells come last in either order.
    if (!a.key || !b.key) return Number(!a.key) - Number(!b.key);
    return isDescending ? compare(b.key, a.key) : compare(a.key, b.key);
  });
  body.append(...keyed.map(({ row }) => row));
}

/**
 * Format a cell for the screen, where numbers have a true minus sign.
 * @param {Cell} cell
 * @param {number} digits
 */
const screenCell = (cell, digits) =>
  typeof cell === "string" ? cell : shownCell(cell, digits).replace(/^-/, "−");

/**
 * How the name of a column is shown; reports replace it, because names of systems may be long.
 * @type {(name: string) => string}
 */
let shownHeader = (name) => name;

/**
 * Render a table like those of the templates.
 * @param {Table} table
 * @param {(cell: Cell, row: number, column: number) => Node | string | null} [content]
 *   the content of a cell, or null for the default formatting
 * @param {(name: string) => string} [heading] how the name of a column is shown
 */
function tableFigure(table, content = () => null, heading = shownHeader) {
  const isNumber = numericColumns(table);
  const header = (/** @type {string} */ name, /** @type {Attributes} */ attributes) => {
    const element = make("th", { scope: "col", ...attributes }, heading(name));
    return heading(name) === name ? element : hint(element, () => name);
  };
  const kind = (/** @type {number} */ column) => ({ class: isNumber[column] ? "number" : null });
  const body = table.rows.map((row, number) =>
    make(
      "tr",
      {},
      ...row.map((cell, column) => {
        const shown = content(cell, number, column) ?? screenCell(cell, table.digits);
        const value = Array.isArray(cell) ? cell[0] : cell;
        return make("td", { ...kind(column), "data-value": value }, shown);
      }),
    ),
  );
  const element = make(
    "table",
    {},
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...table.header.map((name, column) => header(name, kind(column))),
      ),
    ),
    make("tbody", {}, ...body),
  );
  sortable(element);
  return make(
    "figure",
    { class: "table" },
    make(
      "figcaption",
      {},
      table.title,
      exportMenu(() => table),
    ),
    make("div", { class: "scroll" }, element),
  );
}

/** Add sorting and export menus to the tables of the templates. */
function enhanceTables() {
  /** @type {Table[]} */
  const tables = embedded("tables");
  for (const holder of document.querySelectorAll("[data-table]")) {
    const table = tables.find(({ name }) => name === holder.getAttribute("data-table"));
    const place = holder.querySelector("figcaption") ?? holder;
    if (table) place.append(exportMenu(() => table));
    const element = holder.querySelector("table");
    if (element) sortable(element);
  }
}

/** Width of a printed page in pixels: the narrower of the usual papers, landscape. */
const PRINT_WIDTH = 979;

/** Widths of columns on paper: scores with ranks, and other numbers. */
const PRINTED_SCORE = 82;
const PRINTED_NUMBER = 58;

/** Headings and the text that takes their place on paper.
 * @type {[Element, Element][]} */
const PRINTED_HEADINGS = [];

/** Turn headings from buttons into text, without which Chromium leaves them out of a next page. */
function printHeadings() {
  for (const label of document.querySelectorAll("thead .sort")) {
    const text = make("span", { class: "sort" }, ...label.childNodes);
    label.replaceWith(text);
    PRINTED_HEADINGS.push([label, text]);
  }
}

function restoreHeadings() {
  for (const [label, text] of PRINTED_HEADINGS.splice(0)) {
    label.append(...text.childNodes);
    text.replaceWith(label);
  }
}

/** Print tables that are wider than a page in parts below each other, each with the first columns. */
function splitWideTables() {
  for (const table of document.querySelectorAll("main .table .scroll > table, main .wide table")) {
    const { tHead, tBodies } = /** @type {HTMLTableElement} */ (table);
    const heads = [...(tHead?.rows[0].cells ?? [])];
    if (table.closest(".agreement") || !heads.length) continue;
    const lead = heads.findIndex((head) => !REPEATED.has(head.textContent?.trim() ?? ""));
    const names = [...tBodies[0].rows].map((row) => textWidth(row.cells[0].textContent ?? ""));
    const unit = table.closest(".tested") ? PRINTED_SCORE : PRINTED_NUMBER;
    const room = PRINT_WIDTH - Math.max(60, ...names) - (lead - 1) * PRINTED_NUMBER;
    const parts = Math.ceil((heads.length - lead) / Math.max(1, Math.floor(room / unit)));
    if (lead < 1 || parts < 2) continue;
    const size = Math.ceil((heads.length - lead) / parts);
    const holder = make("div", { class: "print-parts" });
    for (let from = lead; from < heads.length; from += size) {
      const part = /** @type {HTMLTableElement} */ (table.cloneNode(true));
      for (const row of part.rows) {
        [...row.cells].forEach((cell, i) => {
          if (i >= lead && (i < from || i >= from + size)) cell.remove();
        });
      }
      holder.append(part);
    }
    table.closest(".scroll")?.after(holder);
    table.classList.add("in-parts");
  }
}

/** Headings of columns that each part of a table repeats. */
const REPEATED = new Set(["System", "system", "who", "references", "type", "gold edits"]);

function joinTables() {
  for (const parts of document.querySelectorAll(".print-parts")) parts.remove();
  for (const table of document.querySelectorAll(".in-parts")) table.classList.remove("in-parts");
}
