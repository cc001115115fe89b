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

  // The server says what is new since then, or, on a first visit, what is shown of the best run.
  const tell = () => {
    const news = document.querySelector("#home-news:not([data-told])");
    if (!news) return;
    news.dataset.told = "yes";
    window.dash_clientside.set_props("last-visit", { data: before ?? "" });
    for (const line of document.querySelectorAll("#page .events > li"))
      if (before && line.dataset.at > before) line.classList.add("is-new");
  };

  // A tour that was closed stays closed, until the store has another one.
  const CLOSED = "evalstore-tour-closed";
  const hide = () => {
    const tour = document.querySelector(".tour:not([hidden])");
    try {
      if (tour && window.localStorage.getItem(CLOSED) === tour.dataset.tour) tour.hidden = true;
    } catch {
      // No storage: it is closed until the page is loaded again.
    }
  };
  document.addEventListener("click", ({ target }) => {
    const tour = target.closest?.(".tour button")?.closest(".tour");
    if (!tour) return;
    tour.hidden = true;
    try {
      window.localStorage.setItem(CLOSED, tour.dataset.tour);
    } catch {
      // As above.
    }
    document.querySelector("#main")?.focus();
  });

  const arrived = () => {
    tell();
    hide();
  };
  new MutationObserver(arrived).observe(document.documentElement, {
    childList: true,
    subtree: true,
  });
})();
