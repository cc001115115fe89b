// The table of the queries on the Compare page: shades, links, and the marked query.
(function () {
  const NARROW = 620; // window width in pixels below which figures come first
  const fitted = new WeakSet(); // the grids that adjust themselves
  const GRID = "#queries-grid";
  const h = (...parts) => window.React.createElement(...parts);

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // From the background up to a third of the way to ink: text on it is readable in both schemes.
    heat(value, low, high) {
      if (value === null || value === undefined || !(high > low)) return {};
      const share = Math.round((100 / 3) * ((value - low) / (high - low)));
      return { backgroundColor: `color-mix(in srgb, var(--ink) ${share}%, transparent)` };
    },
    // If there is little space, figures come first: the difference beside the query, the text last.
    comparedFit({ api }) {
      if (fitted.has(api)) return;
      fitted.add(api);
      const fit = () => {
        if (window.innerWidth >= NARROW || api.isDestroyed()) return;
        const ids = api.getColumns().map((column) => column.getColId());
        const order = [...ids.filter((id) => id !== "text"), ...ids.filter((id) => id === "text")];
        const widths = { qid: 72, difference: 128, text: 240 };
        const state = order.map((colId) => ({ colId, width: widths[colId] ?? 92, flex: null }));
        api.applyColumnState({ state, applyOrder: true });
      };
      // For another pair, the server sends columns in its own order.
      api.addEventListener("newColumnsLoaded", () => window.setTimeout(fit, 0));
      fit();
    },
    // Whether a run's value is the best of its row, and another value is worse.
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
  // Clicking a row of the runs chooses the pair, like its link, which the keyboard can reach.
  document.addEventListener("click", (event) => {
    if (event.target.closest("a") || String(window.getSelection())) return;
    event.target.closest?.(".run-table tbody tr")?.querySelector("a.row-action")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const row = event.key === "Enter" && event.target.closest?.(`${GRID} .ag-row`);
    if (row) linkOf(row)?.click();
  });
})();
