// Keys for the inbox, the theme, and what the page says after an act. No inline script anywhere: the policy forbids it.
"use strict";

const said = (text) => {
  const line = document.getElementById("said");
  line.textContent = text;
  clearTimeout(said.timer);
  said.timer = setTimeout(() => { line.textContent = ""; }, 4000);
};
const cards = () => [...document.querySelectorAll("#inbox > .card")];
const open = () => [...document.querySelectorAll("#inbox > .proposal")];
const current = () => document.activeElement.closest("#inbox > .card");
const focusOn = (card) => { if (card) { card.focus(); card.scrollIntoView({ block: "nearest" }); } };
const done = [];  // cards judged on this page, in that order
const count = (step) => {
  const box = document.getElementById("count");
  if (!box) { return; }
  box.dataset.n = Math.max(0, Number(box.dataset.n) + step);
  box.textContent = Number(box.dataset.n).toLocaleString("en");
};

const move = (step) => {
  const all = open();
  if (!all.length) { return; }
  const here = current();
  if (!here) { focusOn(all[0]); return; }
  const every = cards();
  for (let at = every.indexOf(here) + step; at >= 0 && at < every.length; at += step) {
    if (every[at].classList.contains("proposal")) { focusOn(every[at]); return; }
  }
};

const press = (key) => {
  const here = current();
  const card = key === "u" ? done.length && document.getElementById(done.at(-1)) : here && here.matches(".proposal") ? here : open()[0];
  const target = card && card.querySelector(`[data-key="${key}"]`);
  if (!target) { return; }
  if (target.tagName === "SUMMARY") {
    const box = target.parentElement;
    box.open = !box.open;
    if (box.open) { box.querySelector("textarea, input").focus(); }
  } else { target.click(); }
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) { return; }
  const typing = event.target.closest("input, textarea, select, dialog[open]");
  if (typing) { if (event.key === "Escape") { event.target.blur(); focusOn(event.target.closest(".card")); } return; }
  const acts = {
    j: () => move(1), k: () => move(-1), a: () => press("a"), r: () => press("r"), e: () => press("e"), m: () => press("m"),
    u: () => press("u"), "/": () => { location.href = "/search"; }, "?": () => document.getElementById("help").showModal(),
  };
  if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status === 422) {  // said, not swapped in: the card stays as it was
    const box = document.createElement("div");
    box.innerHTML = event.detail.xhr.responseText;
    said(box.textContent.trim());
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  const card = document.getElementById(event.detail.target.id);  // the new one: the event speaks of the one that left
  if (!card || !card.matches("#inbox > .card")) { return; }
  const waiting = open().length;
  if (card.classList.contains("done")) {
    done.push(card.id);
    said(card.querySelector(".told").textContent);
    count(-1);
    const every = cards();
    focusOn(every.slice(every.indexOf(card)).find((each) => each.classList.contains("proposal")) || (waiting ? open()[0] : card));
  } else {
    done.splice(done.indexOf(card.id), 1);
    said("taken back");
    count(1);
    focusOn(card);
  }
});
document.addEventListener("htmx:sendError", () => said("The desk does not answer. Is tacit desk still running?"));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status !== 422) { said(event.detail.xhr.responseText.slice(0, 200)); }
});

const here = document.querySelector(".top nav [aria-current]");
if (here) { here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.clientWidth / 2; }  // on a phone the row of screens is long

const theme = (name) => { if (name) { document.documentElement.dataset.theme = name; } else { delete document.documentElement.dataset.theme; } };
theme(localStorage.getItem("theme"));
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  localStorage.setItem("theme", next);
  theme(next);
});
document.getElementById("keys").addEventListener("click", () => document.getElementById("help").showModal());
document.getElementById("help-close").addEventListener("click", () => document.getElementById("help").close());

// A job's lines as they come; the journal while the inbox is open.
document.addEventListener("htmx:load", (event) => {
  for (const box of event.target.parentElement.querySelectorAll("[data-events]:not([data-open])")) {
    box.dataset.open = "yes";
    const source = new EventSource(box.dataset.events);
    source.addEventListener("line", (message) => {
      const line = document.createElement("li");
      line.textContent = JSON.parse(message.data);
      box.querySelector(".said").append(line);
    });
    source.addEventListener("over", () => { source.close(); said("done"); });
  }
});
if (document.querySelector("[data-journal]")) {
  const journal = new EventSource("/events/journal");
  journal.addEventListener("entry", (message) => {
    const entry = JSON.parse(message.data);
    if (entry.by === "learn" || entry.by === "tend") { said(`${entry.by}: ${entry.verb}, ${entry.reason}`); }
  });
}
