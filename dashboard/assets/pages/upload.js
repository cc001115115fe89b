// Adding files to a collection: they are hashed, sent in pieces to the HTTP API, and stored by a
// job. If the connection breaks, the page waits for it; parts that the server already has are not
// sent again.
(function () {
  const PIECE = 8 * 1024 * 1024;
  const AT_ONCE = 2; // the most files sent at once; the server accepts few
  const MOST_FAILURES = 12; // the most failures in a row; they take about four minutes
  const LONGEST_WAIT = 30; // seconds
  const SILENCE = 60; // seconds without progress of a request, after which it is sent again
  const AGAIN = new Set([0, 408, 429, 502, 503, 504]); // 0: no answer
  const OPEN = new Set(["waiting", "running"]);
  const NAME_TAKEN = new Set(["run has name", "removed run has name"]);

  // The reason why a file is not stored; `mayPass` if the same file may be accepted later.
  class Refused extends Error {
    constructor(message, mayPass = false) {
      super(message);
      this.mayPass = mayPass;
    }
  }

  // Encode names in addresses as dashboard/address.py does.
  const encodedTwice = /%(25)*2F|^(%(25)*2E){1,2}$/i;
  const inPage = (name) => {
    if (name === "." || name === "..") return name.replaceAll(".", "%252E");
    const text = encodeURIComponent(name);
    return encodedTwice.test(name) || name.includes("/") ? encodeURIComponent(text) : text;
  };

  // Send a request; its answer has the status 0 if there was none.
  const ask = (method, address, { body = null, headers = {}, sent = () => {} } = {}) =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      let silence = null;
      const sign = () => {
        clearTimeout(silence);
        silence = setTimeout(() => request.abort(), SILENCE * 1000);
      };
      request.open(method, address);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = (event) => {
        sign();
        sent(event.loaded);
      };
      request.onloadend = () => {
        clearTimeout(silence);
        let content = {};
        try {
          content = JSON.parse(request.responseText);
        } catch {
          // There is no content, or it is a page of a proxy.
        }
        resolve({
          status: request.status,
          header: (name) => request.getResponseHeader(name),
          content,
        });
      };
      sign();
      request.send(body);
    });

  // The name of a run comes from its file.
  const advised = (text, kind) =>
    NAME_TAKEN.has(kind) ? `${text}: rename the file, then add it again` : text;

  const problem = (answer) => {
    if (answer.status === 401) return "You are logged out: log in on another tab, then try again.";
    if (answer.status === 413 && !answer.content.detail)
      return "The file is larger than the server, or a proxy in front of it, takes.";
    const { detail, problem: kind } = answer.content;
    return detail ? advised(detail, kind) : `The server answered with the status ${answer.status}.`;
  };

  // 401: the user has logged in again; 409: the server has lost its part of the file.
  const mayPass = (status) => AGAIN.has(status) || status === 401 || status === 409 || status >= 500;
  const refusal = (answer) => new Refused(problem(answer), mayPass(answer.status));

  const size = (bytes) => {
    const units = ["bytes", "kB", "MB", "GB"];
    let step = 0;
    while (bytes >= 1000 && step < 3) [bytes, step] = [bytes / 1000, step + 1];
    return `${step ? bytes.toFixed(bytes < 10 ? 1 : 0) : bytes} ${units[step]}`;
  };

  const element = (tag, className, text = "") => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  };

  // A file in the list.
  class Row {
    constructor(file, onEnd) {
      this.file = file;
      this.onEnd = onEnd;
      this.item = element("li", "upload-file");
      const name = element("bdi", "upload-name", file.name);
      this.bar = element("progress", "upload-progress");
      this.bar.max = 1;
      this.bar.value = 0;
      this.bar.setAttribute("aria-label", file.name);
      this.state = element("span", "upload-state", "Waiting");
      this.detail = element("div", "upload-detail");
      this.item.append(name, element("span", "upload-size", size(file.size)), this.bar, this.state, this.detail);
    }

    show(state, part = null) {
      this.state.textContent = state;
      if (part === null) this.bar.removeAttribute("value");
      else this.bar.value = part;
    }

    end(state, className, ...details) {
      this.show(state, 1);
      this.item.classList.add(className);
      this.detail.replaceChildren(...details);
      this.onEnd(`${this.file.name}: ${state}`);
    }

    begin() {
      this.item.classList.remove("is-failed");
      this.detail.replaceChildren();
      this.show("Waiting", 0);
    }
  }

  // A file that is being sent: `to` has the address of the collection's API, and further fields.
  class Upload {
    constructor(row, to) {
      this.row = row;
      this.file = row.file;
      this.to = to;
      this.failures = 0;
    }

    async pause(answer) {
      this.failures += 1;
      if (this.failures > MOST_FAILURES)
        throw answer.status ? refusal(answer) : new Refused("The server can't be reached.", true);
      const asked = Number(answer.header?.("Retry-After")) || 0;
      const seconds = asked || Math.min(2 ** (this.failures - 1), LONGEST_WAIT);
      const why = answer.status ? "The server is busy" : "No connection";
      this.row.show(`${why}: goes on in ${seconds} s`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }

    // Send a request, again if the server can't accept it now, and return the answer.
    async answer(method, address, options) {
      for (;;) {
        const answer = await ask(method, address, options);
        if (!AGAIN.has(answer.status)) {
          this.failures = 0;
          return answer;
        }
        await this.pause(answer);
      }
    }

    // The number of bytes that the server has; null if it has the whole file.
    async offset(address) {
      const answer = await this.answer("HEAD", address);
      if (answer.status === 404) return 0;
      if (answer.status !== 200) throw refusal(answer);
      return answer.header("Upload-Complete") === "?1" ? null : Number(answer.header("Upload-Offset"));
    }

    async send(hash) {
      const address = `${this.to.api}/blobs/sha256:${hash}`;
      const total = this.file.size;
      const sent = (bytes) => this.row.show(`Sending ${Math.floor((100 * bytes) / total)} %`, bytes / total);
      let offset = await this.offset(address);
      while (offset !== null) {
        const [first, end] = [offset, Math.min(offset + PIECE, total)];
        sent(first);
        const answer = await ask("PUT", address, {
          body: this.file.slice(first, end),
          headers: {
            "Content-Type": "application/octet-stream",
            "Content-Range": `bytes ${first}-${end - 1}/${total}`,
          },
          sent: (bytes) => sent(Math.min(first + bytes, end)),
        });
        if (answer.status === 201) return;
        if (answer.status === 202) {
          this.failures = 0;
          offset = Number(answer.header("Upload-Offset"));
        } else if (AGAIN.has(answer.status) || answer.status === 409) {
          // 409: the server has a different part of it, or another tab sends the same file.
          await this.pause(answer);
          const failures = this.failures;
          offset = await this.offset(address);
          if (offset === first) this.failures = failures;
        } else throw refusal(answer);
      }
    }

    async store(hash) {
      const content = JSON.stringify({ ...this.to.content, blob: `sha256:${hash}`, file: this.file.name });
      const headers = { "Content-Type": "application/json" };
      return this.answer("POST", `${this.to.api}/${this.to.kind}`, { body: content, headers });
    }

    // Wait for the result of a job that takes longer.
    async result(job) {
      for (;;) {
        const answer = await this.answer("GET", `${this.to.prefix}/api/v1/jobs/${job.id}`);
        if (answer.status !== 200) throw refusal(answer);
        const { state, result, error, problem: kind } = answer.content;
        if (state === "done") return result;
        if (!OPEN.has(state))
          throw error ? new Refused(advised(error, kind)) : new Refused("The job was cancelled.", true);
        this.row.show(state === "waiting" ? "Waiting to be stored" : "Checking and storing");
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }

    async run() {
      if (!this.file.size) throw new Refused("The file is empty, or a folder.");
      const hash = await window.evalstoreSha256(this.file, (bytes) =>
        this.row.show("Reading", bytes / this.file.size),
      );
      // A file that is already stored is not sent again.
      this.row.show("Asking");
      let answer = await this.store(hash);
      if (answer.status === 409) {
        await this.send(hash);
        this.row.show("Checking and storing");
        answer = await this.store(hash);
      }
      if (answer.status === 202) return this.result(answer.content);
      if (answer.status !== 200 && answer.status !== 201) throw refusal(answer);
      return answer.content;
    }
  }

  const link = (href, text) => {
    const made = element("a", "");
    made.href = href;
    const name = element("bdi", "", text);
    made.append(name);
    return made;
  };

  const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

  // The stored content, as parts of a row.
  const stored = (result, to) => {
    const page = `${to.prefix}/c/${inPage(to.collection)}`;
    const lines = [];
    if (result.run) lines.push(link(`${page}/run/${inPage(result.run.name)}`, result.run.name));
    else if (result.qrels)
      lines.push(
        link(`${page}?qrels=${encodeURIComponent(result.qrels.name)}`, result.qrels.name),
        element("span", "", ` ${plural(result.judgments, "judgment", "judgments")} of ${plural(result.queries, "query", "queries")}`),
      );
    else if (result.documents !== undefined)
      lines.push(element("span", "", `texts of ${plural(result.stored, "document", "documents")} of ${result.documents.toLocaleString("en")}`));
    else lines.push(element("span", "", plural(result.queries, "query", "queries")));
    for (const text of result.warnings ?? []) {
      const line = element("p", "upload-warning", text);
      line.dir = "auto";
      lines.push(line);
    }
    return lines;
  };

  const valueOf = (name) => document.getElementById(`upload-${name}`)?.value.trim() ?? "";

  const contentOf = (kind) => {
    if (kind !== "runs") return {};
    const tags = valueOf("tags").split(",").map((tag) => tag.trim()).filter(Boolean);
    return {
      ...(valueOf("engine") && { engine: valueOf("engine") }),
      ...(valueOf("experiment") && { experiment: valueOf("experiment") }),
      ...(tags.length && { tags }),
    };
  };

  let sending = 0; // files that are not stored yet, over all pages that were open
  window.addEventListener("beforeunload", (event) => {
    if (sending) event.preventDefault();
  });

  const fill = (place) => {
    place.dataset.filled = "yes";
    const [, prefix] = window.location.pathname.match(/^(.*)\/c\/[^/]+\/upload\/?$/) ?? ["", ""];
    const queue = [];
    let running = 0;

    const input = element("input", "visually-hidden");
    input.type = "file";
    input.multiple = true;
    input.id = "upload-input";
    const button = element("label", "action upload-button", "Choose files");
    button.htmlFor = input.id;
    const area = element("div", "upload-area");
    area.append(element("p", "", "Drop files here, or"), input, button);
    const told = element("p", "visually-hidden");
    told.setAttribute("role", "status");
    const list = element("ul", "upload-list");
    list.setAttribute("aria-label", "Files");
    place.replaceChildren(area, told, list);

    const next = () => {
      while (running < AT_ONCE && queue.length) {
        running += 1;
        queue.shift()().finally(() => {
          running -= 1;
          sending -= 1;
          next();
        });
      }
    };

    const work = (row, to) => async () => {
      try {
        const result = await new Upload(row, to).run();
        const state = result.status === "already stored" ? "Stored already" : "Stored";
        row.end(state, "is-stored", ...stored(result, to));
      } catch (error) {
        const refused = error instanceof Refused;
        const text = refused ? error.message : `The file can't be read: ${error.message}`;
        const line = element("p", "upload-error", text);
        line.dir = "auto";
        if (!error.mayPass) {
          row.end("Failed", "is-failed", line);
          return;
        }
        const again = element("button", "quiet-action", "Try again");
        again.type = "button";
        again.setAttribute("aria-label", `Try again: ${row.file.name}`);
        again.onclick = () => {
          row.begin();
          input.focus();
          put(row, to);
        };
        row.end("Failed", "is-failed", line, again);
      }
    };

    const put = (row, to) => {
      sending += 1;
      queue.push(work(row, to));
      next();
    };

    const add = (files) => {
      const { collection, kind } = place.dataset;
      const api = `${prefix}/api/v1/collections/${encodeURIComponent(collection)}`;
      const to = { prefix, api, collection, kind, content: contentOf(kind) };
      for (const file of files) {
        const row = new Row(file, (text) => (told.textContent = text));
        list.append(row.item);
        put(row, to);
      }
    };

    input.addEventListener("change", () => {
      add([...input.files]);
      input.value = "";
    });
    // A file that is dropped outside the area must not replace the page.
    const over = (event) => {
      if (!place.isConnected || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      area.classList.toggle("is-over", event.type === "dragover");
      if (event.type === "drop") add([...event.dataTransfer.files]);
    };
    for (const kind of ["dragover", "drop"]) document.addEventListener(kind, over);
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) area.classList.remove("is-over");
    });
  };

  new MutationObserver(() => {
    const place = document.getElementById("upload");
    if (place && !place.dataset.filled) fill(place);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
