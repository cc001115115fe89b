// A grid below the screen (of the class "late") is made when it comes onto the screen, or when someone
// begins to do something: to pass it by keys, to look for a text, to print.
(function () {
  const { createElement, useEffect, useRef, useState } = window.React;
  const { AgGrid } = window.dash_ag_grid;
  // The window is left (blur) for the menu of the browser.
  const DOING = ["keydown", "pointerdown", "touchstart", "wheel", "scroll", "focusin", "blur"];

  const heightOf = ({ style, rowData, dashGridOptions: { rowHeight, headerHeight } }) =>
    style.height === "auto" ? headerHeight + rowHeight * rowData.length : style.height;

  const Late = (props) => {
    const place = useRef(null);
    const [isDue, setDue] = useState(!/\blate\b/.test(props.className));
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
    if (isDue) return createElement(AgGrid, props);
    const style = { ...props.style, height: heightOf(props) };
    return createElement("div", { id: props.id, ref: place, className: props.className, style });
  };
  // What Dash reads of a component.
  Object.assign(Late, AgGrid);
  window.dash_ag_grid = { ...window.dash_ag_grid, AgGrid: Late };
})();
