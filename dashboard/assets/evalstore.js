// The code that only runs in the browser: addresses, the tab's title, the colour scheme, the
// notices of failed requests, the grids' cells.
(function () {
  const root = document.documentElement;
  const attribute = "data-mantine-color-scheme";
  const scheme = () => (root.getAttribute(attribute) === "dark" ? "dark" : "light");
  let reported = null;

  // Detects scroll bars that float above the content and take no space, as on phones and on macOS.
  // AG Grid then has floating ones of its own, which cover the last row and column, and which it
  // shows and fades for half a second when a grid is made, even without scrolling. With this class,
  // a rule of evalstore.css puts them beside the rows, like scroll bars that take space.
  const probe = document.createElement("div");
  Object.assign(probe.style, { overflow: "scroll", position: "absolute", width: "50px", height: "50px" });
  root.append(probe);
  root.classList.toggle("has-floating-bars", probe.offsetWidth === probe.clientWidth);
  probe.remove();

  // Addresses. Everything that is chosen on a page is in its address, from which the server renders
  // the page. Only links, controls and the code below change the address.
  let onScreen = null; // the address for which the page on the screen was rendered
  let defaults = {}; // values of parameters that an address leaves out
  const here = () => window.location.pathname + window.location.search;
  const pathOf = (address) => address.split("?")[0];
  const searchOf = (address) => address.split("?")[1] ?? "";
  // Changes that the back button should not undo one by one.
  const small = new Set([
    "sort", "find", "order", "text", "show", "open", "of", "least", "most", "curves", "rank", "slice",
  ]);

  // Set until the page on the screen belongs to the address.
  const showLoading = () => {
    if (onScreen !== null) root.classList.toggle("is-loading", onScreen !== here());
  };

  const navigate = (href, replace) => {
    if (href === here()) return;
    const leaves = pathOf(href) !== pathOf(here());
    window.history[replace ? "replaceState" : "pushState"]({}, "", href);
    showLoading();
    if (leaves) window.scrollTo(0, 0);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  };

  const encoded = (value) =>
    (Array.isArray(value) ? value : [value ?? ""])
      .filter((text) => text !== "")
      .map((text) => encodeURIComponent(text))
      .join(",");

  // The parameters of an address, still encoded.
  const parametersOf = (search) => {
    const pairs = search.replace(/^\?/, "").split("&").filter(Boolean);
    return new Map(
      pairs.map((pair) => {
        const [name, ...rest] = pair.split("=");
        return [decodeURIComponent(name), rest.join("=")];
      }),
    );
  };
  const decoded = (text) => decodeURIComponent((text ?? "").replaceAll("+", " "));
  // The values of a list parameter of the address.
  const parameter = (name) =>
    (parametersOf(searchOf(here())).get(name) ?? "").split(",").filter(Boolean).map(decoded);
  // The form of a value in an address: left out if it is the default.
  const wantedText = (name, value) => {
    const text = encoded(value);
    return text === encoded(defaults[name]) ? "" : text;
  };

  // Write parameters to the address; null, "" and the default are left out.
  const choose = (chosen) => {
    const now = parametersOf(searchOf(here()));
    const changed = [];
    for (const [name, value] of Object.entries(chosen)) {
      const wanted = wantedText(name, value);
      if (decoded(now.get(name)) === decoded(wanted)) continue;
      changed.push(name);
      if (wanted) now.set(name, wanted);
      else now.delete(name);
    }
    if (!changed.length) return;
    // Another order or filter of a table begins with the first rows.
    if (["find", "least", "most", "of", "sort"].some((name) => name in chosen)) now.delete("from");
    const search = [...now].map(([name, text]) => `${encodeURIComponent(name)}=${text}`).join("&");
    const replace = changed.every((name) => small.has(name));
    navigate(pathOf(here()) + (search && `?${search}`), replace);
  };

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.("a[href]");
    if (!link || link.target || link.hasAttribute("download")) return;
    const href = link.getAttribute("href");
    if (!href.startsWith("/") || href.startsWith("//")) return;
    event.preventDefault();
    // A link that changes a choice on this page keeps the other current choices.
    if (link.dataset.choose) choose(JSON.parse(link.dataset.choose));
    else navigate(href);
  });
  window.addEventListener("popstate", () => {
    // If the user goes back before the answer has come, the controls already show the new choice.
    // Only a page that is rendered anew resets them, since nothing else on the screen has changed.
    if (root.classList.contains("is-loading"))
      window.dash_clientside.set_props("rendered", { data: null });
    showLoading();
  });

  // As `encoded_part` of address.py: browsers and servers read some names as folders.
  const encodedPart = (name) => {
    if (/^\.{1,2}$/.test(name)) return encodeURIComponent(name.replaceAll(".", "%2E"));
    const once = encodeURIComponent(name);
    return /\/|%(25)*2F|^(%(25)*2E){1,2}$/i.test(name) ? encodeURIComponent(once) : once;
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    evalstore: {
      navigate,
      choose,
      parameter,
      title(text) {
        if (text) document.title = text;
      },
      scheme() {
        if (reported === scheme()) return window.dash_clientside.no_update;
        reported = scheme();
        return reported;
      },
      menu(opened, navbar) {
        // A closed menu is off the screen: Tab must not reach its links.
        root.classList.toggle("is-menu-open", opened);
        return [{ ...navbar, collapsed: { desktop: true, mobile: !opened } }, String(opened)];
      },
      rendered(page, changes) {
        if (!page) return;
        for (const [id, properties] of changes ?? [])
          window.dash_clientside.set_props(id, properties);
        onScreen = page.asked;
        defaults = page.defaults || {};
        if (onScreen !== here()) return;
        root.classList.remove("is-loading");
        document.dispatchEvent(new CustomEvent("evalstore:shown"));
        for (const [control, value] of Object.entries(page.controls ?? {}))
          if (document.getElementById(JSON.stringify({ control })))
            window.dash_clientside.set_props({ control }, { value });
      },
      redirect(href) {
        if (href) navigate(href, true);
      },
      collection(href) {
        if (href && onScreen === here() && href !== window.location.pathname) navigate(href);
      },
      // A point of a figure links to an address, or changes a choice on the page: the last item of
      // its customdata is an address or parameters. In a histogram it is the id of a query, whose
      // page opens.
      follow() {
        const { triggered, triggered_id: graph } = window.dash_clientside.callback_context;
        const data = graph && triggered[0].value?.points?.[0]?.customdata;
        const target = Array.isArray(data) ? data.at(-1) : data;
        if (typeof target !== "string") return;
        if (graph.graph === "histogram" || graph.graph === "median") {
          const { before, after } = document.querySelector("#page .leads-to-queries").dataset;
          const chosen = ["m", "pair"].flatMap((name) =>
            parameter(name).map((text) => `&${name}=${encodeURIComponent(text)}`),
          );
          navigate(before + encodedPart(target) + after + chosen.join(""));
        } else if (target.startsWith("/")) navigate(target);
        else if (target.startsWith("{")) choose(JSON.parse(target));
      },
      // With many curves, the one that is pointed at stands out; with few, each has a band.
      dim() {
        const { triggered, triggered_id: graph } = window.dash_clientside.callback_context;
        const figure = graph && document.querySelector("#page .dims .js-plotly-plot");
        if (!figure || figure.layout.showlegend || graph.graph !== "curves") return;
        const curve = figure.data[triggered[0].value?.points?.[0]?.curveNumber];
        const opacity = figure.data.map(({ name }) => (!curve || name === curve.name ? 1 : 0.2));
        window.Plotly.restyle(figure, { opacity });
      },
      // A control reports its value when a user changes it, and when it appears; then the value
      // belongs to the page on the screen. A choice made while another view of the page loads
      // counts; a choice on a page that the user has left does not.
      control() {
        if (onScreen === null) return;
        if (pathOf(onScreen) !== pathOf(here())) return;
        const shown = parametersOf(searchOf(onScreen));
        const chosen = {};
        // Controls that appear report together, possibly with a choice that a user makes meanwhile.
        for (const { prop_id: id, value } of window.dash_clientside.callback_context.triggered) {
          const { control } = JSON.parse(id.slice(0, id.lastIndexOf(".")) || "{}");
          if (control === "add" && value) {
            const runs = parameter("runs");
            chosen.runs = [...(runs.length ? runs : (defaults.runs ?? [])), value];
          } else if (control && control !== "add") {
            const text = wantedText(control, value);
            if (decoded(shown.get(control)) !== decoded(text)) chosen[control] = value;
          }
        }
        choose(chosen);
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

  // Paper is white, so printed pages are light whatever the scheme of the screen.
  window.addEventListener("beforeprint", () => {
    printing = true;
    root.setAttribute(attribute, "light");
  });
  window.addEventListener("afterprint", () => {
    if (reported !== null) root.setAttribute(attribute, reported);
    window.setTimeout(() => (printing = false), 0);
  });

  // When a request of a control fails, the page still shows the old figures under the new labels.
  // It is then hidden, and a notice gives the reason. If there was no answer at all, this file is
  // requested until it arrives, and then the page loads again.
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
      if (response.ok || response.status === 401) return window.location.reload();
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
      // The status that a proxy returns while the dashboard behind it is down.
      if ([502, 503, 504].includes(response.status)) connectionLost();
      // The session has ended: the server shows the login, and then returns to this address.
      else if (response.status === 401) window.location.reload();
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

  const naturally = new Intl.Collator("en", { numeric: true });

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    plainValue: valueText,
    countOf(value, all) {
      return `${valueText(value, true)} of ${valueText(all, true)}`;
    },
    // Natural order: q2 before q10; missing values come last in both directions.
    natural(one, other, rowOfOne, rowOfOther, isDescending) {
      const [noOne, noOther] = [one, other].map((text) => text === null || text === undefined);
      if (noOne || noOther) return (noOne - noOther) * (isDescending ? -1 : 1);
      return naturally.compare(one, other);
    },
    // Tab skips the cells: Enter opens the link of the one that was reached by arrow keys.
    openLink({ event }) {
      if (event.key === "Enter") event.target.closest(".ag-cell")?.querySelector("a[href]")?.click();
    },
    // The order chosen in a header is in the address, in the notation of its column.
    keepOrder({ api, source }) {
      if (source !== "uiColumnSorted") return;
      const { colId, sort } = api.getColumnState().find((column) => column.sort) ?? {};
      choose({ sort: sort ? api.getColumn(colId).getColDef().context[sort] : "" });
    },
    signedValue(value, counts) {
      if (value === null || value === undefined) return "–";
      const size = Math.abs(value);
      // Values that four decimals would show as 0 get more, like wording.difference in Python.
      const hidden = !counts && size > 0 && size < 0.00005;
      const text = hidden ? size.toFixed(1 - Math.floor(Math.log10(size))) : valueText(size, counts);
      return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
    },
  });

  // Tab leaves a grid; the arrow keys move inside it.
  window.dashAgGridFunctions.leaveGrid = () => false;

  window.dashMantineFunctions = Object.assign({}, window.dashMantineFunctions, {
    // The typed text is searched in names and titles. The measure that the server finds for it
    // comes first (selects.js), then exact names, then names that begin with it.
    exactFirst({ options, search, limit }) {
      const wanted = search.trim().toLowerCase();
      if (!wanted) return options.slice(0, limit);
      const rank = ({ value, title, means }) => {
        const name = value.toLowerCase(); // a label can be shortened
        if (means === wanted || name === wanted) return means === wanted ? -1 : 0;
        if (name.startsWith(wanted)) return 1;
        if (name.includes(wanted)) return 2;
        return (title ?? "").toLowerCase().includes(wanted) ? 3 : 4;
      };
      const ranked = options.map((option, position) => [rank(option), position, option]);
      return ranked
        .filter(([place]) => place < 4)
        .sort((one, other) => one[0] - other[0] || one[1] - other[1])
        .slice(0, limit)
        .map(([, , option]) => option);
    },
    // A measure in a list: its name and its full title.
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
