// Start the report.

startPage();
drawIntervals();
startTypes();
startSlices();
startVersus();
startFrequent();
startBrowser();
