"use strict";
// Filters and unfolds; without it everything is there, and folds by itself.
(() => {
  const get = (id) => document.getElementById(id);
  const challenges = [...document.querySelectorAll("details.challenge")];
  const level = get("level"), lost = get("lost"), shown = get("shown");
  function filter() {
    let count = 0;
    for (const challenge of challenges) {
      const losers = challenge.dataset.lost.split(" ");
      const wanted = (!level.value || challenge.dataset.level === level.value)
        && (!lost.value || losers.includes(lost.value));
      challenge.hidden = !wanted;
      count += wanted;
    }
    shown.textContent = `${count} of ${challenges.length} shown`;
  }
  function setOpen(open) {
    for (const challenge of challenges) if (!challenge.hidden) challenge.open = open;
  }
  level.addEventListener("change", filter);
  lost.addEventListener("change", filter);
  get("unfold").addEventListener("click", () => setOpen(true));
  get("fold").addEventListener("click", () => setOpen(false));
  document.querySelector("form.controls").hidden = false;
  filter();
})();
