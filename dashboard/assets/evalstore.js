// What only the browser can do: the tab's title, the colour scheme, the notices of failed requests,
// the grids' filters and cells.
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

  // The scheme changes by the switch, by the system, or in another tab; the figures follow.
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

  // When a request of a control fails, the page still shows the old figures under the new labels.
  // It is hidden then, and a notice says why. If there was no answer at all, this file is asked for
  // until it comes, and the page loads again.
  const send = window.fetch.bind(window);
  const ownAddress = document.currentScript.src;
  const waitMilliseconds = 2000;
  let waiting = false;
  let leaving = false;
  window.addEventListener("pagehide", () => (leaving = true));
  window.addEventListener("pageshow", () => (leaving = false));

  const loadAgainWhenAnswered = async () => {
    try {
      const response = await send(ownAddress, { method: "HEAD", cache: "no-store" });
      if (response.ok) return window.location.reload();
    } catch {
      // Still no connection.
    }
    window.setTimeout(loadAgainWhenAnswered, waitMilliseconds);
  };
  const connectionLost = () => {
    if (waiting || leaving) return;
    waiting = true;
    root.classList.add("is-lost");
    window.setTimeout(loadAgainWhenAnswered, waitMilliseconds);
  };

  window.fetch = async (resource, options) => {
    const { pathname } = new URL(resource.url ?? resource, window.location.href);
    if (!pathname.endsWith("/_dash-update-component")) return send(resource, options);
    try {
      const response = await send(resource, options);
      // What a proxy answers while the dashboard behind it is down.
      if ([502, 503, 504].includes(response.status)) connectionLost();
      else if (response.status >= 500) root.classList.add("is-failed");
      return response;
    } catch (error) {
      if (error.name !== "AbortError") connectionLost();
      throw error;
    }
  };

  const valueText = (value, counts) => {
    if (value === null || value === undefined) return "–";
    return counts ? value.toLocaleString("en-US") : value.toFixed(4);
  };

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    plainValue: valueText,
    countOf(value, all) {
      return `${valueText(value, true)} of ${valueText(all, true)}`;
    },
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
