// Start the page for other sites.

startPage();
explainScores();
startMatrix(null);
