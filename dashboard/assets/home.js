// The home page: which events are new since the last visit. The time of that visit stays in the
// browser.
(function () {
  const KEY = "evalstore-last-visit";
  const started = new Date().toISOString();
  let before = null;
  try {
    before = window.localStorage.getItem(KEY);
    window.localStorage.setItem(KEY, started);
  } catch {
    // No storage (a private window): nothing is known of an earlier visit.
  }

  const mark = (list) => {
    const line = list.parentElement.querySelector(".since");
    // Other pages have lists of events too.
    if (!line || list.dataset.marked || before === null) return;
    list.dataset.marked = "yes";
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
  new MutationObserver(() => document.querySelectorAll("#page .events").forEach(mark)).observe(
    document.documentElement,
    { childList: true, subtree: true },
  );
})();
