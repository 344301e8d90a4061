// Start the page for other sites.

startPage();
drawIntervals();
startMatrix(null);
