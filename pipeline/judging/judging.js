// Shows pairs in an order of the judge's own, takes ratings by keys or clicks, and keeps them in this browser.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const asked = data.questions.length;
  let judge = 0;
  let order = [];
  let place = 0;
  let again = 0; // the question that a digit answers where both have an answer
  let ratings = new Map();

  // mulberry32: the same numbers for the same seed in every browser.
  function numbers(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  function begin(number, given) {
    judge = number;
    const next = numbers(parseInt(data.sample.slice(0, 8), 16) + judge);
    order = data.pairs.map(([id, reference, translation]) => ({ id, reference, translation }));
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(next() * (last + 1));
      [order[last], order[other]] = [order[other], order[last]];
    }
    for (const pair of order) pair.isSwapped = next() < 0.5;
    ratings = new Map(order.map(({ id }) => [id, Array(asked).fill(null)]));
    const kept = given ?? stored();
    for (const [id, values] of Object.entries(kept ?? {})) if (ratings.has(id) && areRatings(values)) ratings.set(id, values);
    store();
    element("start").hidden = true;
    element("judging").hidden = false;
    place = Math.max(0, order.findIndex((pair) => isOpen(pair)));
    show();
  }

  const key = () => `paranmt judge ${data.sample} ${judge}`;
  const isOpen = (pair) => ratings.get(pair.id).includes(null);
  const question = () => isOpen(order[place]) ? ratings.get(order[place].id).indexOf(null) : again;
  const areRatings = (values) => Array.isArray(values) && values.length === asked
    && values.every((value) => value === null || [1, 2, 3].includes(value));

  function stored() {
    try { return JSON.parse(localStorage.getItem(key())); } catch { return null; }
  }

  function store() {
    try { localStorage.setItem(key(), JSON.stringify(Object.fromEntries(ratings))); } catch { /* saved by hand */ }
  }

  function show() {
    const pair = order[place];
    const texts = [[pair.reference, false], [pair.translation, true]];
    if (pair.isSwapped) texts.reverse();
    for (const [number, sentence] of document.querySelectorAll(".sentence").entries()) {
      const [text, isMarked] = texts[number];
      sentence.classList.toggle("marked", isMarked);
      sentence.querySelector(".tag").textContent = isMarked ? "marked" : "";
      sentence.querySelector(".text").textContent = text;
    }
    const given = ratings.get(pair.id);
    for (const [number, field] of document.querySelectorAll("fieldset").entries()) {
      field.classList.toggle("asked", number === question());
      for (const [choice, button] of field.querySelectorAll("button").entries()) {
        button.setAttribute("aria-pressed", String(given[number] === choice + 1));
      }
    }
    const done = order.filter((each) => !isOpen(each)).length;
    element("bar").value = done;
    element("done").textContent = `pair ${place + 1} of ${order.length}, ${done} judged`;
    element("previous").disabled = place === 0;
    element("next").disabled = place === order.length - 1;
    if (done === order.length) element("status").textContent = "All pairs are judged. Save your answers (s).";
  }

  function go(to) {
    place = Math.min(order.length - 1, Math.max(0, to));
    again = 0;
    element("status").textContent = "";
    show();
  }

  function goToOpen() {
    for (let step = 1; step <= order.length; step++) {
      const to = (place + step) % order.length;
      if (isOpen(order[to])) return go(to);
    }
    show();
  }

  function rate(number, rating) {
    const pair = order[place];
    const wasOpen = isOpen(pair);
    ratings.get(pair.id)[number] = rating;
    store();
    if (!wasOpen) again = (number + 1) % asked;
    if (wasOpen && !isOpen(pair)) goToOpen(); else show();
  }

  function save() {
    const content = { format: data.format, sample: data.sample, judge, ratings: Object.fromEntries(ratings) };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: "application/json" }));
    link.download = `judge-${judge}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    element("status").textContent = `Saved as ${link.download}.`;
  }

  async function load(file) {
    const problem = element("problem");
    problem.textContent = "";
    try {
      const content = JSON.parse(await file.text());
      if (content.format !== data.format || content.sample !== data.sample) throw new Error("it is of another page");
      if (!(content.judge >= 1 && content.judge <= data.judges)) throw new Error("it names no judge of this page");
      begin(content.judge, content.ratings);
    } catch (error) {
      problem.textContent = `${file.name} cannot be used: ${error.message}`;
    }
  }

  for (let number = 1; number <= data.judges; number++) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Judge ${number}`;
    button.addEventListener("click", () => begin(number));
    element("who").append(button, " ");
  }
  for (const [number, { ask, choices }] of data.questions.entries()) {
    const field = document.createElement("fieldset");
    const legend = document.createElement("legend");
    const row = document.createElement("div");
    legend.textContent = ask;
    row.className = "choices";
    for (const [choice, text] of choices.entries()) {
      const button = document.createElement("button");
      const digit = document.createElement("kbd");
      digit.textContent = String(choice + 1);
      button.type = "button";
      button.append(digit, ` ${text}`);
      button.addEventListener("click", () => rate(number, choice + 1));
      row.append(button);
    }
    field.append(legend, row);
    element("questions").append(field);
  }
  element("previous").addEventListener("click", () => go(place - 1));
  element("next").addEventListener("click", () => go(place + 1));
  element("open").addEventListener("click", goToOpen);
  element("save").addEventListener("click", save);
  element("load").addEventListener("change", (event) => load(event.target.files[0]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !judge) return;
    const digit = Number(event.key);
    if (digit >= 1 && digit <= 3) rate(question(), digit);
    else if (event.key === "ArrowLeft" || event.key === "p") go(place - 1);
    else if (event.key === "ArrowRight") go(place + 1);
    else if (event.key === "n") goToOpen();
    else if (event.key === "s") save();
    else return;
    event.preventDefault();
  });
})();
