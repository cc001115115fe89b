// This runs in the head, before anything is drawn.
(function () {
  // The colour scheme that was chosen here before, or the system's. Mantine stores the choice under
  // this key and sets this attribute, but only once it runs.
  let chosen = null;
  try {
    chosen = window.localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // No storage (a private window): use the system's scheme.
  }
  const dark =
    chosen === "dark" ||
    (chosen !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");

  // The prefix of all paths of this server, for scripts; "" for none. And the kind of the first
  // page, for the placeholder until it is there: see evalstore.css.
  const { plotly, prefix, page } = document.currentScript.dataset;
  document.documentElement.dataset.prefix = prefix;
  const { origin, pathname, search } = window.location;
  const [, first, , kind] = pathname.slice(prefix.length).split("/");
  const shown = (first === "c" ? kind || "leaderboard" : first) || "home";
  document.documentElement.dataset.page = shown;

  // Dash loads plotly.js when the first figure appears, from the address that it writes to this
  // property. Reading it always returns our address: a smaller bundle, with its version in the
  // address.
  Object.defineProperty(window, "_dashPlotlyJSURL", { get: () => plotly, set() {} });

  // Dash resizes each new figure to its container, for which it was just drawn: plotly.js would
  // wait for 100 ms and draw it again. Nothing is done if the drawing already has the right size.
  let library;
  const fits = (figure) => {
    const drawing = figure.querySelector(".main-svg")?.getBoundingClientRect();
    const place = figure.getBoundingClientRect();
    const differs = (side) => Math.abs(drawing[side] - place[side]) > 1;
    return drawing?.width > 0 && !differs("width") && !differs("height");
  };
  Object.defineProperty(window, "Plotly", {
    get: () => library,
    set(value) {
      library = value; // at first a promise of the library
      const resize = value?.Plots?.resize;
      if (resize) value.Plots.resize = async (figure) => (fits(figure) ? figure : resize(figure));
    },
  });

  // The requests that Dash sends after its scripts have run are sent while these load; early.js
  // passes the answers on.
  const ask = async (path, options) => {
    const headers = { Accept: "application/json", "Content-Type": "application/json" };
    try {
      return await fetch(prefix + path, { ...options, headers });
    } catch {
      return null; // Dash then asks itself, and the page says that there is no connection.
    }
  };
  const body = JSON.parse(page);
  const values = { pathname, search, data: dark ? "dark" : "light" };
  for (const one of body.inputs) one.value = values[one.property];
  window.firstAnswers = {
    "/_dash-layout": ask("/_dash-layout"),
    "/_dash-dependencies": ask("/_dash-dependencies"),
    page: { body, answer: ask("/_dash-update-component", { method: "POST", body: JSON.stringify(body) }) },
  };

  // The scripts of grids and figures, normally loaded when the first one appears, are loaded now
  // too: whoever loads them later uses an existing script element with the same address.
  const load = (src) => {
    const script = document.createElement("script");
    script.src = src;
    document.head.append(script);
    return script;
  };
  const suites = `${origin}${prefix}/_dash-component-suites`;
  const hasGrid = shown === "queries" || (shown === "leaderboard" && !/[?&]view=/.test(search));
  if (hasGrid) load(`${suites}/dash_ag_grid/async-community.js`);
  if (["compare", "history", "run"].includes(shown)) {
    load(`${suites}/dash/dcc/async-graph.js`);
    // Dash waits for this promise instead of the script, which then replaces it.
    window.Plotly = new Promise((resolve, reject) => {
      Object.assign(load(plotly), { onload: resolve, onerror: reject });
    });
    window.Plotly.catch(() => (window.Plotly = undefined)); // Dash tries again
  }
})();
