// Export formats of tables, byte for byte those of `geceval.presentation.table`.

/**
 * A float is wrapped in a list, because JSON does not distinguish 1.0 from 1; non-finite numbers
 * are strings.
 * @typedef {string | number | null | [number | string]} Cell
 */

/**
 * @typedef {object} Table
 * @property {string} name
 * @property {string} title
 * @property {string[]} header
 * @property {Cell[][]} rows
 * @property {number} digits
 */

/**
 * Return a float as a cell.
 * @param {number | null | undefined} value
 * @returns {Cell}
 */
const floatCell = (value) => (value === null || value === undefined ? null : [value]);

/**
 * Return which columns are numeric.
 * @param {Table} table
 */
const numericColumns = (table) =>
  table.header.map((_, column) => table.rows.every((row) => typeof row[column] !== "string"));

/**
 * Format a float as Python's `repr` does.
 * @param {number} value
 */
function allDigits(value) {
  if (!Number.isFinite(value)) return String(value).toLowerCase().replace("infinity", "inf");
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value && (power < -4 || power >= 16)) {
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/**
 * Round a float as Python does: half to even.
 * @param {number} value
 * @param {number} digits
 */
function fixed(value, digits) {
  if (!Number.isFinite(value)) return allDigits(value);
  const exact = value.toFixed(100);
  const end = exact.indexOf(".") + 1 + digits;
  const truncated = exact.slice(0, digits ? end : end - 1);
  const isTie = /^50*$/.test(exact.slice(end));
  const text = isTie && /[02468]$/.test(truncated) ? truncated : value.toFixed(digits);
  return value < 0 || Object.is(value, -0) ? `-${text.replace("-", "")}` : text;
}

/**
 * Format a cell, rounded.
 * @param {Cell} cell
 * @param {number} digits
 */
const shownCell = (cell, digits) =>
  Array.isArray(cell) ? fixed(Number(cell[0]), digits) : String(cell ?? "");

/**
 * Format a cell with full precision.
 * @param {Cell} cell
 */
const wholeCell = (cell) => (Array.isArray(cell) ? allDigits(Number(cell[0])) : String(cell ?? ""));

const ACTIVE =
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
/** @type {Record<string, string>} */
const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * Escape control characters as `geceval.visible` does.
 * @param {string} text
 */
const visible = (text) =>
  text.replace(ACTIVE, (character) => {
    const code = character.charCodeAt(0);
    const digits = code.toString(16);
    const escaped = code < 0x100 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
    return SHORT[character] ?? escaped;
  });

/**
 * Prefix a cell that a spreadsheet would evaluate as a formula with an apostrophe.
 * @param {Cell} cell
 */
function noFormula(cell) {
  if (typeof cell !== "string") return wholeCell(cell);
  const shown = visible(cell);
  const isFormula = /^ *[=+@＝＋－＠-]/.test(shown);
  return isFormula && !/^[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(shown) ? `'${shown}` : shown;
}

/** @param {Table} table */
function asCsv(table) {
  const rows = [table.header, ...table.rows].map((row) => row.map(noFormula));
  const quote = (/** @type {string} */ text) =>
    /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  // An empty line would not be read as a row.
  const lines = rows.map((row) => row.map(quote).join(",") || (row.length ? '""' : ""));
  return lines.map((line) => `${line}\n`).join("");
}

const MARKUP =
  /[\\`*\[\]<>|~$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|&(?=#?[0-9A-Za-z]+;)|:(?=\/\/)|(?<=[Ww][Ww][Ww])\./g;

/** @param {Table} table */
function asMarkdown(table) {
  const rules = numericColumns(table).map((isNumber) => (isNumber ? "---:" : ":---"));
  const clean = (/** @type {string} */ text) =>
    visible(
      text
        .split(/(?:[^\S\ufeff]|[\x1c-\x1f\x85])+/)
        .filter(Boolean)
        .join(" "),
    ).replace(MARKUP, "\\$&");
  const rows = table.rows.map((row) => row.map((cell) => clean(shownCell(cell, table.digits))));
  return [table.header.map(clean), rules, ...rows]
    .map((row) => `| ${row.join(" | ")} |\n`)
    .join("");
}

/** @type {Record<string, string>} */
const LATEX = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

/** @param {Table} table */
function asLatex(table) {
  const columns = numericColumns(table).map((isNumber) => (isNumber ? "r" : "l"));
  const clean = (/** @type {string} */ text) =>
    visible(text)
      .replace(/[\\~^&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`)
      .replace(/^( *)([[*])/, "$1{$2}");
  const line = (/** @type {string[]} */ cells) => `${cells.map(clean).join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{${columns.join("")}}`,
    "\\toprule",
    line(table.header),
    "\\midrule",
    ...table.rows.map((row) => line(row.map((cell) => shownCell(cell, table.digits)))),
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** @param {Table} table */
function asJson(table) {
  /** @param {Cell} cell */
  const value = (cell) => {
    if (!Array.isArray(cell)) return JSON.stringify(cell);
    const number = Number(cell[0]);
    return Number.isFinite(number) ? allDigits(number) : "null";
  };
  const rows = table.rows.map((row) => {
    // As in a Python dict, a duplicate key has its first position and its last value.
    const cells = new Map(table.header.map((name, column) => [name, value(row[column])]));
    const lines = [...cells].map(([name, text]) => `\n      ${JSON.stringify(name)}: ${text}`);
    return lines.length ? `\n    {${lines.join(",")}\n    }` : "\n    {}";
  });
  const list = rows.length ? `[${rows.join(",")}\n  ]` : "[]";
  const [name, title] = [JSON.stringify(table.name), JSON.stringify(table.title)];
  return `{\n  "name": ${name},\n  "title": ${title},\n  "rows": ${list}\n}\n`;
}

/** @type {[string, string, string, (table: Table) => string][]} label, extension, media type, formatter */
const FORMS = [
  ["LaTeX", "tex", "application/x-tex", asLatex],
  ["Markdown", "md", "text/markdown", asMarkdown],
  ["CSV", "csv", "text/csv", asCsv],
  ["JSON", "json", "application/json", asJson],
];
