// Pages that are likely to come next (links with data-ahead, such as those for J and K) are
// requested while the user looks at the current page, and shown at once if the user goes there.
//
// The name of this file sorts before evalstore.js, so that its wrapper around fetch contains this
// one.
(function () {
  const MOST = 6; // the most answers that are cached
  // The store can change meanwhile: an answer is only shown if it is no older than a page that a
  // user may still be reading.
  const MILLISECONDS = 10000;
  const PAUSE = 100; // without a change on the screen, before requests: pages are drawn first
  const send = window.fetch.bind(window);
  const kept = new Map(); // by address and scheme: the time, and the text of the coming answer
  let request = null; // the last request for a page: its address, options and body
  let timer = null;
  const begun = new Set(); // the keys requested in advance since the last request for a page

  const valueOf = (entries, id, property) =>
    entries?.find((one) => one.id === id && one.property === property);
  // The path and the key of a request for a page; null for any other request.
  const asked = (body) => {
    const path = valueOf(body.inputs, "url", "pathname");
    const search = valueOf(body.inputs, "url", "search");
    if (!path || !search) return null;
    const scheme = valueOf(body.inputs, "scheme", "data")?.value;
    return { path: path.value, key: JSON.stringify([path.value, search.value || "", scheme]) };
  };
  const bodyFor = (href) => {
    const body = structuredClone(request.body);
    const [path, search] = href.split("?");
    valueOf(body.inputs, "url", "pathname").value = path;
    valueOf(body.inputs, "url", "search").value = search ? `?${search}` : "";
    // As if nothing were on the screen: the answer is then a whole page, independent of the current
    // one.
    for (const one of body.state) one.value = null;
    return body;
  };

  const loadAhead = async () => {
    if (!request || navigator.connection?.saveData) return;
    for (const link of document.querySelectorAll("#page a[data-ahead]")) {
      const body = bodyFor(link.getAttribute("href"));
      const { key } = asked(body);
      if (begun.has(key) || isFresh(key)) continue;
      begun.add(key);
      const options = { ...request.options, body: JSON.stringify(body), priority: "low" };
      const text = send(request.resource, options).then(async (response) =>
        response.status === 200 ? response.text() : null,
      );
      kept.delete(key);
      kept.set(key, { at: Date.now(), text: text.catch(() => null) });
      while (kept.size > MOST) kept.delete(kept.keys().next().value);
      await kept.get(key)?.text;
    }
  };
  // The links of a page exist once it is drawn, however long its answer takes.
  const loadWhenDrawn = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(loadAhead, PAUSE);
  };
  new MutationObserver(() => request && loadWhenDrawn()).observe(document.documentElement, {
    childList: true,
    subtree: true,
  });

  const isFresh = (key) => kept.has(key) && Date.now() - kept.get(key).at < MILLISECONDS;

  window.fetch = async (resource, options) => {
    const address = String(resource.url ?? resource);
    if (!address.includes("_dash-update-component") || typeof options?.body !== "string") {
      return send(resource, options);
    }
    const body = JSON.parse(options.body);
    const page = asked(body);
    if (page === null) return send(resource, options);
    request = { resource, options: { ...options, signal: undefined }, body };
    begun.clear();
    loadWhenDrawn();
    // Another view of the current page needs its own answer, which only changes parts.
    const leaves = valueOf(body.state, "rendered", "data")?.value?.asked.split("?")[0] !== page.path;
    const text = leaves && isFresh(page.key) ? await kept.get(page.key).text : null;
    if (text === null) return send(resource, options);
    return new Response(text, { status: 200, headers: { "Content-Type": "application/json" } });
  };
})();
