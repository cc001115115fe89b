// Comments on a run or query: the comment of a link is scrolled to, and what the server answers to
// a new or deleted comment is shown.
(function () {
  const note = (text) => {
    document.getElementById("comment-note").textContent = text;
  };

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    comments: {
      written(answer) {
        if (!answer) return;
        note(answer.problem ?? (answer.deleted ? "Deleted." : ""));
        if (answer.deleted) document.getElementById(`comment-${answer.deleted}`)?.remove();
        if (!answer.href) return;
        window.dash_clientside.set_props("comment-text", { value: "" });
        // The page at this address has the new comment, and marks it.
        window.dash_clientside.evalstore.navigate(answer.href, true);
      },
    },
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#page [data-delete-comment]");
    const id = button?.dataset.deleteComment;
    if (id) window.dash_clientside.set_props("comment-delete", { data: id });
  });

  let scrolledTo = null;
  new MutationObserver(() => {
    const linked = document.querySelector("#page .comment.is-linked");
    if ((linked?.id ?? null) === scrolledTo) return;
    scrolledTo = linked?.id ?? null;
    linked?.scrollIntoView({ block: "center" });
  }).observe(document.documentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
})();
