// The pad of letters (or colours, or digits): what you note yourself, and beside it, if wanted, what is proved.

import { h } from "./dom.js";
import { drawSymbol } from "./tokens.js";

const NOTED = { out: "crossed off by you", in: "ringed by you" };
const PROVED = { out: "proved out", in: "proved in" };

/** Return the pad: `element`, and `update(proved)` with what is proved of each symbol, or null. */
export function letterPad(game, notes, { own = true } = {}) {
  const buttons = new Map();
  const element = h("div", {
    class: `pad pad-${game.family}`,
    role: "group",
    "aria-label": own ? "Your notes: cross off or ring" : "What the answers prove",
    onkeydown: walk,
  });
  game.symbols.forEach((symbol, index) => {
    const button = h(
      "button",
      {
        type: "button",
        class: "pad-key",
        "data-symbol": symbol,
        tabindex: index === 0 ? 0 : -1,
        onclick: () => own && notes.turn(symbol),
        onfocus: () => roveTo(symbol),
      },
      drawSymbol(game, symbol),
      h("span", { class: "proof", "aria-hidden": "true" }),
    );
    buttons.set(symbol, button);
    element.append(button);
  });

  function roveTo(symbol) {
    for (const [name, button] of buttons) button.tabIndex = name === symbol ? 0 : -1;
  }

  function walk(event) {
    const symbols = game.symbols;
    const here = symbols.indexOf(event.target.dataset?.symbol);
    if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const first = buttons.get(symbols[0]).getBoundingClientRect().top;
    const across = symbols.filter((symbol) => buttons.get(symbol).getBoundingClientRect().top === first).length;
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
    let target = null;
    if (event.key in steps) target = symbols[here + steps[event.key]];
    else if (event.key === "Home") target = symbols[0];
    else if (event.key === "End") target = symbols.at(-1);
    else if (own && (event.key === "Delete" || event.key === "Backspace")) notes.set(symbols[here], null);
    else if (symbols.includes(event.key.toLowerCase())) target = event.key.toLowerCase();
    else return;
    event.preventDefault();
    buttons.get(target)?.focus();
  }

  function update(proved) {
    element.classList.toggle("shows-proofs", Boolean(proved));
    for (const [symbol, button] of buttons) {
      const noted = own ? notes.of(symbol) : null;
      const proof = proved?.[symbol];
      button.classList.toggle("noted-out", noted === "out");
      button.classList.toggle("noted-in", noted === "in");
      button.classList.toggle("proved-out", proof === "out");
      button.classList.toggle("proved-in", proof === "in");
      const known = [NOTED[noted], PROVED[proof]].filter(Boolean).join(", ");
      button.setAttribute("aria-label", `${symbol.toUpperCase()}: ${known || "unknown"}`);
    }
  }

  update(null);
  return { element, update };
}
