// The rows of the Compare page: a click marks a query, or chooses the pair.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a") || String(window.getSelection())) return;
  const row = event.target.closest?.(".query-table tbody tr");
  if (row) window.dash_clientside.evalstore.choose({ query: row.dataset.query });
  // As the link of the row does, which the keyboard can reach.
  event.target.closest?.(".run-table tbody tr")?.querySelector("a.row-action")?.click();
});
