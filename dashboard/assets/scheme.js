// In the head, before the first paint: the colour scheme that was chosen here before, or the
// system's. Mantine keeps the choice under this key and sets this attribute, but only once it runs.
(function () {
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
})();
