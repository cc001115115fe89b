// The table of the queries on the Compare page: shades, links, and the query that is marked.
(function () {
  const GRID = "#queries-grid";
  const h = (...parts) => window.React.createElement(...parts);

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // From the background to a third of the way to ink: text on it stays readable in both schemes.
    heat(value, low, high) {
      if (value === null || value === undefined || !(high > low)) return {};
      const share = Math.round((100 / 3) * ((value - low) / (high - low)));
      return { backgroundColor: `color-mix(in srgb, var(--ink) ${share}%, transparent)` };
    },
    // Whether a run's value is the best of its row, and some other is not.
    isBest(params, better) {
      const values = Object.entries(params.data)
        .filter(([field, value]) => field.startsWith("run_") && value !== null)
        .map(([, value]) => value);
      const low = Math.min(...values);
      const high = Math.max(...values);
      return low < high && params.value === (better === "max" ? high : low);
    },
  });

  window.dashAgGridComponentFunctions = Object.assign({}, window.dashAgGridComponentFunctions, {
    ComparedQuery(props) {
      const href = props.before + props.data.part + props.after;
      return h("a", { href, tabIndex: -1, className: "query-link" }, h("bdi", null, props.value));
    },
  });

  const linkOf = (row) => {
    const id = CSS.escape(row.getAttribute("row-id"));
    return document.querySelector(`${GRID} .ag-row[row-id="${id}"] a.query-link`);
  };
  document.addEventListener("click", (event) => {
    const row = event.target.closest?.(`${GRID} .ag-row`);
    if (!row || event.target.closest("a") || String(window.getSelection())) return;
    const link = linkOf(row);
    if (link) window.dash_clientside.evalstore.choose({ query: link.textContent });
  });
  document.addEventListener("keydown", (event) => {
    const row = event.key === "Enter" && event.target.closest?.(`${GRID} .ag-row`);
    if (row) linkOf(row)?.click();
  });
})();
