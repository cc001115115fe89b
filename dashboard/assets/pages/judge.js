// Judging documents: on the Judge page, and in place with the "?" of a document on other pages.
//
// The next documents are in the browser before they are shown. What a user says of a document stays
// in the browser until the server answers that it has it, so a lost connection loses nothing. Each
// entry has a random key: the server stores what it gets twice once.
(function () {
  const AHEAD = 20; // with fewer documents at hand than this, more are asked for
  const BATCH = 30;
  const REVIEWED = 60; // documents judged before that are listed
  const MOST_SENT = 50; // entries in one request
  const LONGEST_WAIT = 15; // seconds
  const SILENCE = 60; // seconds without an answer, after which a request is sent again
  const LONGEST_PASSAGE = 2000; // characters, as in the server
  const KEPT = 200; // documents kept for Undo
  const { prefix } = document.documentElement.dataset; // as set by head.js

  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children.filter((child) => child !== null));
    return made;
  };
  const button = (className, act, ...children) => {
    const made = element("button", className, ...children);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };
  const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

  // `crypto.randomUUID` exists on secure connections only.
  const randomKey = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");

  const storage = () => {
    try {
      return window.localStorage;
    } catch {
      return null; // the user has turned it off
    }
  };

  // What is not known to be stored. Each entry has a place of its own, so that two tabs do not
  // overwrite each other's.
  class Outbox {
    constructor(name) {
      this.start = `evalstore-judged/${name}/`;
      this.held = new Map(); // entries that the browser does not store
      this.last = 0;
    }

    add(said) {
      this.last = Math.max(Date.now(), this.last + 1);
      const entry = { ...said, key: randomKey(), at: this.last };
      try {
        storage().setItem(this.start + entry.key, JSON.stringify(entry));
      } catch {
        this.held.set(entry.key, entry);
      }
    }

    entries() {
      const entries = [...this.held.values()];
      for (const name of Object.keys(storage() ?? {})) {
        if (!name.startsWith(this.start)) continue;
        try {
          entries.push(JSON.parse(storage().getItem(name)));
        } catch {
          storage().removeItem(name); // not written by this script
        }
      }
      return entries.filter(Boolean).sort((one, other) => one.at - other.at);
    }

    remove(key) {
      this.held.delete(key);
      storage()?.removeItem(this.start + key);
    }
  }

  const post = async (content) => {
    try {
      const response = await fetch(`${prefix}/judge`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(content),
        signal: AbortSignal.timeout(SILENCE * 1000),
      });
      return { status: response.status, content: await response.json() };
    } catch {
      return { status: 0, content: {} }; // no answer, or part of one
    }
  };
  const problemOf = ({ status, content }) => {
    if (status === 401) return "You are logged out: log in on another tab.";
    return content.problem ?? content.detail ?? `The server answered with the status ${status}.`;
  };

  // Sends the entries of an outbox in batches, one request at a time, and gets documents.
  class Sender {
    constructor(to) {
      this.to = to;
      this.outbox = new Outbox(to.outbox);
      this.failures = 0;
      this.busy = false;
      this.isReview = false;
      this.wanted = () => 0;
      this.heard = () => {};
      this.tell = () => {};
    }

    deliver(entry) {
      this.outbox.add(entry);
      this.send();
    }

    async send() {
      if (this.busy) return;
      this.busy = true;
      clearTimeout(this.again);
      try {
        while (await this.sendOnce());
      } finally {
        this.busy = false;
      }
    }

    // Whether there may be more to send.
    async sendOnce() {
      const items = this.outbox.entries().slice(0, MOST_SENT);
      const want = this.wanted();
      if (!items.length && !want) {
        this.tell("");
        return false;
      }
      const { collection, draft, mode } = this.to;
      const { heard } = this; // of the view that asks: another one may be open when the answer comes
      const answer = await post({ collection, draft, mode, want, items, review: this.isReview });
      const { stored, refused } = answer.content;
      const named = [...(stored ?? []), ...Object.keys(refused ?? {})];
      for (const key of named) this.outbox.remove(key);
      if (Array.isArray(stored) && (named.length || !items.length)) {
        this.failures = 0;
        heard(answer.content);
        for (const reason of Object.values(refused ?? {})) this.tell(`Not stored: ${reason}`, true);
        return true;
      }
      this.failures += 1;
      const last = new Map(this.outbox.entries().map((one) => [JSON.stringify([one.qid, one.docno]), one.state]));
      const waiting = [...last.values()].filter((state) => state !== "undone").length;
      const kept = waiting ? ` ${plural(waiting, "judgment is", "judgments are")} kept in this browser.` : "";
      const mayPass = answer.status < 400 || answer.status >= 500 || [408, 429].includes(answer.status);
      if (mayPass) {
        this.tell(`No connection.${kept}`);
        const seconds = Math.min(2 ** (this.failures - 1), LONGEST_WAIT);
        this.again = setTimeout(() => this.send(), seconds * 1000);
      } else this.tell(`${problemOf(answer)}${kept}`, true);
      return false;
    }
  }

  const senders = new Map();
  const senderOf = (to) => {
    const key = `${to.outbox}/${to.mode}`;
    if (!senders.has(key)) senders.set(key, new Sender(to));
    return senders.get(key);
  };
  window.addEventListener("online", () => senders.forEach((sender) => sender.send()));
  window.addEventListener("beforeunload", (event) => {
    if ([...senders.values()].some((sender) => sender.outbox.held.size)) event.preventDefault();
  });

  // The key of each grade: its digit, or if a grade has none, its place.
  const keysOf = (grades) => {
    const digits = grades.every(([grade]) => /^\d$/.test(grade));
    return grades.map(([grade], place) => (digits ? grade : String((place + 1) % 10)));
  };
  const gradeClass = (grade) => `grade-${Math.min(Math.max(Math.trunc(Number(grade)), 0), 3)}`;
  const gradeButtons = (grades, act) =>
    keysOf(grades).map((key, place) => {
      const [grade, label] = grades[place];
      const text = [key === grade ? "" : `${grade} `, label].join("");
      const made = button(`judge-grade ${gradeClass(grade)}`, () => act(grade), element("kbd", "", key), text);
      if (!label) made.setAttribute("aria-label", `grade ${grade}`);
      if (place < 10) made.dataset.key = key;
      return made;
    });
  const types = (target) => target.closest?.("input, textarea, select, [contenteditable='true'], [role='listbox']");
  const plainKey = (event) =>
    !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented && event.key.length === 1
      ? event.key.toLowerCase()
      : "";

  const undone = (qid, docno) => ({ qid, docno, state: "undone", grade: null, comment: "", passage: "" });

  // The documents of a draft that the user judges, in one view or the other.
  class Judging {
    constructor(to) {
      this.isReview = to.isReview;
      this.sender = senderOf(to);
      this.sender.isReview = to.isReview;
      this.sender.wanted = () => this.wanted();
      this.sender.heard = (answer) => this.heard(answer);
      // That all is sent does not take away what the user has to read.
      this.sender.tell = (text, stays) => (text || !this.stays) && this.tell(text, stays);
      this.docs = [];
      this.known = new Set(); // the documents that this tab has had
      this.queries = {};
      this.current = null;
      this.history = [];
      this.progress = null;
      this.undoable = `evalstore-undo/${to.outbox}/${to.mode}`;
      if (this.isReview) return;
      try {
        const { doc, query } = JSON.parse(sessionStorage.getItem(this.undoable));
        this.queries[doc.qid] = query;
        this.known.add(JSON.stringify([doc.qid, doc.docno]));
        for (const list of [this.docs, this.history]) list.push(doc);
      } catch {
        // Nothing is kept.
      }
    }

    // Keep what Undo takes back for when the tab is loaded again.
    keep() {
      const doc = this.history.at(-1);
      const kept = doc && { doc: { ...doc, card: undefined }, query: this.queries[doc.qid] };
      try {
        if (kept) sessionStorage.setItem(this.undoable, JSON.stringify(kept));
        else sessionStorage.removeItem(this.undoable);
      } catch {
        // The user has turned it off, or it is full.
      }
    }

    open() {
      return this.docs.filter((doc) => this.isReview || !doc.said);
    }

    wanted() {
      if (this.isReview) return this.isAll ? 0 : REVIEWED;
      return !this.isAll && this.open().length < AHEAD ? this.open().length + BATCH : 0;
    }

    heard({ documents, queries, progress }) {
      if (documents) {
        Object.assign(this.queries, queries);
        const unsent = this.sender.outbox.entries();
        for (const { qid, docno } of unsent) this.known.add(JSON.stringify([qid, docno]));
        const added = documents.filter((doc) => !this.known.has(JSON.stringify([doc.qid, doc.docno])));
        for (const doc of added) this.known.add(JSON.stringify([doc.qid, doc.docno]));
        this.docs.push(...added);
        this.isAll = this.isReview || !added.length;
      }
      if (progress && !this.sender.outbox.entries().length) this.progress = progress;
      if (!this.place?.isConnected) return;
      if (!this.current || this.current.said) this.next(false);
      else this.tellProgress();
    }

    // Draw into the page.
    appear(place, { isList, grades, mode }) {
      [this.place, this.grades, this.isSingle, this.isAll] = [place, grades, !isList, false];
      this.told = element("p", "judge-progress");
      this.told.setAttribute("role", "status");
      this.note = element("p", "judge-note");
      this.note.setAttribute("role", "status");
      this.list = element(this.isSingle ? "div" : "ol", "judge-documents");
      if (!this.isSingle) this.list.dataset.roving = ".judge-document";
      this.bar = this.makeBar(mode);
      place.replaceChildren(element("div", "judge-told", this.told, this.note), this.list, this.bar);
      this.drawn = null;
      this.current = this.open()[0] ?? null;
      this.draw();
      this.focus();
      this.sender.send();
    }

    makeBar(mode) {
      const group = element("div", "judge-grades", ...gradeButtons(this.grades, (grade) => this.say("graded", grade)));
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", mode === "adjudicate" ? "The grade that counts" : "Grade");
      this.field = element("input", "judge-comment");
      this.field.placeholder = "Comment, or why you can't tell";
      this.field.setAttribute("aria-label", this.field.placeholder);
      this.field.maxLength = LONGEST_PASSAGE;
      this.field.addEventListener("keydown", (event) => {
        if (event.key === "Escape" || event.key === "Enter") {
          event.preventDefault();
          this.field.blur();
          if (event.key === "Enter" && this.asks) this.say("cannot_tell");
          this.asks = false;
        }
      });
      this.passage = element("p", "judge-passage");
      this.passage.dir = "auto";
      const others = element(
        "div",
        "judge-others",
        this.field,
        button("quiet-action judge-comments", () => this.field.focus(), "Comment"),
        button("quiet-action", () => this.say("cannot_tell"), "Can't tell"),
        button("quiet-action", () => this.say("later"), "Later"),
        button("quiet-action", () => this.undo(), "Undo"),
      );
      const bar = element("div", "judge-bar", this.passage, group, others);
      this.isAdjudication = mode === "adjudicate";
      // A click on a button leaves the selected passage as it is.
      bar.addEventListener("mousedown", (event) => {
        if (event.target.closest("button")) event.preventDefault();
      });
      return bar;
    }

    // What the user says of the current document.
    say(state, grade = null) {
      const doc = this.current;
      if (!doc) return;
      const comment = this.field.value.trim();
      if (state === "cannot_tell" && !comment) {
        this.asks = true;
        this.field.focus();
        this.tell("Write why you can't tell, then press Enter.", true);
        return;
      }
      this.asks = false;
      this.tell("");
      const { qid, docno } = doc;
      const isJudged = doc.said && doc.said.state !== "later";
      doc.before = isJudged ? doc.said : null;
      this.count((state !== "later") - Boolean(isJudged));
      // So it counts as a correction, and not as judged again.
      if (isJudged) this.sender.outbox.add(undone(qid, docno));
      const entry = this.entryOf(doc, { state, grade, comment, passage: this.passageOf(doc) });
      doc.said = entry;
      this.history.push(doc);
      this.keep();
      this.field.value = "";
      window.getSelection().removeAllRanges();
      this.next();
      this.sender.deliver(entry);
    }

    undo() {
      const doc = this.history.pop();
      if (!doc) return this.tell("There is nothing to undo.");
      const { qid, docno } = doc;
      this.keep();
      const { before } = doc; // what was corrected counts again
      if (!before && doc.said && doc.said.state !== "later") this.count(-1);
      doc.said = before ?? null;
      doc.before = null;
      this.current = doc;
      this.draw();
      this.focus();
      if (before) this.sender.outbox.add(undone(qid, docno));
      this.sender.deliver(before ? this.entryOf(doc, before) : undone(qid, docno));
    }

    entryOf({ qid, docno }, { state, grade, comment, passage }) {
      return { qid, docno, state, grade: grade === null || grade === "" ? null : Number(grade), comment, passage };
    }

    count(by) {
      if (this.progress) this.progress.done += by;
    }

    // Go to the next document to judge: after the current one if there is one.
    next(moves = true) {
      if (this.isReview) {
        this.current ??= this.docs[0] ?? null;
        return this.draw();
      }
      const at = this.docs.indexOf(this.current) + 1;
      const group = this.isSingle || !this.current ? null : this.current.qid;
      const rest = [...this.docs.slice(at), ...this.docs.slice(0, at)].filter((doc) => !doc.said);
      let next = rest.find((doc) => group === null || doc.qid === group) ?? rest[0];
      if (!next && this.isAll) {
        // Those put off come last.
        const later = this.docs.filter((doc) => doc.said?.state === "later");
        for (const doc of later) doc.said = null;
        next = later[0];
      }
      this.current = next ?? null;
      this.draw();
      if (moves) this.focus();
    }

    draw() {
      this.prune();
      this.tellProgress();
      const doc = this.current;
      this.bar.hidden = !doc;
      if (!doc) {
        this.drawn = null;
        const nothing = this.isAdjudication && !this.progress?.of
          ? "No disagreements yet."
          : `There is nothing ${this.isReview ? "that you judged" : "left for you to judge"} here.`;
        const text = this.isAll ? nothing : "Loading documents";
        const undo = this.isAll && this.history.length ? button("quiet-action", () => this.undo(), "Undo") : null;
        this.list.replaceChildren(element(this.isSingle ? "p" : "li", "judge-end", `${text} `, undo));
        return;
      }
      this.drawQuery(doc.qid);
      const shown = this.isSingle ? [doc] : this.docs.filter(({ qid }) => this.isReview || qid === doc.qid);
      const same = this.drawn?.length === shown.length && shown.every((one, at) => one === this.drawn[at]);
      if (!same) this.list.replaceChildren(...shown.map((one) => (one.card = this.card(one))));
      this.drawn = shown;
      for (const one of shown) this.mark(one);
      this.showPassage();
    }

    // Documents that are judged are kept for Undo and for the list, up to a limit.
    prune() {
      const extra = this.docs.length - KEPT;
      if (extra <= 0) return;
      const dropped = new Set(this.docs.filter((doc) => doc.said && doc.said.state !== "later").slice(0, extra));
      this.docs = this.docs.filter((doc) => !dropped.has(doc));
      this.history = this.history.filter((doc) => !dropped.has(doc));
    }

    drawQuery(qid) {
      const heading = document.getElementById("judge-query");
      if (!heading || heading.dataset.qid === qid) return;
      heading.dataset.qid = qid;
      const { text, description } = this.queries[qid] ?? {};
      const words = element("span", "", text ?? "");
      words.dir = "auto";
      heading.replaceChildren(element("h2", "", element("bdi", "judge-qid", qid), " ", words));
      // A component of the page shows Markdown safely.
      window.dash_clientside.set_props("judge-description", { children: description ?? "" });
    }

    card(doc) {
      const name = element("code", "", element("bdi", "", doc.docno));
      const query = this.isReview ? element("bdi", "hint", `${doc.qid} ${this.queries[doc.qid]?.text ?? ""}`) : null;
      const head = element("div", "judge-head", name, query);
      if (doc.title) head.append(element("bdi", "document-title", doc.title));
      if (doc.link) {
        const link = element("a", "", "Open the document");
        [link.href, link.target, link.rel] = [doc.link, "_blank", "noopener noreferrer"];
        head.append(link);
      }
      const text = element("div", "document-text");
      text.dir = "auto";
      for (const [words, isMarked] of doc.text) text.append(isMarked ? element("u", "", words) : words);
      if (doc.cut) text.append(element("span", "hint", " … (the text is longer)"));
      const said = element("p", "judge-said");
      const whole = () => made.classList.toggle("is-whole");
      if (!this.isSingle && doc.text.length) {
        const more = button("judge-whole", whole, "Whole text");
        more.tabIndex = -1; // Enter does the same
        head.append(more);
      }
      const made = element(this.isSingle ? "article" : "li", "card judge-document", head);
      if (doc.grades)
        made.append(
          element(
            "ul",
            "judge-given",
            ...doc.grades.map(({ who, grade, comment }) =>
              element("li", "", element("bdi", "", who), `: ${grade}`, comment ? element("bdi", "hint", ` ${comment}`) : null),
            ),
          ),
        );
      made.append(doc.text.length ? text : element("p", "hint", "No text is stored of this document."), said);
      if (!this.isSingle) {
        made.tabIndex = -1; // assets/roving.js makes one of them a stop of the Tab key
        made.addEventListener("focusin", () => this.choose(doc));
        made.addEventListener("click", () => this.choose(doc));
        made.addEventListener("keydown", (event) => {
          if (event.key === "Enter" && event.target === made) whole();
        });
      }
      return made;
    }

    choose(doc) {
      if (this.current === doc) return;
      this.current = doc;
      this.drawQuery(doc.qid);
      this.showPassage();
      for (const one of this.drawn ?? []) this.mark(one);
    }

    // Show what was said of a document, and whether it is the current one.
    mark(doc) {
      const { card, said } = doc;
      card.classList.toggle("is-current", !this.isSingle && doc === this.current);
      card.classList.toggle("is-judged", Boolean(said));
      const label = said?.state === "graded" && this.grades.find(([grade]) => grade === String(said.grade))?.[1];
      const words = { graded: `Graded ${said?.grade}${label ? `: ${label}` : ""}`, cannot_tell: "Can't tell", later: "Later" };
      card.querySelector(".judge-said").textContent = said ? [words[said.state], said.comment].filter(Boolean).join(": ") : "";
    }

    focus() {
      if (this.isSingle) {
        const top = this.place.getBoundingClientRect().top;
        if (top < 0) window.scrollBy(0, top - 70);
      } else if (!this.place.contains(document.activeElement) || document.activeElement.closest(".judge-document")) {
        this.current?.card?.focus({ preventScroll: false });
      }
    }

    // The selected part of the document's text.
    passageOf(doc) {
      const selection = window.getSelection();
      const text = doc.card?.querySelector(".document-text");
      if (selection.isCollapsed || !text?.contains(selection.anchorNode) || !text.contains(selection.focusNode)) return "";
      return selection.toString().trim().slice(0, LONGEST_PASSAGE);
    }

    // The passage that will be sent, else the query, which may be off the screen.
    showPassage() {
      if (!this.current) return;
      const passage = this.passageOf(this.current);
      const { qid } = this.current;
      this.passage.replaceChildren(
        ...(passage ? ["The passage that decides: ", element("q", "", passage)] : [`${qid} ${this.queries[qid]?.text ?? ""}`]),
      );
    }

    // A message; one that `stays` is there until the user says something of a document.
    tell(text, stays = false) {
      this.stays = stays;
      if (this.note && this.note.textContent !== text) this.note.textContent = text;
    }

    tellProgress() {
      if (!this.progress) return;
      const { done, of } = this.progress;
      this.told.textContent = `${done.toLocaleString("en")} of ${plural(of, "document", "documents")} judged by you`;
    }

    key(event) {
      const key = plainKey(event);
      const grade = key && this.bar.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (grade && !this.bar.hidden) grade.click();
      else if (!this.bar.hidden && /^\d$/.test(key)) this.tell(`There is no grade ${key} here.`, true);
      else if (key === "c") this.say("cannot_tell");
      else if (key === "l") this.say("later");
      else if (key === "u" || key === "z") this.undo();
      else if (key === "m") this.field.focus();
      else if (key === "?") document.querySelector("#page dialog.keys")?.showModal();
      else return;
      event.preventDefault();
    }
  }

  const judgings = new Map();
  const shown = () => {
    const place = document.getElementById("judge");
    return place?.filled ?? null;
  };
  const fill = (place) => {
    const to = JSON.parse(place.dataset.judging);
    // What adjudicators and a review see changes with what judges say, so it is loaded again.
    const key = `${to.outbox}/${to.mode}`;
    const kept = judgings.get(key);
    if (!kept || kept.isReview || to.isReview || to.mode === "adjudicate") judgings.set(key, new Judging(to));
    place.filled = judgings.get(key);
    place.filled.appear(place, to);
  };
  document.addEventListener("selectionchange", () => shown()?.showPassage());

  // Judging in place: the "?" of a document opens a menu of grades.
  let menu = null;
  const closeMenu = () => {
    menu?.chip.setAttribute("aria-expanded", "false");
    menu?.box.remove();
    menu = null;
  };
  const openMenu = (chip) => {
    closeMenu();
    const to = JSON.parse(chip.closest("[data-judging-here]").dataset.judgingHere);
    const { docno, judge: qid } = chip.dataset;
    const sender = senderOf(to);
    const note = element("p", "hint");
    note.setAttribute("role", "status");
    const act = (grade) => {
      sender.tell = (text) => (note.textContent = text);
      sender.heard = () => {};
      // So it counts as a correction, and not as judged again.
      if (chip.classList.contains("is-draft")) sender.outbox.add(undone(qid, docno));
      // A document can stand in several lists.
      for (const same of document.querySelectorAll(`#page [data-judge="${CSS.escape(qid)}"]`)) {
        if (same.dataset.docno !== docno) continue;
        same.textContent = grade;
        same.className = `grade ${gradeClass(grade)} is-draft`;
        same.title = `your grade in the draft ${to.draft}: no qrels has it before the draft is published`;
        same.setAttribute("aria-label", `Grade ${grade}: judge ${docno} again`);
      }
      sender.deliver({ qid, docno, state: "graded", grade: Number(grade), comment: "", passage: "" });
      closeMenu();
      chip.focus();
    };
    const box = element("div", "judge-menu", ...gradeButtons(to.grades, act), note);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Grade of ${docno}`);
    const main = document.getElementById("main");
    main.append(box);
    const [at, around] = [chip.getBoundingClientRect(), main.getBoundingClientRect()];
    const left = Math.min(at.left - around.left, around.width - box.offsetWidth - 8);
    box.style.left = `${Math.max(left, 8)}px`;
    box.style.top = `${at.bottom - around.top + 4}px`;
    chip.setAttribute("aria-expanded", "true");
    menu = { box, chip };
    box.querySelector("button").focus();
    box.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("click", (event) => {
    const chip = event.target.closest?.("#page button[data-judge]");
    if (chip) {
      if (menu?.chip === chip) closeMenu();
      else openMenu(chip);
    } else if (!event.target.closest?.(".judge-menu")) closeMenu();
  });

  // This runs before the keys of other scripts: in an open menu they choose a grade.
  document.addEventListener(
    "keydown",
    (event) => {
      if (menu) {
        const key = plainKey(event);
        const grade = key && menu.box.querySelector(`[data-key="${CSS.escape(key)}"]`);
        if (event.key === "Escape") {
          menu.chip.focus();
          closeMenu();
        } else if (grade) grade.click();
        else return;
        event.preventDefault();
        event.stopPropagation();
      } else if (types(event.target) || document.querySelector("dialog[open]")) {
        return;
      } else if (shown()) shown().key(event);
      else if (plainKey(event) === "g") {
        const chip = event.target.closest?.("#page [data-docno]")?.querySelector("button[data-judge]");
        if (chip) openMenu(chip);
      }
    },
    true,
  );

  // Forms of the Judge page: a POST of their fields; the answer is an address to go to, or a problem.
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest?.("#page form[data-judge-form]");
    if (!form) return;
    event.preventDefault();
    const note = form.querySelector("[role='status']");
    note.textContent = "…";
    const fields = Object.fromEntries(new FormData(form));
    const answer = await post({ ...JSON.parse(form.dataset.judgeForm), ...fields });
    if (answer.status === 200 && answer.content.href) {
      note.textContent = "";
      window.dash_clientside.evalstore.navigate(answer.content.href);
    } else note.textContent = answer.status ? problemOf(answer) : "There was no answer: try again.";
  });

  new MutationObserver(() => {
    if (menu && !menu.chip.isConnected) closeMenu();
    const place = document.getElementById("judge");
    if (place && !place.filled) fill(place);
    // What was said here before, and is not stored yet, is sent.
    const here = document.querySelector("#page [data-judging-here]");
    if (here && !here.isSent) {
      here.isSent = true;
      senderOf(JSON.parse(here.dataset.judgingHere)).send();
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
