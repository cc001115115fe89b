// What only the browser does: addresses, the tab's title, the colour scheme, the notices of failed
// requests, the grids' cells.
(function () {
  const root = document.documentElement;
  const attribute = "data-mantine-color-scheme";
  const scheme = () => (root.getAttribute(attribute) === "dark" ? "dark" : "light");
  let reported = null;

  // Addresses. All that is chosen on a page stands in its address; the server renders the page from
  // it. A link, a control and the code below change the address, and nothing else does.
  let onScreen = null; // the address that the page on the screen was rendered for
  let defaults = {}; // what stands for a parameter that an address leaves out
  const here = () => window.location.pathname + window.location.search;
  // An address that is too long for servers stands in the bar as the short one of a saved view.
  let saved = null;
  const whole = (address) => (address === saved?.short ? saved.whole : address);
  const pathOf = (address) => whole(address).split("?")[0];
  const searchOf = (address) => whole(address).split("?")[1] ?? "";
  // What one would not want to go back through, step by step.
  const small = new Set([
    "sort", "find", "order", "text", "show", "open", "of", "least", "most", "curves", "rank", "slice",
  ]);

  // Until the page on the screen is that of the address.
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

  // The parameters of an address, as they stand there: encoded.
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
  // The texts of a parameter of the address.
  const parameter = (name) =>
    (parametersOf(searchOf(here())).get(name) ?? "").split(",").filter(Boolean).map(decoded);
  // How an address has a value: not at all where it is the default.
  const wantedText = (name, value) => {
    const text = encoded(value);
    return text === encoded(defaults[name]) ? "" : text;
  };

  // Write parameters into the address; null, "" and the default are left out.
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
    // A link that chooses something on this page keeps what else is chosen by now.
    if (link.dataset.choose) choose(JSON.parse(link.dataset.choose));
    else navigate(href);
  });
  window.addEventListener("popstate", () => {
    // Who goes back before the answer has chosen something that the controls show already: only a
    // page that is rendered anew takes that back, since on the screen nothing else has changed.
    if (root.classList.contains("is-loading"))
      window.dash_clientside.set_props("rendered", { data: null });
    showLoading();
  });

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
        // A closed menu stands beside the screen: its links must not be reached by Tab.
        root.classList.toggle("is-menu-open", opened);
        return [{ ...navbar, collapsed: { desktop: true, mobile: !opened } }, String(opened)];
      },
      rendered(page, changes) {
        if (!page) return;
        for (const [id, properties] of changes ?? [])
          window.dash_clientside.set_props(id, properties);
        if (page.short) {
          saved = { short: page.short, whole: page.href };
          if (here() === page.asked) window.history.replaceState({}, "", page.short);
        }
        onScreen = here() === page.short ? page.short : page.asked;
        defaults = page.defaults || {};
        if (page.note) {
          const note = document.createElement("p");
          note.textContent = page.note;
          document.getElementById("link-box")?.replaceChildren(note);
        }
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
      // A point of a figure leads to an address, or chooses something on the page: the last of its
      // customdata says which, as an address or as parameters. In the histogram of many queries it is
      // the id of the query alone.
      follow() {
        const { triggered, triggered_id: graph } = window.dash_clientside.callback_context;
        const data = graph && triggered[0].value?.points?.[0]?.customdata;
        const target = Array.isArray(data) ? data.at(-1) : data;
        if (typeof target !== "string") return;
        if (target.startsWith("/")) navigate(target);
        else if (target.startsWith("{")) choose(JSON.parse(target));
        else if (graph.graph === "histogram") choose({ query: target });
        else if (graph.graph === "median") {
          const { before, after } = document.querySelector("#page .leads-to-queries").dataset;
          const m = parameter("m").map((name) => `&m=${encodeURIComponent(name)}`);
          navigate(before + encodeURIComponent(target) + after + m.join(""));
        }
      },
      // A control reports its value when someone changes it, and when it appears; then it says what
      // the page on the screen was rendered for. A choice made while another view of the page loads
      // counts, one made on a page that is left does not.
      control() {
        if (onScreen === null) return;
        if (pathOf(onScreen) !== pathOf(here())) return;
        const shown = parametersOf(searchOf(onScreen));
        const chosen = {};
        // Controls that appear report together, and a choice that is made meanwhile is among them.
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
      // What a proxy answers while the dashboard behind it is down.
      if ([502, 503, 504].includes(response.status)) connectionLost();
      // The session is over: the server asks for the login, and comes back to this address.
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
    // q2 before q10; what is missing comes last in both directions.
    natural(one, other, rowOfOne, rowOfOther, isDescending) {
      const [noOne, noOther] = [one, other].map((text) => text === null || text === undefined);
      if (noOne || noOther) return (noOne - noOther) * (isDescending ? -1 : 1);
      return naturally.compare(one, other);
    },
    // The rows have come in their order.
    asSent: () => 0,
    // The order of a header that someone pressed stands in the address, as its column says.
    keepOrder({ api, source }) {
      if (source !== "uiColumnSorted") return;
      const { colId, sort } = api.getColumnState().find((column) => column.sort) ?? {};
      choose({ sort: sort ? api.getColumn(colId).getColDef().context[sort] : "" });
    },
    signedValue(value, counts) {
      if (value === null || value === undefined) return "–";
      const size = Math.abs(value);
      // What four decimals would show as 0 has more: wording.difference in Python does the same.
      const hidden = !counts && size > 0 && size < 0.00005;
      const text = hidden ? size.toFixed(1 - Math.floor(Math.log10(size))) : valueText(size, counts);
      return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
    },
  });

  // Tab leaves a grid: the arrow keys move in it.
  window.dashAgGridFunctions.leaveGrid = () => false;

  window.dashMantineFunctions = Object.assign({}, window.dashMantineFunctions, {
    // What one types is looked for in names and titles: what it means to the server comes first
    // (selects.js), then the whole name, then its beginning.
    exactFirst({ options, search, limit }) {
      const wanted = search.trim().toLowerCase();
      if (!wanted) return options.slice(0, limit);
      const rank = ({ label, title, means }) => {
        const name = label.toLowerCase();
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
    // A measure in a list: its name, and what it is called in full.
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
