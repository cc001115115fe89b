// The grid of the leaderboard: its cells, its keys, and the ticks, which are in the address.
(function () {
  const NARROW = 620; // window width in pixels below which the columns of `fit` come first
  const VALUES_ONLY = "Its figures came without rankings: there are no documents to look at";
  const h = (...parts) => React.createElement(...parts);
  const choose = (chosen) => window.dash_clientside.evalstore.choose(chosen);
  // The ticked runs, which are only stored in the address.
  const ticked = () => window.dash_clientside.evalstore.parameter("runs");

  let grid = null; // the API of the grid on the screen
  let begun = null; // the newest grid that has columns
  let asked = null; // the address to which its rows belong
  let known = null; // the claims about the rows
  let refreshed = null; // the claims for which rows were requested again
  let reach = 0; // the end of the axis of differences, in both directions; 0 without an axis
  const headers = new Set(); // functions that redraw the headers that claims change

  const showTicks = () => alive() && grid.refreshCells({ columns: ["tick"], force: true });
  document.addEventListener("evalstore:shown", showTicks);

  const tick = (name) => {
    const now = ticked();
    const without = now.filter((other) => other !== name);
    choose({ runs: without.length < now.length ? without : [...now, name] });
    showTicks();
  };

  // The claims have arrived: rows that were loaded before are requested again, with claims.
  const showClaims = () => {
    if (known === null || known.href !== asked) return;
    reach = known.axis?.reach ?? 0;
    grid.setGridOption("pinnedTopRowData", known.pinned);
    for (const draw of headers) draw(known);
    grid.refreshCells({ columns: ["interval"], force: true });
    refreshOld();
  };

  // Rows that were requested before the claims were known, and came after them.
  const refreshOld = () => {
    if (known === null || known.href !== asked) return;
    const old = [];
    grid.forEachNode((node) => {
      if (node.data && node.data.claims !== known.claims) old.push(node);
    });
    if (old.length && refreshed !== known) {
      refreshed = known;
      grid.refreshInfiniteCache();
    }
  };

  // If there is little space, what is claimed of each run comes first. The difference has its
  // interval and p in its cell.
  const claimsFirst = (api) => {
    if (window.innerWidth >= NARROW) return;
    const first = { tick: 24, rank: 30, run: 108, v0: 62, difference: 128 };
    const state = Object.entries(first).map(([colId, width]) => ({ colId, width }));
    const others = api.getColumns().map((column) => ({ colId: column.getColId() }));
    const last = others.filter(({ colId }) => !(colId in first) && colId !== "interval");
    api.applyColumnState({
      state: [...state, { colId: "interval", hide: true }, ...last],
      applyOrder: true,
    });
  };
  // The column of the run takes the space in which a column would be cut off at the edge.
  const fit = () => {
    claimsFirst(grid);
    const { left, right } = grid.getHorizontalPixelRange();
    let space = right - left;
    for (const column of grid.getAllDisplayedColumns()) {
      const width = column.getActualWidth();
      if (width > space) {
        const newWidth = grid.getColumn("run").getActualWidth() + space;
        if (column.getColId() !== "run") grid.setColumnWidths([{ key: "run", newWidth }]);
        return;
      }
      space -= width;
    }
  };

  // The columns of measures and their contents; v0 has the leading measure.
  const isMeasure = (column) => /^v\d+$/.test(column.getColId());
  const measureOf = (column) => column.getColDef().headerComponentParams.name;
  const gridId = "board-grid";
  let moved = null; // the measure whose column the keyboard moved

  const focusMoved = () => {
    const column = grid.getColumns().find((one) => isMeasure(one) && measureOf(one) === moved);
    moved = null;
    if (!column) return;
    grid.ensureColumnVisible(column);
    grid.setFocusedHeader(column);
  };

  const alive = () => grid !== null && !grid.isDestroyed();

  const board = {
    rows(data) {
      if (!data) return;
      const changed = asked !== null && asked !== data.href;
      asked = data.href;
      if (!changed || !alive()) return;
      grid.purgeInfiniteCache();
      if (grid.getDisplayedRowCount()) grid.ensureIndexVisible(0);
    },
    claims(data) {
      if (!data) return;
      board.rows(data); // a new page may have arrived with the same grid
      known = data;
      if (alive()) showClaims();
    },
  };
  window.dash_clientside = Object.assign({}, window.dash_clientside, { board });

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // The grid shows other rows; at first it is a new grid, which has its choices already.
    boardRows({ api }) {
      if (api.isDestroyed()) return; // rows that come after the page was left
      if (grid === api) return refreshOld();
      grid = api;
      asked = api.getGridOption("context").href;
      const fitLater = () => window.setTimeout(() => alive() && fit(), 0);
      grid.addEventListener("newColumnsLoaded", fitLater);
      grid.addEventListener("newColumnsLoaded", () => moved && window.setTimeout(focusMoved, 0));
      fitLater();
      showClaims();
    },
    // The first columns of a grid, before it has rows.
    boardColumns({ api }) {
      if (begun === api) return;
      begun = api;
      claimsFirst(api);
    },
    // The order of the measures is in the address. The first one leads: if a measure is moved
    // there, rows are sorted by it instead of the old one. Otherwise all columns stay.
    boardMoved({ api, column, finished, source }) {
      if (!finished || source !== "uiColumnMoved") return;
      const { columnDefs } = window.dash_component_api.getLayout(gridId).props;
      const state = columnDefs.map(({ colId }) => ({ colId }));
      const before = state.map(({ colId }) => api.getColumn(colId)).filter(isMeasure);
      const now = api.getAllGridColumns().filter(isMeasure);
      if (now.every((one, place) => one === before[place]))
        return api.applyColumnState({ state, applyOrder: true });
      if (document.activeElement?.closest(".ag-header")) moved = measureOf(column);
      const m = now.map(measureOf);
      choose(now[0] === before[0] ? { m } : { m, sort: "" });
    },
    // Space ticks the run of the row, B makes it the baseline, Enter opens it.
    boardKey({ event, data }) {
      if (!data || event.ctrlKey || event.metaKey || event.altKey) return false;
      if (event.key === " ") tick(data.run);
      else if (event.key === "b" || event.key === "B") choose({ base: data.run });
      else if (event.key === "Enter") window.dash_clientside.evalstore.navigate(data.href);
      else return false;
      event.preventDefault();
      return true;
    },
    // The hover texts of a value, and of the share of judged documents.
    reasonOfNone({ value, data, colDef }) {
      if (value === "–") return "No figure: the run lacks what the measure needs";
      return colDef.field === "v0" ? data?.hover : undefined;
    },
    reasonOfLittle({ data }) {
      return data?.little ? "Under 80 % judged: the figures may be too low" : undefined;
    },
  });

  // The claims; a header that uses them is redrawn when they arrive.
  const useClaims = () => {
    const [claims, draw] = React.useState(known);
    React.useEffect(() => {
      headers.add(draw);
      draw(known); // they may have arrived meanwhile
      return () => headers.delete(draw);
    }, []);
    return claims;
  };

  window.dashAgGridComponentFunctions = Object.assign({}, window.dashAgGridComponentFunctions, {
    BoardTick({ data }) {
      if (!data) return null;
      const label = `Choose ${data.run} for a comparison`;
      return h("input", {
        type: "checkbox",
        className: "board-tick",
        tabIndex: -1,
        checked: ticked().includes(data.run),
        "aria-label": label,
        onChange: () => tick(data.run),
      });
    },
    BoardRank({ data }) {
      if (!data) return null;
      return h(
        "span",
        { title: data.ranks ? `95 % interval of the rank: ${data.ranks}` : undefined },
        data.rank ?? "–",
        data.ranks && h("span", { className: "board-ranks" }, ` ${data.ranks}`),
      );
    },
    BoardRun({ data }) {
      if (!data) return null;
      const title = [data.run, data.engine && `engine ${data.engine}`, data.parameters]
        .filter(Boolean)
        .join("\n");
      return h(
        "span",
        { className: "engine", title },
        data.base && h("span", { className: "flag", title: "Baseline" }, "⚑"),
        h("span", { className: data.mark, "aria-hidden": true }),
        h(
          "a",
          { href: data.href, tabIndex: -1, "aria-label": data.run },
          h("bdi", { className: data.label ? "long" : "" }, data.label ?? data.run),
        ),
        data.values_only &&
          h("span", { className: "board-values", title: VALUES_ONLY }, "values only"),
      );
    },
    BoardLead({ data, value }) {
      if (!data) return null;
      const best = data.rank === 1;
      return h(
        "span",
        { className: best ? "board-best" : "" },
        value,
        best && h("span", { className: "visually-hidden" }, " (best)"),
      );
    },
    BoardDifference({ data }) {
      if (!data) return null;
      if (data.base) return h("span", { className: "board-base" }, "baseline");
      return h(
        "span",
        { className: `board-difference ${data.verdict ?? ""}`, title: data.about },
        data.difference ?? "",
        h("span", { className: "sign", "aria-label": data.verdict }, data.sign ?? ""),
        data.p && h("small", { className: "board-p" }, `p ${data.p}`),
        data.interval && h("small", null, words(data.interval)),
      );
    },
    BoardInterval({ data }) {
      if (!data?.interval || !reach) return h("span", { className: "strip" }, zero());
      const [low, middle, high] = data.interval.map((end) => 50 + (50 * end) / reach);
      const text = words(data.interval);
      return h(
        "span",
        { className: "strip", role: "img", "aria-label": text, title: text },
        zero(),
        h("span", {
          className: "strip-line",
          style: { left: `${low}%`, width: `${high - low}%` },
        }),
        h("span", { className: "strip-dot", style: { left: `${middle}%` } }),
      );
    },
    // A lane for each rank group: a line beside its runs, dotted beside others between them.
    BoardLines({ data, column }) {
      if (!data?.lines) return null;
      const width = Math.min(8, (column.getActualWidth() - 16) / data.lines.length);
      const kinds = { "|": "board-line", ":": "board-line passes" };
      const drawn = [...data.lines].map((part, lane) =>
        kinds[part] && h("span", { key: lane, className: kinds[part], style: { left: `${width * lane}px` } }),
      );
      return h(
        "span",
        { className: "board-lines" },
        drawn,
        h("span", { className: "visually-hidden" }, data.group),
      );
    },
    BoardGroups({ displayName, column }) {
      const { help } = column.getColDef().headerComponentParams;
      const left = useClaims()?.left_out;
      const more = left ? ` ${left} more groups have no place and are not drawn.` : "";
      return h("span", { title: help + more }, displayName);
    },
    // The axis shared by the intervals below: each label is above its value.
    BoardAxis() {
      const axis = useClaims()?.axis;
      if (!axis) return null;
      const label = (value, text) =>
        h("span", { key: text, style: { left: `${50 + (50 * value) / axis.reach}%` } }, text);
      return h("span", { className: "strip-axis" }, [
        label(-axis.value, `−${axis.text}`),
        label(0, "0"),
        label(axis.value, `+${axis.text}`),
      ]);
    },
    // A header that sorts: the order is in the address, and the server sorts.
    BoardSort({ displayName, column }) {
      const { name, first, now } = column.getColDef().headerComponentParams;
      const other = { desc: "asc", asc: "desc" };
      const next = now ? other[now] : first;
      const words = now ? `, sorted ${now === "desc" ? "descending" : "ascending"}` : "";
      return h(
        "button",
        {
          type: "button",
          tabIndex: -1,
          className: `board-sort ${now ? "now" : ""}`,
          onClick: () => choose({ sort: (next === "desc" ? "-" : "") + name }),
        },
        displayName,
        h("span", { className: "visually-hidden" }, words),
        now && h("span", { className: "board-order", "aria-hidden": true }, now === "desc" ? "▾" : "▴"),
      );
    },
  });

  const zero = () => h("span", { className: "strip-zero", key: "zero" });
  const signed = (value) =>
    window.dashAgGridFunctions.signedValue(value, false);
  const words = ([low, , high]) => `${signed(low)} to ${signed(high)}`;
})();
