// The header's links: “Copy link”, and the files of the Export menu.
(function () {
  const { prefix } = document.documentElement.dataset; // as set by head.js
  // The path of the current page without the prefix.
  const pathname = () => window.location.pathname.slice(prefix.length);
  const box = () => document.getElementById("link-box");
  const menu = () => document.getElementById("export-menu");

  // Without a secure connection, browsers don't let scripts use the clipboard: then the link is
  // shown selected, and the user copies it.
  const copied = async (field) => {
    try {
      await navigator.clipboard.writeText(field.value);
      return true;
    } catch {
      field.focus();
      field.select();
      return document.execCommand("copy");
    }
  };

  // The form that saves the view on the screen under a name, for all who read its collection.
  const nameForm = () => {
    const [form, name, save] = ["form", "input", "button"].map((tag) => document.createElement(tag));
    name.placeholder = "Save this view as …";
    name.setAttribute("aria-label", "Save this view as");
    save.textContent = "Save";
    form.append(name, save);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      window.dash_clientside.set_props("view-name", { data: { name: name.value, at: Date.now() } });
    });
    return form;
  };
  document.addEventListener("click", (event) => {
    const key = event.target.closest?.("[data-remove-view]")?.dataset.removeView;
    if (key) window.dash_clientside.set_props("view-removed", { data: { key, at: Date.now() } });
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    links: {
      async copy(link) {
        if (!link) return;
        const field = document.createElement("input");
        field.readOnly = true;
        field.value = window.location.origin + link.href;
        field.setAttribute("aria-label", "Link");
        const text = document.createElement("p");
        box().replaceChildren(text, field);
        const how = (await copied(field)) ? "Link copied." : "Press Ctrl+C to copy the link.";
        text.textContent = [how, link.note].filter(Boolean).join(" ");
        if (link.mayName) box().append(nameForm());
      },
      // What the server answers to a name of the view, or to the removal of a named view.
      saved(answer) {
        if (!answer) return;
        const row = answer.removed && document.querySelector(`[data-view="${answer.removed}"]`);
        (row?.parentElement.children.length > 1 ? row : row?.closest("details"))?.remove();
        const text = document.createElement("p");
        text.textContent = answer.note;
        box().replaceChildren(text);
      },
    },
  });

  const close = () => {
    box()?.replaceChildren();
    if (menu()) menu().open = false;
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.(".copy-link")) box()?.replaceChildren();
    const inMenu = event.target.closest?.(".export-menu");
    if (menu()?.open && (!inMenu || event.target.closest("a"))) menu().open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (menu()?.open) menu().querySelector("summary").focus();
    close();
  });
  // Parameters can change without a new page.
  const renew = () => {
    const path = pathname().replace(/\/$/, "");
    for (const link of menu().querySelectorAll("a[data-file]"))
      link.href = `${prefix}/export${path}/${link.dataset.file}${window.location.search}`;
  };
  document.addEventListener("toggle", (event) => event.target === menu() && renew(), true);
  // The search clicks links of the closed menu.
  document.addEventListener("click", (event) => event.target.closest?.("a[data-file]") && renew(), true);
})();
