// Start the report.

startPage();
drawIntervals();
startPeople();
startPrecision();
startCorrections();
startTypes();
startVersus();
startMatrix(results.systems.length > 1 ? openVersus : null);
startSlices();
startMetrics();
startFrequent();
startBrowser();
