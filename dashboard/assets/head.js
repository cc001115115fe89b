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
  const { plotly, prefix } = document.currentScript.dataset;
  document.documentElement.dataset.prefix = prefix;
  const [, first, , kind] = window.location.pathname.slice(prefix.length).split("/");
  const shown = (first === "c" ? kind || "leaderboard" : first) || "home";
  document.documentElement.dataset.page = shown;

  // Dash loads plotly.js when the first figure appears, from the address that it writes to this
  // property. Reading it always returns our address: a smaller bundle, with its version in the
  // address.
  Object.defineProperty(window, "_dashPlotlyJSURL", { get: () => plotly, set() {} });
})();
