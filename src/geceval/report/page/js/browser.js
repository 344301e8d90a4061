// The sentence browser: controls, list and detail kept in step.

const ROW_HEIGHT = 66;

/** @type {Wish} */
const wish = {
  search: "",
  system: "",
  type: -1,
  outcome: "",
  edit: null,
  only: null,
  metric: firstMetric(),
  sort: "number",
  descending: false,
  a: results.systems[0],
  b: results.systems[1] ?? results.systems[0],
  other: results.metrics[1]?.name ?? results.metrics[0].name,
};

/** What the filters are when they ask for nothing.
 * @type {Pick<Wish, "search" | "system" | "type" | "outcome" | "edit" | "only">} */
const NO_FILTER = { search: "", system: "", type: -1, outcome: "", edit: null, only: null };

/** Numbers as in `OUTCOMES`, and their names.
 * @type {[string, string][]} */
const OUTCOME_OPTIONS = [
  ["", "any"],
  ["0", "correct"],
  ["1", "wrong fix"],
  ["2", "wrong"],
  ["1,2", "wrong fix or wrong"],
  ["3", "missed"],
];

/** The number that stands beside each sentence.
 * @type {(number | null)[]} */
let keys = [];

/** The sentence that is shown in full. */
let current = 0;

/** @type {WindowedList} */
let list;

/**
 * Show certain sentences, from somewhere else on the page.
 * @param {Partial<Wish>} filter
 */
function browse(filter) {
  Object.assign(wish, NO_FILTER, filter);
  refresh(-1);
  byId("sentences").scrollIntoView();
  byId("list").focus({ preventScroll: true });
}

/**
 * Show one sentence in full, from somewhere else on the page.
 * @param {number} sentence
 */
function openSentence(sentence) {
  revealSentence(sentence);
  byId("detail").focus({ preventScroll: true });
}

/** @param {number} sentence */
function revealSentence(sentence) {
  if (!list.items.includes(sentence)) {
    Object.assign(wish, NO_FILTER);
    refresh(sentence);
  }
  showSentence(sentence);
  byId("sentences").scrollIntoView();
}

/**
 * Show a sentence of the list in full, and let the address of the page lead to it.
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
      // The button went with the old sentence, but whoever pressed it may want to go on.
      const again = byId("detail").querySelector(`[aria-label="${label}"]:enabled`);
      (again instanceof HTMLElement ? again : byId("detail")).focus();
    };
    return button(sign, go, { class: "quiet", "aria-label": label, disabled: isEnd });
  };
  const copyLink = () => {
    copy(`${location.href.split("#")[0]}#s${current + 1}`).then(
      () => announce("Link copied"),
      (error) => announce(`Not copied: ${error.message}`),
    );
  };
  byId("detail").replaceChildren(
    make(
      "header",
      {},
      make("h3", {}, `Sentence ${current + 1}`),
      button("Copy link", copyLink, { class: "quiet" }),
      step("Previous", "‹", -1),
      step("Next", "›", 1),
    ),
    ...sentenceView(current, wish),
  );
  highlight();
}

/**
 * Find and order the sentences anew after a wish has changed.
 * @param {number} [preferred] the sentence to show, if it is found; otherwise the first is
 */
function refresh(preferred = current) {
  keys = sortKeys(wish);
  const found = sorted(matching(wish), keys, wish);
  current = found.includes(preferred) ? preferred : (found[0] ?? current);
  list.show(found, current);
  const all = results.sentences.source.length;
  byId("count").textContent =
    found.length === all
      ? counted(all, "sentence")
      : `${found.length.toLocaleString("en")} of ${counted(all, "sentence")}`;
  byId("list").classList.toggle("nothing", !found.length);
  showControls();
  showDetail();
}

/** Let the controls tell what is wished, wherever the wish came from. */
function showControls() {
  const values = {
    search: wish.search,
    "filter-system": wish.system,
    "filter-type": String(wish.type),
    "filter-outcome": wish.outcome,
    "score-metric": wish.metric,
    sort: wish.sort,
    "sort-system-a": wish.a,
    "sort-system-b": wish.b,
    "sort-metric-other": wish.other,
  };
  for (const [id, value] of Object.entries(values)) {
    const control = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    if (control && control.value !== value) control.value = value;
  }
  byId("sort-systems").hidden = wish.sort !== "systems";
  byId("sort-metrics").hidden = wish.sort !== "metrics";
  byId("sort-order").textContent = wish.descending ? "↓ Descending" : "↑ Ascending";
  showChips();
}

/** Each filter as something that can be taken away. */
function showChips() {
  /** @type {[string, Partial<Wish>][]} */
  const chips = [];
  if (wish.search.trim()) chips.push([`“${wish.search.trim()}”`, { search: "" }]);
  if (wish.system) chips.push([wish.system, { system: "" }]);
  if (wish.type >= 0) chips.push([typeName(results.sentences.types[wish.type]), { type: -1 }]);
  const outcome = OUTCOME_OPTIONS.find(([value]) => value && value === wish.outcome);
  if (outcome) chips.push([outcome[1], { outcome: "" }]);
  if (wish.edit) chips.push([arrow(wish.edit.old, wish.edit.now), { edit: null }]);
  if (wish.only) chips.push([wish.only.label, { only: null }]);
  if (chips.length > 1) chips.push(["all filters", { ...NO_FILTER }]);
  byId("chips").replaceChildren(
    ...chips.map(([label, change]) => {
      const remove = () => {
        Object.assign(wish, change);
        refresh();
        byId("list").focus({ preventScroll: true });
      };
      return make("li", {}, button(`${label} ×`, remove, { "aria-label": `Remove ${label}` }));
    }),
  );
}

/** Mark what was searched for, without touching the text. */
function highlight() {
  if (!("highlights" in CSS)) return;
  const query = pattern(wish, "giu");
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
 * The row of a sentence.
 * @param {number} sentence
 */
function rowContent(sentence) {
  const isDifference = wish.sort === "systems" || wish.sort === "metrics";
  const text = wish.system
    ? systemText(sentence, wish.system)
    : [results.sentences.source[sentence]];
  const value = keys[sentence];
  return [
    make("span", { class: "row-number" }, String(sentence + 1)),
    make("span", { class: "row-text", dir: "auto", translate: "no" }, ...text),
    make("span", { class: "row-value" }, isDifference ? printSigned(value) : printScore(value)),
  ];
}

/** How many gold edits the types have, for the choice of types.
 * @returns {[string, string][]} */
function typeOptions() {
  const counts = results.sentences.types.map(() => 0);
  for (const readings of results.sentences.gold) {
    for (const [, edits] of readings) for (const [, , , type] of edits) counts[type]++;
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
const systemOptions = () => results.systems.map((name) => [name, name]);

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
  control("filter-system", [["", "any"], ...systemOptions()], (value) => (wish.system = value));
  control("filter-type", typeOptions(), (value) => (wish.type = Number(value)));
  control("filter-outcome", OUTCOME_OPTIONS, (value) => (wish.outcome = value));
  control("score-metric", metricOptions(), (value) => (wish.metric = value));
  control("sort-system-a", systemOptions(), (value) => (wish.a = value));
  control("sort-system-b", systemOptions(), (value) => (wish.b = value));
  control("sort-metric-other", metricOptions(), (value) => (wish.other = value));
  /** @type {[Wish["sort"], string][]} */
  const sorts = [
    ["number", "number"],
    ["score", "score"],
    ["systems", "difference of two systems"],
    ["metrics", "difference of two metrics"],
  ];
  const possible = sorts.filter(
    ([name]) =>
      (name !== "systems" || results.systems.length > 1) &&
      (name !== "metrics" || results.metrics.length > 1),
  );
  control("sort", possible, (value) => {
    wish.sort = /** @type {Wish["sort"]} */ (value);
    wish.descending = value === "systems" || value === "metrics";
  });
  byId("sort-order").addEventListener("click", () => {
    wish.descending = !wish.descending;
    refresh();
  });
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  let timer = 0;
  search.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      wish.search = search.value;
      refresh();
    }, 80);
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
