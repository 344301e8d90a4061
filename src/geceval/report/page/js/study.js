// Start the page of a study.

startPage();
