// The search of the header: Ctrl+K or Cmd+K, or its button, opens it; and the Close buttons of all
// dialogs. dashboard/components/search_dialog.py has its parts and finds the results.
(function () {
  const PAUSE = 120; // without typing, in milliseconds, before a text is searched
  const part = (name) => document.getElementById(`search-${name}`);
  const options = () => [...part("results").querySelectorAll("[role=option]")];
  const commands = () => [...document.querySelectorAll("[data-command]")];

  let number = 0; // of the last request
  let timer = null; // of a text that is not searched yet
  let entered = false; // Enter was pressed before the results of the text were there

  const choose = (option) => {
    for (const one of options()) one.setAttribute("aria-selected", String(one === option));
    if (!option) return part("text").removeAttribute("aria-activedescendant");
    part("text").setAttribute("aria-activedescendant", option.id);
    // With the first one its heading is seen too.
    (option === options()[0] ? option.parentElement : option).scrollIntoView({ block: "nearest" });
  };
  const chosen = () => options().find((one) => one.getAttribute("aria-selected") === "true");
  const areOfText = () =>
    timer === null && part("results").firstElementChild?.dataset.number === String(number);

  const ask = (text) => {
    window.clearTimeout(timer);
    timer = null;
    number += 1;
    const names = commands().map((one) => one.dataset.command);
    const data = { text, commands: names, number };
    window.dash_clientside.set_props("search-asked", { data });
  };
  const show = () => {
    if (!areOfText()) return;
    choose(options()[0]);
    if (entered) options()[0]?.click();
    entered = false;
  };
  const watcher = new MutationObserver(show);

  const open = () => {
    if (!part("dialog")) return; // the scripts have not drawn the page yet
    if (!part("dialog").open) {
      watcher.observe(part("results"), {
        childList: true,
        subtree: true,
        attributeFilter: ["data-number"],
      });
      entered = false;
      part("dialog").showModal();
      ask("");
    }
    part("text").focus();
  };

  const isK = ({ key, code }) => (/^[a-z]$/i.test(key) ? key.toLowerCase() === "k" : code === "KeyK");
  const STEPS = { ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && isK(event)) {
      event.preventDefault();
      open();
    } else if (event.target === part("text") && !event.isComposing) {
      const all = options();
      const step = STEPS[event.key];
      if (step) choose(all.at((all.indexOf(chosen()) + step) % all.length));
      else if (event.key !== "Enter") return;
      else if (areOfText()) chosen()?.click();
      else entered = true;
      event.preventDefault();
    }
  });
  document.addEventListener("input", (event) => {
    if (event.target !== part("text")) return;
    entered = false;
    window.clearTimeout(timer);
    timer = window.setTimeout(ask, PAUSE, event.target.value);
  });

  // Emptied now: when it opens again, that could come after the first letters. As if typed: the
  // component may not have told Dash of the last letters yet, and would keep them.
  const { set: write } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const empty = () => {
    write.call(part("text"), "");
    part("text").dispatchEvent(new Event("input", { bubbles: true }));
  };
  document.addEventListener("close", ({ target }) => target === part("dialog") && empty(), true);
  window.addEventListener("popstate", () => part("dialog")?.close());
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target.closest?.(".search-button")) open();
    // The dialog itself is the target of a click beside what it contains.
    else if (target.closest?.(".dialog-close") || target.matches?.(".dialog"))
      target.closest("dialog").close();
    const option = target.closest?.("#search-results [role=option]");
    if (!option || event.ctrlKey || event.metaKey) return;
    part("dialog").close();
    const name = option.dataset.clicks;
    if (name !== undefined) commands().find((one) => one.dataset.command === name)?.click();
  });
})();
