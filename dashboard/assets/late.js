// A grid below the screen (of the class "late") is made when it comes onto the screen, or when someone
// begins to do something: to pass it by keys, to look for a text. What is printed can't wait for it: a
// table of the first rows stands on paper in its place.
(function () {
  const { createElement, useEffect, useRef, useState } = window.React;
  const { AgGrid } = window.dash_ag_grid;
  // The window is left (blur) for the menu of the browser.
  const DOING = ["keydown", "pointerdown", "touchstart", "wheel", "scroll", "focusin", "blur"];
  const ROWS = 20; // on paper: about those of a grid

  const heightOf = ({ style, rowData, dashGridOptions: { rowHeight, headerHeight } }) =>
    style.height === "auto" ? headerHeight + rowHeight * rowData.length : style.height;

  // What `grids.formatter` in Python says of a value.
  const textOf = ({ field, valueFormatter }, row) => {
    const [, format, counts] = valueFormatter?.function.match(/^(\w+)\(params\.value, (\w+)\)$/) ?? [];
    return format ? window.dashAgGridFunctions[format](row[field], counts === "true") : row[field];
  };

  const paper = ({ columnDefs, rowData }) => {
    const line = (tag, textIn) =>
      columnDefs.map((column) => {
        const className = column.cellClass === "cell-number" ? "number" : undefined;
        return createElement(tag, { key: column.field, className }, textIn(column));
      });
    const rows = rowData
      .slice(0, ROWS)
      .map((row, number) => createElement("tr", { key: number }, line("td", (column) => textOf(column, row))));
    const head = createElement("tr", null, line("th", (column) => column.headerName));
    const table = { className: "plain-table" };
    return [
      createElement("table", table, createElement("thead", null, head), createElement("tbody", null, rows)),
      rows.length < rowData.length && createElement("p", null, `The first ${ROWS} rows of ${rowData.length}.`),
    ];
  };

  // Whether paper is printed on which there would be no row: the key to print, too, begins a grid.
  const usePaper = (isLate, id) => {
    const [isPrinted, setPrinted] = useState(false);
    useEffect(() => {
      if (!isLate) return undefined;
      const begin = () => {
        const hasRows = document.getElementById(id)?.querySelector(".ag-row");
        if (!hasRows) window.ReactDOM.flushSync(() => setPrinted(true));
      };
      const end = () => setPrinted(false);
      window.addEventListener("beforeprint", begin);
      window.addEventListener("afterprint", end);
      return () => {
        window.removeEventListener("beforeprint", begin);
        window.removeEventListener("afterprint", end);
      };
    }, [isLate, id]);
    return isPrinted;
  };

  const Late = (props) => {
    const { id, className } = props;
    const isLate = /\blate\b/.test(className);
    const place = useRef(null);
    const [isDue, setDue] = useState(!isLate);
    const isPrinted = usePaper(isLate, id);
    useEffect(() => {
      if (isDue) return undefined;
      const make = () => setDue(true);
      const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && make());
      watch.observe(place.current);
      for (const event of DOING) window.addEventListener(event, make, { passive: true });
      return () => {
        watch.disconnect();
        for (const event of DOING) window.removeEventListener(event, make);
      };
    }, [isDue]);
    if (isPrinted) return createElement("div", { id, ref: place, className }, ...paper(props));
    if (isDue) return createElement(AgGrid, props);
    const style = { ...props.style, height: heightOf(props) };
    return createElement("div", { id, ref: place, className, style });
  };
  // What Dash reads of a component.
  Object.assign(Late, AgGrid);
  window.dash_ag_grid = { ...window.dash_ag_grid, AgGrid: Late };
})();
