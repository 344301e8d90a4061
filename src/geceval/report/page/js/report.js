// Start the report: the first screen at once, and all else when the sentences are decoded.

shownHeader = labelOf;
startPage();
explainScores();
startPeople();
startPrecision();

const loading = "DecompressionStream" in window ? loadSentences() : Promise.reject();

/** @type {typeof openVersus} */
const openLoaded = (...pair) => loading.then(() => openVersus(...pair));
startMatrix(results.systems.length > 1 ? openLoaded : null);

loading.then(() => {
  startCorrections();
  startTypes();
  startVersus();
  startSlices();
  startMetrics();
  startFrequent();
  startBrowser();
  document.documentElement.dataset.loaded = "yes";
  performance.mark("loaded");
}, () => {
  const note = "This browser is too old to show sentences and what is computed from them.";
  byId("main").prepend(make("p", { class: "note" }, note));
});
