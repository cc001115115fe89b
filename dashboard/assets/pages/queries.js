// The grid of the Queries page: cells that link to a query, coloured by their value.
(function () {
  const narrow = 768; // CSS pixels, as in evalstore.css
  const strip = 28;
  const STEPS = 10;

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // The step of the ramp from surface to ink for a value between low and high.
    heatClass(value, low, high) {
      if (value === null || value === undefined) return "heat-cell";
      const share = high > low ? (value - low) / (high - low) : 0;
      return `heat-cell heat-${Math.round(STEPS * Math.min(1, Math.max(0, share)))}`;
    },
    // The filters of the headers are in the address, as dashboard/pages/queries/load.py reads them.
    keepFilters({ api, source }) {
      if (source !== "columnFilter") return;
      const [least, most] = [[], []];
      for (const [name, { type, filter, filterTo }] of Object.entries(api.getFilterModel())) {
        if (type !== "lessThanOrEqual") least.push(`${name}~${filter}`);
        if (type !== "greaterThanOrEqual") most.push(`${name}~${filterTo ?? filter}`);
      }
      window.dash_clientside.evalstore.choose({ least, most });
    },
    // On a phone: the query, the difference if one is shown or else the median, and a strip of
    // cells; the query's page has the values.
    asStrips({ api }) {
      const columns = api.getColumns() ?? [];
      const runs = columns.filter((column) => column.getColId().startsWith("run:"));
      const isDone = runs.every((column) => column.getActualWidth() === strip);
      if (window.innerWidth > narrow || isDone) return;
      const value = api.getColumn("difference") ? "difference" : "median";
      const rest = ["text", "rel", "median", "spread"].filter((name) => name !== value);
      api.setColumnsVisible(rest, false);
      api.updateGridOptions({ headerHeight: 140, rowHeight: 40 });
      api.resetRowHeights();
      const widths = runs.map((column) => ({ key: column.getColId(), newWidth: strip }));
      const id = api.getColumn("text") ? 132 : 72;
      widths.push({ key: "qid", newWidth: id }, { key: value, newWidth: value === "median" ? 66 : 80 });
      api.setColumnWidths(widths);
    },
  });

  window.dashAgGridComponentFunctions = Object.assign({}, window.dashAgGridComponentFunctions, {
    // Tab skips the cells: Enter opens the one that was reached by arrow keys.
    QueryLink(props) {
      const text = props.valueFormatted ?? props.value;
      const href = `${props.before}${props.data.href}${props.after}`;
      const label = { href, tabIndex: -1, title: `${props.data.qid}: ${text}` };
      const parts = [React.createElement("bdi", { key: "text" }, text)];
      const hasNoColumn = window.innerWidth <= narrow && props.colDef.field === "qid";
      if (hasNoColumn && props.data.text) {
        const words = { key: "words", className: "query-words hint", dir: "auto" };
        parts.push(React.createElement("small", words, props.data.text));
      }
      return React.createElement("a", label, parts);
    },
    RunHeader(props) {
      const mark = { className: props.mark, "aria-hidden": "true" };
      const isLong = props.displayName.length > 18;
      return React.createElement(
        "span",
        { className: "engine run-header", title: props.displayName },
        React.createElement("span", mark),
        React.createElement("bdi", { className: isLong ? "long" : "" }, props.displayName),
      );
    },
  });
})();
