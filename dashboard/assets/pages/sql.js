// The SQL page: running a statement, and the format of values.
(function () {
  const field = () => document.getElementById("sql-statement");

  const run = () => {
    const { choose } = window.dash_clientside.evalstore;
    const before = window.location.href;
    choose({ s: field().value.trim() });
    // The same statement is run again: the store may have changed.
    if (window.location.href === before) window.location.reload();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#sql-run")) run();
    const name = event.target.closest?.(".sql-insert");
    if (!name) return;
    field().focus();
    // Inserted as if it were typed, so that the user can undo it.
    document.execCommand("insertText", false, name.textContent);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (event.target !== field() || field() === null) return;
    event.preventDefault();
    run();
  });

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
})();
