// Detects scroll bars that float above the content and take no space, as on phones and on macOS. AG
// Grid then has floating ones of its own, which cover the last row and column, and which it shows
// and fades for half a second when a grid is made, even without scrolling. With this class, a rule
// of evalstore.css puts them beside the rows, like scroll bars that take space.
(function () {
  const root = document.documentElement;
  const probe = document.createElement("div");
  Object.assign(probe.style, { overflow: "scroll", position: "absolute", width: "50px", height: "50px" });
  root.append(probe);
  root.classList.toggle("has-floating-bars", probe.offsetWidth === probe.clientWidth);
  probe.remove();
})();
