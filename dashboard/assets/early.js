// Neighbours that are likely to come next (links with data-ahead, as those of J and K) are asked for
// while one looks at a page, and shown at once when one goes there.
//
// The name of this file comes before evalstore.js, whose watch over requests so contains this one.
(function () {
  const MOST = 6; // answers that are kept
  // The store can change meanwhile: an answer is shown only while it is no older than a page that
  // one is just reading.
  const MILLISECONDS = 10000;
  const PAUSE = 100; // without a change on the screen, before anything is asked for: pages draw first
  const send = window.fetch.bind(window);
  const kept = new Map(); // by address and scheme: when, and the text of the answer to come
  let request = null; // the last request for a page: its address, options and body
  let timer = null;
  const begun = new Set(); // the keys that were asked for ahead since the last request for a page

  const valueOf = (entries, id, property) =>
    entries?.find((one) => one.id === id && one.property === property);
  // What a request for a page asks for; null for any other request.
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
    // Nothing is on the screen: the answer is a whole page, wherever one comes from.
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
  // The links of a page are there when it is drawn, however long its answer takes.
  const loadWhenDrawn = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(loadAhead, PAUSE);
  };
  new MutationObserver(() => request && loadWhenDrawn()).observe(document.documentElement, {
    childList: true,
    subtree: true,
  });

  const isFresh = (key) => kept.has(key) && Date.now() - kept.get(key).at < MILLISECONDS;

  // What head.js has asked for already, each once.
  const { page: firstPage, ...first } = window.firstAnswers;
  const firstAnswer = async (path) => {
    const answer = await first[path];
    delete first[path];
    return answer?.status === 200 ? answer : null;
  };
  const firstKey = asked(firstPage.body).key;
  first[firstKey] = firstPage.answer;

  window.fetch = async (resource, options) => {
    const address = String(resource.url ?? resource);
    if (!address.includes("_dash-update-component") || typeof options?.body !== "string") {
      const path = address.slice(address.lastIndexOf("/"));
      return (await firstAnswer(path)) ?? send(resource, options);
    }
    const body = JSON.parse(options.body);
    const page = asked(body);
    if (page === null) return send(resource, options);
    request = { resource, options: { ...options, signal: undefined }, body };
    begun.clear();
    loadWhenDrawn();
    // Another view of the page on the screen is an answer of its own: it changes parts only.
    const leaves = valueOf(body.state, "rendered", "data")?.value?.asked.split("?")[0] !== page.path;
    const answer = await firstAnswer(page.key);
    delete first[firstKey]; // later it would be old
    if (answer) return answer;
    const text = leaves && isFresh(page.key) ? await kept.get(page.key).text : null;
    if (text === null) return send(resource, options);
    return new Response(text, { status: 200, headers: { "Content-Type": "application/json" } });
  };
})();
