// The home page: what is new since the last visit. The time of that visit stays in the browser.
(function () {
  const VISIT = "evalstore-last-visit"; // when the visit before this one ended
  const SEEN = "evalstore-last-seen"; // when a page was last open
  const PAUSE = 30 * 60 * 1000; // milliseconds without a page, after which a new visit begins
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
    // No storage (a private window): nothing is known of an earlier visit.
  }

  const mark = (list) => {
    const line = list.parentElement.querySelector(".since");
    // Other pages have lists of events too.
    if (!line || list.dataset.marked) return;
    list.dataset.marked = "yes";
    // The server says which runs came, and what may be claimed of them.
    window.dash_clientside.set_props("last-visit", { data: before });
    // An item stands for one event or several, each with its time.
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
