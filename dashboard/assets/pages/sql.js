// The SQL page: its editor, running a statement, the cells of the answer.
(function () {
  const field = () => document.getElementById("sql-statement");
  const editor = () => {
    const place = document.getElementById("sql-editor");
    return place && (window.CodeMirror?.EditorView.findFromDOM(place) ?? null);
  };

  const run = () => {
    const { choose } = window.dash_clientside.evalstore;
    const before = window.location.href;
    const view = editor();
    if (view) window.CodeMirror.closeCompletion(view);
    const written = (view ? view.state.doc.toString() : field().value).trim();
    choose({ s: written || field().placeholder }); // nothing written: the example that is seen
    // The same statement is run again: the store may have changed.
    if (window.location.href === before) window.location.reload();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#sql-run")) run();
    // The answer is above the questions on a narrow screen.
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (isPlain && event.target.closest?.("#sql-questions a")) window.scrollTo(0, 0);
    const name = event.target.closest?.(".sql-insert");
    if (!name) return;
    const view = editor();
    (view ?? field()).focus();
    // Inserted as if it were typed, so that the user can undo it.
    if (view) view.dispatch(view.state.replaceSelection(name.textContent));
    else document.execCommand("insertText", false, name.textContent);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (!event.target.closest?.("#sql-statement, #sql-editor")) return;
    event.preventDefault();
    run();
  });

  // The editor: CodeMirror, loaded by the first SQL page. Without it there is the text field.
  const KEYWORDS =
    "all and as asc between by case cast cross current desc distinct else end escape except exists " +
    "filter first following from full group having in inner intersect is join last left like limit " +
    "not nulls offset on or order outer over partition preceding range recursive right row rows " +
    "select then unbounded union using values when where window with";
  const FUNCTIONS =
    "abs avg coalesce count dense_rank first_value lag last_value lower max min ntile nullif " +
    "replace round row_number sqrt substr sum trim upper";
  const NO_NAMES = ["QuotedIdentifier", "String", "LineComment", "BlockComment", "."];

  const column = ([label, info]) => ({ label, info, detail: "column", type: "property", boost: 1 });
  // The columns of the views that the statement names, or of all.
  const columnsOf = (views) => (context) => {
    const word = context.matchBefore(/\w+/);
    if (!word && !context.explicit) return null;
    const words = new Set(context.state.doc.toString().toLowerCase().match(/\w+/g));
    const named = views.filter(({ name }) => words.has(name));
    const columns = Object.assign({}, ...(named.length ? named : views).map((view) => view.columns));
    const options = Object.entries(columns).map(column);
    return { from: word ? word.from : context.pos, options, validFor: /^\w*$/ };
  };

  const language = (views) => {
    const { SQLDialect, ifNotIn, sql } = window.CodeMirror;
    const dialect = SQLDialect.define({
      keywords: KEYWORDS,
      builtin: FUNCTIONS,
      types: "integer numeric real text",
      caseInsensitiveIdentifiers: true,
    });
    const schema = Object.fromEntries(
      views.map(({ name, comment, columns }) => {
        const self = { label: name, info: comment, detail: "view", type: "class" };
        return [name, { self, children: Object.entries(columns).map(column) }];
      }),
    );
    const keywordCompletion = (label, type) =>
      ({ label: type === "keyword" ? label.toUpperCase() : label, type, boost: -1 });
    return [
      sql({ dialect, schema, keywordCompletion }),
      dialect.language.data.of({ autocomplete: ifNotIn(NO_NAMES, columnsOf(views)) }),
    ];
  };

  const make = (place, text) => {
    const { EditorView, keymap, ...code } = window.CodeMirror;
    // Tab leaves the editor, also over an open list. Ctrl+Enter runs the statement: it adds no line.
    const leave = { key: "Tab", run: (view) => code.closeCompletion(view) && false };
    const keys = code.defaultKeymap.filter(({ key }) => key !== "Mod-Enter");
    const hasFocus = document.activeElement === text;
    const view = new EditorView({
      parent: place,
      doc: text.value,
      selection: { anchor: text.selectionStart, head: text.selectionEnd },
      extensions: [
        language(JSON.parse(place.dataset.views)),
        code.autocompletion({ icons: false }),
        code.history(),
        keymap.of([leave, ...keys, ...code.historyKeymap]),
        code.lineNumbers(),
        code.placeholder(text.placeholder),
        code.syntaxHighlighting(code.classHighlighter),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": text.getAttribute("aria-label") }),
      ],
    });
    if (hasFocus) view.focus();
    // Another statement comes from the server into the text field; React also writes it as text.
    new MutationObserver(() => {
      const { doc } = view.state;
      if (doc.toString() !== text.value)
        view.dispatch({ changes: { from: 0, to: doc.length, insert: text.value } });
    }).observe(text, { childList: true, characterData: true, subtree: true });
  };

  let loaded = null;
  const load = (address) =>
    (loaded ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => (loaded = null));
      script.src = address;
      document.head.append(script);
    }));
  new MutationObserver(async () => {
    const place = document.getElementById("sql-editor");
    const text = field();
    if (!place || !text || place.dataset.begun) return;
    place.dataset.begun = "yes";
    await load(place.dataset.script);
    if (place.isConnected) make(place, text);
  }).observe(document.documentElement, { childList: true, subtree: true });

  window.dashAgGridFunctions = Object.assign({}, window.dashAgGridFunctions, {
    // Four decimals, or as many as needed to show that a value is not 0; ids keep every digit.
    sqlValue(value, kind) {
      if (value === null || value === undefined) return "NULL";
      if (typeof value !== "number") return value;
      if (kind !== "number") return String(value).replace("-", "−");
      const size = Math.abs(value);
      const text = size > 0 && size < 0.0001 ? size.toPrecision(3) : size.toFixed(4);
      return value < 0 ? `−${text}` : text;
    },
  });

  window.dashAgGridComponentFunctions = Object.assign({}, window.dashAgGridComponentFunctions, {
    // A run or a query, linked if the row says in which collection it is.
    SqlLink({ data, link, value, valueFormatted }) {
      const text = React.createElement("bdi", null, valueFormatted ?? value);
      return data[link] ? React.createElement("a", { href: data[link], tabIndex: -1 }, text) : text;
    },
  });
})();
