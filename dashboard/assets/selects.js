// Selects: typing replaces the chosen value, and Enter takes the highlighted option.
//
// Mantine's own Enter takes the option whose position it stored, and it stores the position of the
// chosen option in a timer after the list has opened. If a user types before that timer has run (on
// a busy machine), the position is lost: an option is highlighted but Enter does nothing.
//
// The select for a measure accepts any measure, listed or not: the server finds the measure that a
// text names.
(function () {
  let typing = null; // the field with typed text; all others show the chosen value
  let moved = false; // whether the arrow keys have moved to another option since
  const asked = new Map(); // the server's answers, by text

  const fieldOf = (target) =>
    target instanceof HTMLInputElement && target.closest(".select") ? target : null;
  const takesMeasure = (field) => field.closest(".takes-measure") !== null;
  const listOf = (field) => document.getElementById(field.getAttribute("aria-controls"));
  const highlighted = (list) =>
    list?.querySelector("[data-combobox-option][data-combobox-selected]");
  const stop = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const writes = (event) => {
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    if (isCommand && !event.getModifierState("AltGraph")) return false;
    return event.key.length === 1 || ["Backspace", "Delete", "Process"].includes(event.key);
  };

  document.addEventListener(
    "keydown",
    (event) => {
      const field = fieldOf(event.target);
      if (event.key === "Enter" && !event.isComposing) return enter(event, field);
      if (!field) return;
      if (event.key.startsWith("Arrow")) moved = true;
      if (field !== typing && writes(event)) field.select();
    },
    true,
  );
  document.addEventListener(
    "paste",
    (event) => {
      const field = fieldOf(event.target);
      if (field && field !== typing) field.select();
    },
    true,
  );
  document.addEventListener("focusin", (event) => fieldOf(event.target)?.select());
  document.addEventListener("focusout", (event) => {
    if (event.target === typing) typing = null;
  });
  document.addEventListener(
    "click",
    (event) => {
      if (event.target.closest?.("[data-combobox-option]")) typing = null;
    },
    true,
  );
  document.addEventListener("input", (event) => {
    const field = fieldOf(event.target);
    if (!field || !event.isTrusted) return;
    typing = field;
    moved = false;
    if (takesMeasure(field)) look(field);
  });

  const enter = (event, field) => {
    if (field && field === typing && takesMeasure(field) && !moved && field.value.trim()) {
      stop(event);
      return takeTyped(field);
    }
    const list = document.getElementById(event.target.getAttribute?.("aria-controls"));
    const option = highlighted(list);
    if (!option) return;
    stop(event);
    take(option);
  };
  const take = (option) => {
    typing = null;
    option.click();
  };

  // The meaning of a text: an option, or a problem; null without an answer.
  const ask = (text) => {
    if (!asked.has(text)) asked.set(text, fetched(text));
    return asked.get(text);
  };
  const fetched = async (text) => {
    const { prefix } = document.documentElement.dataset;
    try {
      const response = await fetch(`${prefix}/typed-measure?text=${encodeURIComponent(text)}`);
      if (response.ok) return await response.json();
    } catch {
      // No connection.
    }
    asked.delete(text);
    return null;
  };
  const answerTo = async (field) => {
    const text = field.value.trim();
    const answer = text ? await ask(text) : null;
    return field === typing && field.value.trim() === text ? answer : undefined;
  };

  const idOf = (field) => JSON.parse(field.id);
  const setProps = (field, props) => window.dash_clientside.set_props(idOf(field), props);
  const propsOf = (field) => window.dash_component_api.getLayout(idOf(field)).props;
  const say = (field, text) => {
    field.closest(".labelled").querySelector("[role=alert]").textContent = text;
  };

  // While a user types: the measure that the text names comes before those that only contain it.
  const look = async (field) => {
    say(field, "");
    const answer = await answerTo(field);
    if (answer?.problem) setProps(field, { nothingFoundMessage: answer.problem });
    // If the user has moved by arrow keys before the answer, the list and its position stay.
    if (answer?.value && !moved) await offer(field, answer);
  };

  // Make the option the first of the list and highlight it; null if it is gone.
  const offer = async (field, measure) => {
    const text = field.value.trim();
    const { data, value } = propsOf(field);
    const listed = data.filter((option) => !option.typed || option.value === value);
    const others = listed.filter((option) => option.value !== measure.value);
    const isListed = others.length < listed.length;
    const mine = { ...measure, typed: isListed ? undefined : true, means: text.toLowerCase() };
    const place = isListed ? listed.findIndex((option) => option.value === measure.value) : 0;
    setProps(field, { data: [...others.slice(0, place), mine, ...others.slice(place)] });
    for (let frames = 0; frames < 300 && !moved; frames += 1) {
      const option = listOf(field)?.querySelector("[data-combobox-option]");
      if (option?.querySelector(".measure-name")?.textContent === measure.label) {
        for (const other of listOf(field).querySelectorAll("[data-combobox-selected]"))
          for (const name of ["data-combobox-selected", "aria-selected"]) other.removeAttribute(name);
        for (const name of ["data-combobox-selected", "aria-selected"])
          option.setAttribute(name, "true");
        return option;
      }
      await new Promise(window.requestAnimationFrame);
      if (field !== typing || field.value.trim() !== text) return null;
    }
    return null;
  };

  const takeTyped = async (field) => {
    const answer = await answerTo(field);
    if (answer === undefined) return;
    const option = answer?.value ? await offer(field, answer) : highlighted(listOf(field));
    if (option && answer?.value === propsOf(field).value) return showChosen(field);
    if (option) return take(option);
    say(field, answer?.problem ?? "The dashboard does not answer.");
    showChosen(field);
  };

  // Show the chosen value again, as text that typing replaces, and close the list.
  const showChosen = (field) => {
    const { data, value } = propsOf(field);
    const label = data.find((option) => option.value === value)?.label ?? "";
    typing = null;
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    set.call(field, label);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    window.requestAnimationFrame(() => {
      const escape = { key: "Escape", code: "Escape", bubbles: true, cancelable: true };
      field.dispatchEvent(new KeyboardEvent("keydown", escape));
      field.select();
    });
  };
})();
