// What only the browser can do: the tab's title, the colour scheme, the grids' filters and cells.
(function () {
  const root = document.documentElement;
  const attribute = "data-mantine-color-scheme";
  const scheme = () => (root.getAttribute(attribute) === "dark" ? "dark" : "light");
  let reported = null;

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    evalstore: {
      title(text) {
        if (text) document.title = text;
      },
      scheme() {
        if (reported === scheme()) return window.dash_clientside.no_update;
        reported = scheme();
        return reported;
      },
      menu(opened, navbar) {
        return { ...navbar, collapsed: { desktop: true, mobile: !opened } };
      },
      quickFilter(text, grid) {
        window.dash_ag_grid
          .getApiAsync(grid)
          .then((api) => api.setGridOption("quickFilterText", text || ""));
      },
    },
  });

  // The scheme changes by the switch, by the system, or in another tab; the pictures are told.
  let printing = false;
  new MutationObserver(() => {
    if (printing || reported === null || reported === scheme()) return;
    reported = scheme();
    window.dash_clientside.set_props("scheme", { data: reported });
  }).observe(root, { attributes: true, attributeFilter: [attribute] });

  // Paper is white: what is printed is light, whatever is on the screen.
  window.addEventListener("beforeprint", () => {
    printing = true;
    root.setAttribute(attribute, "light");
  });
  window.addEventListener("afterprint", () => {
    if (reported !== null) root.setAttribute(attribute, reported);
    window.setTimeout(() => (printing = false), 0);
  });

  const valueText = (value, counts) => {
    if (value === null || value === undefined) return "–";
    return counts ? value.toLocaleString("en-US") : value.toFixed(4);
  };

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    plainValue: valueText,
    signedValue(value, counts) {
      if (value === null || value === undefined) return "–";
      const text = valueText(Math.abs(value), counts);
      return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
    },
  });

  // A value, and for who can't see that it is bold, the word "best". Text nodes only.
  window.dashAgGridComponentFunctions = Object.assign({}, window.dashAgGridComponentFunctions, {
    MeasureValue(props) {
      const text = props.valueFormatted ?? props.value;
      const best = props.data && props.data[`${props.colDef.field}_best`];
      if (!best) return React.createElement("span", null, text);
      return React.createElement(
        "span",
        { title: "best" },
        text,
        React.createElement("span", { className: "visually-hidden" }, " (best)"),
      );
    },
  });

  // A measure in a list: its name, and what it is called in full.
  window.dashMantineFunctions = Object.assign({}, window.dashMantineFunctions, {
    measureOption({ option }) {
      return React.createElement(
        "span",
        { className: "measure-option", title: option.help },
        React.createElement("span", { className: "measure-name" }, option.label),
        React.createElement("span", { className: "measure-title" }, option.title),
      );
    },
  });
})();
