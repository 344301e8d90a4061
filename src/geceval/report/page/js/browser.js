// The sentence browser: keeps controls, list and detail view in sync.

const ROW_HEIGHT = 66;

/** The filters when none is set.
 * @type {Pick<BrowserState, "search" | "system" | "type" | "outcome" | "edit" | "only">} */
const NO_FILTER = { search: "", system: "", type: -1, outcome: "", edit: null, only: null };

/** @type {BrowserState} */
const state = {
  ...NO_FILTER,
  metric: firstMetric(),
  sort: "number",
  descending: false,
  a: results.systems[0],
  b: results.systems[1] ?? results.systems[0],
  other: results.metrics[1]?.name ?? results.metrics[0].name,
};

/** Indices into `OUTCOMES`, and labels.
 * @type {[string, string][]} */
const OUTCOME_OPTIONS = [
  ["", "any"],
  ["0", "correct"],
  ["1", "wrong fix"],
  ["2", "wrong"],
  ["1,2", "wrong fix or wrong"],
  ["3", "missed"],
];

/** The number shown next to each sentence.
 * @type {(number | null)[]} */
let keys = [];

/** The sentence in the detail view. */
let current = 0;

/** @type {WindowedList} */
let list;

/**
 * Filter the sentences, from another section of the page.
 * @param {Partial<BrowserState>} filter
 */
function browse(filter) {
  Object.assign(state, NO_FILTER, filter);
  refresh(-1);
  byId("sentences").scrollIntoView();
  byId("list").focus({ preventScroll: true });
}

/**
 * Open the detail view of a sentence, from another section of the page.
 * @param {number} sentence
 */
function openSentence(sentence) {
  revealSentence(sentence);
  byId("detail").focus({ preventScroll: true });
}

/** @param {number} sentence */
function revealSentence(sentence) {
  if (!list.items.includes(sentence)) {
    Object.assign(state, NO_FILTER);
    refresh(sentence);
  }
  showSentence(sentence);
  byId("sentences").scrollIntoView();
}

/**
 * Open the detail view of a sentence in the list, and set the page's fragment to it.
 * @param {number} sentence
 */
function showSentence(sentence) {
  current = sentence;
  list.mark(sentence);
  showDetail();
  history.replaceState(null, "", `#s${sentence + 1}`);
}

function showDetail() {
  const place = list.position;
  const step = (
    /** @type {string} */ label,
    /** @type {string} */ sign,
    /** @type {number} */ by,
  ) => {
    const isEnd = !(place + by in list.items);
    const go = () => {
      list.choose(place + by);
      // The button was replaced with the sentence; keep the focus on its successor.
      const again = byId("detail").querySelector(`[aria-label="${label}"]:enabled`);
      (again instanceof HTMLElement ? again : byId("detail")).focus();
    };
    return button(sign, go, { class: "quiet", "aria-label": label, disabled: isEnd });
  };
  const copyLink = () => copy(`${location.href.split("#")[0]}#s${current + 1}`, "Link copied");
  byId("detail").replaceChildren(
    make(
      "header",
      {},
      make("h3", {}, `Sentence ${current + 1}`),
      button("Copy link", copyLink, { class: "quiet" }),
      step("Previous", "‹", -1),
      step("Next", "›", 1),
    ),
    ...sentenceView(current, state),
  );
  highlight();
}

/**
 * Filter and sort the sentences after the state has changed.
 * @param {number} [preferred] the sentence to select if it matches; the first one otherwise
 */
function refresh(preferred = current) {
  keys = sortKeys(state);
  const found = sorted(matching(state), keys, state);
  current = found.includes(preferred) ? preferred : (found[0] ?? current);
  list.show(found, current);
  const all = results.sentences.source.length;
  byId("count").textContent =
    found.length === all
      ? counted(all, "sentence")
      : `${printCount(found.length)} of ${counted(all, "sentence")}`;
  byId("list").classList.toggle("nothing", !found.length);
  showControls();
  showDetail();
}

/** Update the controls to reflect the state. */
function showControls() {
  const values = {
    search: state.search,
    "filter-system": state.system,
    "filter-type": String(state.type),
    "filter-outcome": state.outcome,
    "score-metric": state.metric,
    sort: state.sort,
    "sort-system-a": state.a,
    "sort-system-b": state.b,
    "sort-metric-other": state.other,
  };
  for (const [id, value] of Object.entries(values)) {
    const control = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    if (control && control.value !== value) control.value = value;
  }
  byId("sort-systems").hidden = state.sort !== "systems";
  byId("sort-metrics").hidden = state.sort !== "metrics";
  byId("sort-order").textContent = state.descending ? "↓ Descending" : "↑ Ascending";
  showChips();
}

/** Show each active filter as a removable chip. */
function showChips() {
  /** @type {[string, Partial<BrowserState>][]} */
  const chips = [];
  if (state.search.trim()) chips.push([`“${state.search.trim()}”`, { search: "" }]);
  if (state.system) chips.push([state.system, { system: "" }]);
  if (state.type >= 0) chips.push([typeName(results.sentences.types[state.type]), { type: -1 }]);
  const outcome = OUTCOME_OPTIONS.find(([value]) => value && value === state.outcome);
  if (outcome) chips.push([outcome[1], { outcome: "" }]);
  if (state.edit) chips.push([arrow(state.edit.old, state.edit.now), { edit: null }]);
  if (state.only) chips.push([state.only.label, { only: null }]);
  if (chips.length > 1) chips.push(["all filters", { ...NO_FILTER }]);
  byId("chips").replaceChildren(
    ...chips.map(([label, change]) => {
      const remove = () => {
        Object.assign(state, change);
        refresh();
        byId("list").focus({ preventScroll: true });
      };
      return make("li", {}, button(`${label} ×`, remove, { "aria-label": `Remove ${label}` }));
    }),
  );
}

/** Highlight search results without changing the document. */
function highlight() {
  if (!("highlights" in CSS)) return;
  const query = pattern(state, "giu");
  /** @type {Range[]} */
  const ranges = [];
  for (const root of document.querySelectorAll("#list .row-text, #detail .text")) {
    if (!query) break;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { index, 0: found } of (node.textContent ?? "").matchAll(query)) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + found.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

/**
 * Return the list row of a sentence.
 * @param {number} sentence
 */
function rowContent(sentence) {
  const isDifference = state.sort === "systems" || state.sort === "metrics";
  const text = state.system
    ? systemText(sentence, state.system)
    : [results.sentences.source[sentence]];
  const value = keys[sentence];
  return [
    make("span", { class: "row-number" }, String(sentence + 1)),
    make("span", { class: "row-text", dir: "auto", translate: "no" }, ...text),
    make("span", { class: "row-value" }, isDifference ? printSigned(value) : printScore(value)),
  ];
}

/** Return the error types, the most frequent in the gold standard first.
 * @returns {[string, string][]} */
function typeOptions() {
  const counts = results.sentences.types.map(() => 0);
  for (const annotations of results.sentences.gold) {
    for (const [, edits] of annotations) for (const [, , , type] of edits) counts[type]++;
  }
  const order = counts.map((_, type) => type).sort((a, b) => counts[b] - counts[a]);
  return [
    ["-1", "any"],
    ...order.map(
      (type) =>
        /** @type {[string, string]} */ ([String(type), typeName(results.sentences.types[type])]),
    ),
  ];
}

/** @returns {[string, string][]} */
const systemOptions = () => board.order.map((name) => [name, name]);

function startControls() {
  /**
   * @param {string} id
   * @param {[string, string][]} options
   * @param {(value: string) => void} set
   */
  const control = (id, options, set) => {
    if (!document.getElementById(id)) return;
    const select = choose(id, options, () => {
      set(select.value);
      refresh();
    });
  };
  control("filter-system", [["", "any"], ...systemOptions()], (value) => (state.system = value));
  control("filter-type", typeOptions(), (value) => (state.type = Number(value)));
  control("filter-outcome", OUTCOME_OPTIONS, (value) => (state.outcome = value));
  control("score-metric", metricOptions(), (value) => (state.metric = value));
  control("sort-system-a", systemOptions(), (value) => (state.a = value));
  control("sort-system-b", systemOptions(), (value) => (state.b = value));
  control("sort-metric-other", metricOptions(), (value) => (state.other = value));
  /** @type {[BrowserState["sort"], string][]} */
  const sorts = [
    ["number", "sentence number"],
    ["score", "score"],
    ["systems", "difference between systems"],
    ["metrics", "difference between metrics"],
  ];
  const possible = sorts.filter(
    ([name]) =>
      (name !== "systems" || results.systems.length > 1) &&
      (name !== "metrics" || results.metrics.length > 1),
  );
  control("sort", possible, (value) => {
    state.sort = /** @type {BrowserState["sort"]} */ (value);
    state.descending = value === "systems" || value === "metrics";
  });
  byId("sort-order").addEventListener("click", () => {
    state.descending = !state.descending;
    refresh();
  });
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  let timer = 0;
  search.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      state.search = search.value;
      refresh();
    }, 50);
  });
}

/** Follow a link such as #s123. */
function followHash() {
  const found = /^#s(\d+)$/.exec(location.hash);
  const sentence = found ? Number(found[1]) - 1 : -1;
  if (sentence >= 0 && sentence < results.sentences.source.length) revealSentence(sentence);
}

function startBrowser() {
  list = new WindowedList(byId("list"), ROW_HEIGHT, rowContent, showSentence);
  byId("list").addEventListener("drawn", highlight);
  startControls();
  refresh();
  window.addEventListener("hashchange", followHash);
  followHash();
}
