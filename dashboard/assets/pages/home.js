// The home page: news since the last visit. Only the browser stores the time of that visit.
(function () {
  const VISIT = "evalstore-last-visit"; // the end of the visit before this one
  const SEEN = "evalstore-last-seen"; // the time when a page was last open
  const PAUSE = 30 * 60 * 1000; // milliseconds without a page until a new visit begins
  const now = () => new Date().toISOString();
  let before = null;
  try {
    const seen = window.localStorage.getItem(SEEN);
    if (seen && Date.now() - Date.parse(seen) > PAUSE) window.localStorage.setItem(VISIT, seen);
    before = window.localStorage.getItem(VISIT);
    const note = () => window.localStorage.setItem(SEEN, now());
    note();
    window.addEventListener("pagehide", note);
  } catch {
    // No storage (a private window): the last visit is not known.
  }

  const mark = (list) => {
    const line = list.parentElement.querySelector(".since");
    // Other pages also have lists of events.
    if (!line || list.dataset.marked) return;
    list.dataset.marked = "yes";
    // The server says which runs are new, and what can be claimed about them.
    window.dash_clientside.set_props("last-visit", { data: before });
    // An item shows one event or several, each with its time.
    const all = [...list.children].flatMap((item) => item.dataset.at.split(" "));
    const fresh = all.filter((at) => at > before);
    for (const item of list.children)
      if (item.dataset.at.split(" ")[0] > before) item.classList.add("is-new");
    const day = new Date(before).toLocaleDateString("en", { weekday: "long", month: "short", day: "numeric" });
    const count = fresh.length === all.length ? `${fresh.length} or more` : fresh.length;
    line.textContent = fresh.length
      ? `${count} new since your last visit (${day})`
      : `Nothing new since your last visit (${day})`;
  };
  if (before === null) return;
  new MutationObserver(() => document.querySelectorAll("#page .events").forEach(mark)).observe(
    document.documentElement,
    { childList: true, subtree: true },
  );
})();
