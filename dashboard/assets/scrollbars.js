// Whether scroll bars float above what scrolls and take no room, as on phones and on macOS. AG Grid
// then has floating ones of its own, which lie over the last row and column, and which it shows and
// fades for half a second when a grid is made, though nobody scrolls. By this class a rule of
// evalstore.css gives them a place beside the rows, as where scroll bars take room.
(function () {
  const root = document.documentElement;
  const probe = document.createElement("div");
  Object.assign(probe.style, { overflow: "scroll", position: "absolute", width: "50px", height: "50px" });
  root.append(probe);
  root.classList.toggle("has-floating-bars", probe.offsetWidth === probe.clientWidth);
  probe.remove();
})();
