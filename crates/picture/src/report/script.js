"use strict";
// Sorting: a header sorts up, once more down; words after numbers, missing values last.
// Wide tables are in parts, which have the same rows in the same order.
const tables = [...document.querySelectorAll("#runs table")];
const headers = document.querySelectorAll("#runs thead th");
const value = (row, place) => {
  const cell = row.children[place];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
};
const order = (one, other) => {
  if (one === "" || other === "") return (one === "") - (other === "");
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one < other ? -1 : Number(one > other);
};
tables.forEach((table) => table.querySelectorAll("thead th").forEach((header, place) => {
  header.querySelector("button").addEventListener("click", () => {
    const down = header.getAttribute("aria-sort") === "ascending";
    headers.forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows];
    const first = (row) => Number(row.dataset.place);
    rows.sort((one, other) => {
      const [a, b] = [value(one, place), value(other, place)];
      const missing = a === "" || b === "";
      return (down && !missing ? order(b, a) : order(a, b)) || first(one) - first(other);
    });
    const places = rows.map(first);
    tables.forEach((part) => {
      const own = new Map([...part.tBodies[0].rows].map((row) => [first(row), row]));
      part.tBodies[0].append(...places.map((at) => own.get(at)));
    });
  });
}));

// Values: the text of a mark is shown under the pointer, and read out while arrow keys go through a picture.
const tip = document.getElementById("tip");
const said = document.getElementById("said");
document.querySelectorAll("svg .mark > title").forEach((title) => {
  title.parentNode.dataset.says = title.textContent;
  title.remove();
});
const show = (mark, x, y) => {
  tip.textContent = mark.dataset.says;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 4))}px`;
};
const hide = () => { tip.hidden = true; };
document.querySelectorAll("figure").forEach((figure) => {
  const marks = [...figure.querySelectorAll(".mark[data-says]")];
  let chosen = -1;
  const choose = (place) => {
    marks[chosen]?.classList.remove("chosen");
    chosen = place;
    const mark = marks[chosen];
    if (!mark) return hide();
    mark.classList.add("chosen");
    const box = mark.getBoundingClientRect();
    show(mark, box.left + box.width / 2, box.top + box.height / 2);
    said.textContent = mark.dataset.says;
  };
  figure.addEventListener("pointermove", (event) => {
    const mark = event.target.closest(".mark[data-says]");
    if (mark) show(mark, event.clientX, event.clientY); else hide();
  });
  figure.addEventListener("pointerleave", hide);
  figure.addEventListener("blur", () => choose(-1));
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && marks.length > 0) {
      event.preventDefault();
      choose(Math.max(0, Math.min(marks.length - 1, chosen + step)));
    } else if (event.key === "Escape") {
      choose(-1);
    }
  });
});

// The scenario goes to the clipboard; if that is not allowed, it is selected.
document.getElementById("copy").addEventListener("click", async () => {
  const text = document.getElementById("scenario-text");
  const copied = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(text.textContent);
    copied.textContent = "copied";
  } catch {
    getSelection().selectAllChildren(text);
    copied.textContent = "selected: copy it with the keyboard";
  }
});

// What is wider than the window says so, until its end is reached.
const wide = (element) => {
  const hidden = element.scrollWidth - element.clientWidth;
  element.classList.toggle("wide", hidden > 1);
  element.classList.toggle("at-end", element.scrollLeft >= hidden - 1);
};
const sizes = new ResizeObserver((entries) => entries.forEach((entry) => wide(entry.target)));
document.querySelectorAll(".scroll, figure, pre").forEach((element) => {
  sizes.observe(element);
  element.addEventListener("scroll", () => wide(element), { passive: true });
});
