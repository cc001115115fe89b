// Groups of links and rows: each group is one stop of the Tab key, and the arrow keys move inside
// it.
//
// `data-roving` of an element selects the members of its group. Tab returns to the last used
// member.
(function () {
  const currentOf = new WeakMap();
  const membersOf = (group) => [...group.querySelectorAll(group.dataset.roving)];

  const arrange = (group) => {
    const members = membersOf(group);
    const kept = currentOf.get(group);
    const current = members.includes(kept) ? kept : members.find((one) => one.checkVisibility());
    for (const member of members) {
      const index = member === current ? 0 : -1;
      if (member.getAttribute("tabindex") !== String(index)) member.tabIndex = index;
    }
  };
  const groupOf = (target) => {
    const group = target.closest?.("#page [data-roving]");
    return group && target.matches(group.dataset.roving) ? group : null;
  };
  new MutationObserver(() =>
    document.querySelectorAll("#page [data-roving]").forEach(arrange),
  ).observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("focusin", ({ target }) => {
    const group = groupOf(target);
    if (!group) return;
    currentOf.set(group, target);
    arrange(group);
  });

  const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (event) => {
    const group = groupOf(event.target);
    if (!group || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const members = membersOf(group).filter((one) => one.checkVisibility());
    const at = members.indexOf(event.target);
    let next;
    if (event.key in STEPS) next = members[at + STEPS[event.key]];
    else if (event.key === "Home") next = members[0];
    else if (event.key === "End") next = members.at(-1);
    else return;
    event.preventDefault(); // the page must not scroll, even at the end of a group
    next?.focus();
  });
})();
