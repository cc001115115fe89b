// The Query page: the rank strip, the lines between ranked lists, its keys.
(function () {
  const SVG = "http://www.w3.org/2000/svg";
  const make = (parent, name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };

  // A drawing is redrawn when its data or size change.
  const drawn = new WeakMap();
  const isNew = (place, data) => {
    const state = `${place.clientWidth} ${data}`;
    if (drawn.get(place) === state) return false;
    drawn.set(place, state);
    return true;
  };

  // Lines. One unit of height is a row, so that the drawing stretches with the rows of the lists.
  const drawLines = (place) => {
    const data = place.dataset.lines;
    if (!isNew(place, data)) return;
    const { rows, lines } = JSON.parse(data);
    place.replaceChildren();
    if (!rows) return;
    const svg = make(place, "svg", { viewBox: `0 0 100 ${rows}`, preserveAspectRatio: "none" });
    svg.style.setProperty("--rows", rows);
    for (const [left, right, relevant, key] of lines) {
      const from = left === null ? null : left - 0.5;
      const to = right === null ? null : right - 0.5;
      const kind = relevant ? "line is-relevant" : "line";
      const own = { class: kind, "data-document": key, "vector-effect": "non-scaling-stroke" };
      if (from !== null && to !== null) {
        make(svg, "path", { ...own, d: `M0 ${from}C45 ${from} 55 ${to} 100 ${to}` });
      } else {
        const [y, edge, end] = from === null ? [to, 100, 72] : [from, 0, 28];
        make(svg, "path", { ...own, d: `M${edge} ${y}H${end}` });
        // A line of length zero with round ends is a dot, however the drawing is stretched.
        make(svg, "path", { ...own, class: `${kind} stub`, d: `M${end} ${y}h0` });
        make(svg, "path", { ...own, class: "stub-hole", d: `M${end} ${y}h0` });
      }
    }
  };

  // The rank strip: x is the logarithm of the rank; height is the grade.
  const HEIGHT = 18;
  const TICKS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  const scale = (last, width) => {
    const span = Math.log(last + 0.5) - Math.log(0.5);
    return (rank) => ((Math.log(rank) - Math.log(0.5)) / span) * width;
  };
  const box = (x, width, height) =>
    `M${x.toFixed(2)} ${HEIGHT}v${-height}h${width.toFixed(2)}v${height}z`;

  const drawTicks = (place) => {
    const last = Number(place.dataset.last);
    if (!isNew(place, String(last))) return;
    const at = scale(last, place.clientWidth);
    place.replaceChildren();
    let end = -Infinity;
    for (const rank of TICKS.filter((tick) => tick <= last)) {
      const text = rank.toLocaleString("en-US");
      const [x, half] = [at(rank), 4 * text.length];
      if (x - half < end || x + half > place.clientWidth) continue;
      end = x + half + 4;
      const tick = document.createElement("span");
      tick.textContent = text;
      tick.style.left = `${x}px`;
      place.append(tick);
    }
  };

  const drawStrip = (place) => {
    const data = place.dataset.strip;
    if (!isNew(place, data)) return;
    const { length, grades, documents, deep } = JSON.parse(data);
    const width = place.clientWidth;
    const at = scale(Number(place.dataset.last), width);
    const paths = new Map();
    const add = (kind, d) => paths.set(kind, (paths.get(kind) ?? "") + d);
    const questions = [];
    [...grades].forEach((grade, index) => {
      const rank = index + 1;
      const [left, right] = [at(rank - 0.5), at(rank + 0.5)];
      const [middle, room] = [at(rank), right - left];
      if (grade === "?") {
        if (room >= 9) questions.push(middle);
        else add("unjudged", `M${middle.toFixed(2)} ${HEIGHT - 1}v-3`);
      } else if (grade === "0") {
        const size = Math.min(2.5, Math.max(room - 1, 1));
        add("judged", box(middle - size / 2, size, 2.5));
      } else {
        const size = Math.max(Math.min(room - 1, 14), 3);
        add(`grade-${grade}`, box(middle - size / 2, size, 4 + 4.5 * Number(grade)));
      }
    });
    for (const [rank, grade] of deep) {
      if (rank > grades.length) add(`grade-${grade}`, box(at(rank) - 1.5, 3, 4 + 4.5 * Number(grade)));
    }
    if (length) add("end", `M${at(length + 0.5).toFixed(2)} ${HEIGHT}v-10`);
    place.replaceChildren();
    const svg = make(place, "svg", { width, height: HEIGHT });
    for (const [kind, d] of paths) make(svg, "path", { class: `strip-${kind}`, d });
    for (const x of questions) {
      make(svg, "text", { class: "strip-question", x, y: HEIGHT - 3 }).textContent = "?";
    }
    // Highlights: a mark for each document that may also be in other rows.
    documents.forEach((key, index) => {
      make(svg, "path", { class: "strip-lit", "data-document": key, d: box(at(index + 1) - 2, 4, HEIGHT) });
    });
    for (const [rank, , key] of deep) {
      make(svg, "path", { class: "strip-lit", "data-document": key, d: box(at(rank) - 2, 4, HEIGHT) });
    }
  };

  const sized = new ResizeObserver((entries) => entries.forEach(({ target }) => draw(target)));
  const draw = (place) => {
    sized.observe(place);
    if (place.dataset.lines !== undefined) drawLines(place);
    else if (place.dataset.strip !== undefined) drawStrip(place);
    else drawTicks(place);
  };
  const drawAll = () =>
    document.querySelectorAll("#page [data-lines], #page [data-strip], #page .strip-ticks").forEach(draw);
  new MutationObserver(drawAll).observe(document.documentElement, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-lines", "data-strip", "data-last"],
  });

  // Highlight one document in all its places.
  let lit = null;
  const light = (key) => {
    if (key === lit) return;
    lit = key;
    document.querySelectorAll("#page .is-lit").forEach((one) => one.classList.remove("is-lit"));
    if (key === null || key === "-1") return;
    const chosen = `#page [data-document="${CSS.escape(key)}"]`;
    document.querySelectorAll(chosen).forEach((one) => one.classList.add("is-lit"));
  };
  const keyOf = (target) => target.closest?.("#page [data-document]")?.dataset.document ?? null;
  const nearest = (event) => {
    const strip = event.target.closest?.("#page [data-strip]");
    if (!strip) return keyOf(event.target);
    const x = event.clientX - strip.getBoundingClientRect().left;
    const last = Number(strip.dataset.last);
    const span = Math.log(last + 0.5) - Math.log(0.5);
    const rank = Math.round(Math.exp((x / strip.clientWidth) * span + Math.log(0.5)));
    const { documents, deep } = JSON.parse(strip.dataset.strip);
    if (rank >= 1 && rank <= documents.length) return String(documents[rank - 1]);
    const close = deep.find(([one]) => Math.abs(one - rank) <= rank * 0.01);
    return close ? String(close[2]) : null;
  };
  document.addEventListener("mousemove", (event) => {
    if (document.querySelector("#page .query-page")) light(nearest(event));
  });
  document.addEventListener("focusin", (event) => light(keyOf(event.target)));

  // Copy buttons of docnos.
  const copy = (docno) => {
    navigator.clipboard?.writeText(docno).then(
      () => notice("Copied"),
      () => notice("The browser does not allow copying"),
    );
  };
  const notice = (text) => {
    const line = document.createElement("div");
    line.className = "copy-notice";
    line.setAttribute("role", "status");
    line.textContent = text;
    document.body.append(line);
    window.setTimeout(() => line.remove(), 1500);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#page button");
    if (!button) {
      // A click on a row opens its document, unless it selects text.
      const row = event.target.closest?.("#page .ranked-row");
      if (!row || event.target.closest("a, button, dialog") || String(getSelection())) return;
      row.querySelector("a.docno")?.click();
      return;
    }
    if (button.dataset.copy !== undefined) copy(button.dataset.copy);
    if (button.dataset.copyLink) copy(window.location.origin + button.dataset.copyLink);
    if (button.classList.contains("keys-button")) keys()?.showModal();
  });

  // Keys; inactive while the user types, chooses in a list, or reads the list of keys.
  const keys = () => document.querySelector("#page dialog.keys");
  const rests = (target) =>
    target.closest?.("input, textarea, select, [contenteditable='true'], [role='listbox'], .ag-root") ||
    keys()?.open;
  const follow = (key) => document.querySelector(`#page a[data-key="${key}"]`);
  document.addEventListener("keydown", (event) => {
    if (!document.querySelector("#page .query-page") || rests(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const row = event.target.closest?.(".ranked-row");
    const atRow = row && event.target === row;
    const step = { KeyJ: "j", KeyK: "k" }[event.code];
    let done = true;
    if (step) {
      // Without differences the keys follow the order by id.
      const link = event.altKey ? follow(`alt+${step}`) : follow(step);
      const byId = !document.querySelector('#page a[data-key="j"], #page a[data-key="k"]');
      (link ?? (byId ? follow(`alt+${step}`) : null))?.click();
    } else if (event.altKey) done = false;
    else if (event.key === "ArrowDown" && event.target === document.body)
      document.querySelector("#page .ranked-row")?.focus(); // from there assets/roving.js moves
    else if (event.key === "Enter" && atRow) row.querySelector("a.docno")?.click();
    else if (event.key.toLowerCase() === "c" && row) copy(row.dataset.docno);
    else if (event.key === "Escape") document.querySelector("#page .opened-document .quiet-action")?.click();
    else if (event.key === "?") keys()?.showModal();
    else done = false;
    if (done) event.preventDefault();
  });
})();
