// Light or dark: the system's choice unless the switch was used. No module, so that it runs before the first paint.
// biome-ignore lint/suspicious/noRedundantUseStrict: a plain script is not strict by itself
"use strict";
(() => {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      const kept = localStorage.getItem("oracular.theme");
      return ["light", "dark"].includes(kept) ? kept : null;
    } catch {
      return null; // storage may be switched off; then the system decides
    }
  }

  function apply() {
    const theme = chosen() ?? (system.matches ? "dark" : "light");
    root.dataset.theme = theme;
    name(theme);
  }

  function name(theme) {
    const word = document.querySelector("#theme .theme-word");
    if (word) word.textContent = theme === "dark" ? "Light" : "Dark"; // what pressing it does
  }

  function turn() {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("oracular.theme", next);
    } catch {
      // storage may be switched off; then the choice lasts as long as the page
    }
    apply();
    root.dataset.theme = next;
    name(next);
  }

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme").addEventListener("click", turn);
  });
})();
