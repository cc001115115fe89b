"use strict";
// Draws the figures, and makes the table of queries sortable and filterable.
(async () => {
  const read = (id, reviver) => JSON.parse(document.getElementById(id).textContent, reviver);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const [templates, colours] = [read("templates"), read("colours")];
  const config = {
    responsive: true, displaylogo: false, modeBarButtons: [["toImage"]], displayModeBar: "hover",
  };

  const loadPlotly = async () => {
    const packed = atob(document.getElementById("plotly").textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };

  const draw = (place, scheme, width) => {
    const swap = (_, value) =>
      scheme === "dark" && typeof value === "string" && Object.hasOwn(colours, value)
        ? colours[value] : value;
    const { data, layout } = read(`figure-${place.dataset.figure}`, swap);
    place.style.minHeight = `${layout.height ?? 380}px`;
    return Plotly.react(
      place, data, { ...layout, template: templates[scheme], ...(width ? { width } : {}) }, config,
    );
  };
  const places = () => document.querySelectorAll("[data-figure]");
  const drawAll = () => places().forEach((place) => draw(place, dark.matches ? "dark" : "light"));

  try {
    await loadPlotly();
    drawAll();
    dark.addEventListener("change", drawAll);
    addEventListener("beforeprint", () => places().forEach((place) => draw(place, "light", 640)));
    addEventListener("afterprint", drawAll);
  } catch (error) {
    places().forEach((place) => {
      place.textContent = `The figure can't be drawn: ${error.message}`;
    });
  }

  if (!document.getElementById("queries")) return;
  const { runs, pairs, measures, qids, texts, values } = read("queries");
  const control = (name) => document.getElementById(name);
  const [table, more] = [control("per-query"), control("more")];
  const state = { column: 0, descending: false, all: false };
  const FIRST = 200;

  const number = (value, counts) => {
    if (value === null) return "–";
    if (!counts) return value.toFixed(4);
    return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(1);
  };
  const signed = (value, counts) => {
    if (value === null) return "–";
    const text = number(Math.abs(value), counts);
    return value === 0 ? text : (value > 0 ? "+" : "−") + text;
  };

  const columns = () => {
    const { name, counts } = measures[Number(control("measure").value)];
    const [run, baseline] = pairs[Number(control("pair").value)];
    const [a, b] = [values[name][run], values[name][baseline]];
    const difference = a.map((value, row) => {
      const other = b[row];
      return value === null || other === null ? null : Math.round((value - other) * 1e9) / 1e9;
    });
    const plain = (value) => number(value, counts);
    return [
      { title: "Query", of: qids, kind: "text", text: String },
      ...(texts ? [{ title: "Text", of: texts, kind: "text wide", text: (t) => t ?? "" }] : []),
      { title: "Difference", of: difference, kind: "", text: (value) => signed(value, counts) },
      { title: runs[run], of: a, kind: "", text: plain },
      { title: runs[baseline], of: b, kind: "", text: plain },
    ];
  };

  // Queries are stored in their natural order, so sorting by id keeps that order.
  const order = (column, rows) => {
    const turn = state.descending ? -1 : 1;
    if (state.column === 0) return state.descending ? rows.reverse() : rows;
    const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y) : x - y);
    return rows.sort((x, y) => {
      const [a, b] = [column.of[x], column.of[y]];
      if (a === null || b === null) return (a === null) - (b === null);
      return turn * compare(a, b) || x - y;
    });
  };

  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const show = () => {
    const shown = columns();
    const words = control("find").value.toLowerCase();
    const matches = (row) =>
      qids[row].toLowerCase().includes(words) || (texts?.[row] ?? "").toLowerCase().includes(words);
    const rows = order(shown[state.column], qids.map((_, row) => row).filter(matches));
    const head = element("tr");
    shown.forEach((column, index) => {
      const cell = element("th", undefined, column.kind);
      const arrow = index !== state.column ? "" : state.descending ? " ▾" : " ▴";
      const button = element("button", column.title + arrow);
      button.type = "button";
      button.addEventListener("click", () => {
        // Numbers are first sorted from the highest.
        const again = index === state.column;
        state.descending = again ? !state.descending : column.kind === "";
        state.column = index;
        show();
        table.querySelectorAll("th button")[index].focus();
      });
      cell.scope = "col";
      if (arrow) cell.ariaSort = state.descending ? "descending" : "ascending";
      cell.append(button);
      head.append(cell);
    });
    const body = rows.slice(0, state.all ? undefined : FIRST).map((row) => {
      const line = element("tr");
      line.append(...shown.map((c) => element("td", c.text(c.of[row]), c.kind)));
      return line;
    });
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...body);
    more.hidden = body.length === rows.length;
    more.textContent = `Show all ${rows.length.toLocaleString("en")} queries`;
    control("count").textContent =
      `${rows.length.toLocaleString("en")} of ${qids.length.toLocaleString("en")} queries`;
  };

  const showPair = () => {
    const place = control("differences");
    if (place) {
      const pair = control("pair");
      place.dataset.figure = `pair-${pair.value}`;
      const { caption } = read("captions")[Number(pair.value)];
      place.nextElementSibling?.replaceChildren(caption);
      place.setAttribute("aria-label", caption);
      if (window.Plotly) draw(place, dark.matches ? "dark" : "light");
    }
    show();
  };
  control("pair").addEventListener("change", showPair);
  control("measure").addEventListener("change", show);
  control("find").addEventListener("input", show);
  more.addEventListener("click", () => {
    state.all = true;
    show();
  });
  show();
})();
