// The buttons of a figure: save it as PNG or SVG, or what it draws as CSV.
(function () {
  // Spreadsheets read a text that begins so as a formula.
  const guarded = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const cell = (value) => {
    // Names are drawn between isolates, which no file needs.
    const text = guarded(String(value ?? "").replace(/[\u2068\u2069]/g, ""));
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = (figure) =>
    figure._fullData
      .filter((trace) => trace.visible === true && trace.hoverinfo !== "skip")
      .flatMap((trace) => {
        const ys = Array.from(trace.y ?? []);
        const xs = trace.x ? Array.from(trace.x) : ys.map((_, at) => trace.x0 + at * trace.dx);
        // Without a series, each point tells by itself which run or query it is.
        const name = (at) => trace._input.name ?? [trace.customdata?.[at]].flat()[0];
        return ys.map((y, at) => [name(at), xs[at], y]);
      });
  const save = (text, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".figure-buttons button");
    if (!button) return;
    const box = button.closest(".figure");
    const figure = box.querySelector(".js-plotly-plot");
    const { name } = button.parentElement.dataset;
    const format = button.textContent.toLowerCase();
    if (format === "csv") {
      const lines = [["series", "x", "y"], ...rows(figure)].map((row) => row.map(cell).join(","));
      save(`${lines.join("\r\n")}\r\n`, `${name}.csv`);
    } else window.Plotly.downloadImage(figure, { format, filename: name, scale: format === "png" ? 2 : 1 });
  });
})();
