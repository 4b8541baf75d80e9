// The browser of examples: shows those of one score and decile, which the address's fragment may name,
// as in #score=perplexity&decile=3.
"use strict";
(() => {
  const form = document.getElementById("choose-examples");
  const list = document.getElementById("example-list");
  const shown = document.getElementById("examples-shown");
  const { score, decile } = form.elements;
  const articles = Array.from(list.children, (element) => ({
    element,
    deciles: new Map(element.dataset.shownFor.trim().split(" ").map((entry) => entry.split("="))),
  }));

  function show() {
    const chosen = articles.filter(({ deciles }) =>
      decile.value ? deciles.get(score.value) === decile.value : deciles.has(score.value));
    chosen.sort((a, b) => a.deciles.get(score.value) - b.deciles.get(score.value));
    for (const { element } of articles) element.hidden = true;
    for (const { element } of chosen) {
      element.hidden = false;
      list.append(element);
      for (const line of element.querySelectorAll("dl > div")) {
        line.classList.toggle("chosen-score", line.firstElementChild.textContent === score.value);
      }
    }
    const what = decile.value ? `decile ${decile.value} of ` : "";
    const name = document.createElement("code");
    name.textContent = score.value;
    const end = decile.value ? "." : ", by decile.";
    const examples = chosen.length === 1 ? "example" : "examples";
    shown.replaceChildren(`${chosen.length} ${examples} of ${what}`, name, end);
  }

  function choose(select, value) {
    if (Array.from(select.options).some((option) => option.value === value)) select.value = value;
  }

  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!wanted.has("score")) return;
    choose(score, wanted.get("score"));
    choose(decile, wanted.get("decile") ?? "");
    show();
    form.scrollIntoView({ behavior: "instant" });
  }

  form.addEventListener("change", () => {
    const wanted = new URLSearchParams({ score: score.value, decile: decile.value });
    history.replaceState(null, "", `#${wanted}`);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", readAddress);
  form.hidden = false;
  choose(decile, "1"); // a few examples, so that the sections below are near
  show();
  readAddress();
})();
