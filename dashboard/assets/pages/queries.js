// The grid of the Queries page: cells that link to a query, coloured by their value.
(function () {
  const narrow = 768; // CSS pixels, as in evalstore.css
  const strip = 28;
  const STEPS = 10;
  const isOfPair = (colDef) => colDef.headerComponentParams?.isOfPair;

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // The step of the ramp from surface to ink for a value between low and high.
    heatClass({ value, colDef }, low, high) {
      const cell = `heat-cell${isOfPair(colDef) ? " of-pair" : ""}`;
      if (value === null || value === undefined) return cell;
      const share = high > low ? (value - low) / (high - low) : 0;
      return `${cell} heat-${Math.round(STEPS * Math.min(1, Math.max(0, share)))}`;
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
    // On a phone: the query, then median and spread; or, where the table has the difference of two
    // runs, their values and it (for one run its value alone). The other runs are a strip of cells:
    // the query's page has their values.
    asStrips({ api }) {
      const columns = api.getColumns() ?? [];
      const runs = columns.filter((column) => column.getColId().startsWith("run:"));
      const pair = runs.filter((column) => isOfPair(column.getColDef()));
      const difference = pair.length > 1 ? ["difference"] : [];
      const middle = ["median", "spread"].filter((name) => api.getColumn(name));
      const hidden = ["text", "rel", ...(pair.length ? middle : [])];
      const shown = pair.length ? difference : middle;
      const isVisible = (name) => api.getColumn(name)?.isVisible();
      const isDone = !hidden.some(isVisible) && shown.every((name) => isVisible(name));
      if (window.innerWidth > narrow || isDone) return;
      api.setColumnsVisible(hidden.filter((name) => api.getColumn(name)), false);
      api.setColumnsVisible(shown, true);
      api.moveColumns([...pair, ...shown], 1);
      api.updateGridOptions({ headerHeight: 140, rowHeight: api.getColumn("text") ? 52 : 40 });
      api.resetRowHeights();
      const width = (column) => (pair.includes(column) ? 56 : strip);
      const widths = runs.map((column) => ({ key: column.getColId(), newWidth: width(column) }));
      for (const name of shown) widths.push({ key: name, newWidth: name === "difference" ? 78 : 66 });
      widths.push({ key: "qid", newWidth: api.getColumn("text") ? 124 : 72 });
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
      const flag = { className: "flag", title: "Baseline" };
      const isLong = props.displayName.length > 18;
      return React.createElement(
        "span",
        { className: "engine run-header", title: props.displayName },
        props.isBaseline && React.createElement("span", flag, "⚑"),
        React.createElement("span", mark),
        React.createElement("bdi", { className: isLong ? "long" : "" }, props.displayName),
      );
    },
  });
})();
