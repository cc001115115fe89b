// Enter in a list of choices takes the option that is highlighted.
//
// Mantine's own Enter takes the option whose position it noted, and it notes the position of the
// chosen option in a timer after the list has opened. When someone types before that timer has run
// (a busy machine), the position is lost: an option is highlighted and Enter does nothing.
(function () {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      const list = document.getElementById(event.target.getAttribute?.("aria-controls"));
      const option = list?.querySelector("[data-combobox-option][data-combobox-selected]");
      if (!option) return;
      event.preventDefault();
      event.stopPropagation();
      option.click();
    },
    true,
  );
})();
