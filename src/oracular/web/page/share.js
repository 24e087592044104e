// Giving others the address of a game, to watch.

import { h, say } from "./dom.js";

/** Return a button that copies the page's address, or shows it where copying is not allowed. */
export function shareButton() {
  const text = h("span", {}, "Share");
  const title = "Others may watch at this address; only you can move";
  const button = h("button", { type: "button", class: "quiet", title, onclick: share }, text);
  const address = h("input", {
    class: "address",
    type: "text",
    readonly: true,
    hidden: true,
    "aria-label": "The address of this game",
    onfocus: (event) => event.target.select(),
  });
  return h("span", { class: "share" }, button, address);

  async function share() {
    const link = location.origin + location.pathname;
    try {
      await navigator.clipboard.writeText(link);
      text.textContent = "Address copied";
      say("The address of this game is copied. Others may watch at it; only you can move.");
      setTimeout(() => {
        text.textContent = "Share";
      }, 2500);
    } catch {
      address.value = link;
      address.hidden = false;
      address.focus();
    }
  }
}
