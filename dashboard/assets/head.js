// In the head, before anything is drawn.
(function () {
  // The colour scheme that was chosen here before, or the system's. Mantine keeps the choice under
  // this key and sets this attribute, but only once it runs.
  let chosen = null;
  try {
    chosen = window.localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // No storage (a private window): the system's.
  }
  const dark =
    chosen === "dark" ||
    (chosen !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");

  // The path before all paths of this server, for scripts; "" for none.
  // The kind of the first page, for what fills its place until it is there: see evalstore.css.
  const { plotly, prefix } = document.currentScript.dataset;
  document.documentElement.dataset.prefix = prefix;
  const [, first, , kind] = window.location.pathname.slice(prefix.length).split("/");
  document.documentElement.dataset.page = (first === "c" ? kind || "leaderboard" : first) || "home";

  // Dash loads plotly.js when the first figure appears, from the address that it writes into this
  // property. It is always read as ours: a smaller bundle, at an address with its version.
  Object.defineProperty(window, "_dashPlotlyJSURL", { get: () => plotly, set() {} });
})();
