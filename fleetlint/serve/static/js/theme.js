// Light or dark: as the system says, until a button says otherwise.

import { byId } from "./dom.js";

const KEY = "fleetlint-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** @returns {string} `light`, `dark`, or `""` for the system's; also where storing is forbidden */
function stored() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

let chosen = stored();

export function isDark() {
  return chosen ? chosen === "dark" : system.matches;
}

/** @param {() => void} changed */
export function onTheme(changed) {
  const button = byId("theme");
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.setAttribute("aria-pressed", String(isDark()));
    changed();
  };
  button.addEventListener("click", () => {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // The choice then lasts as long as the page.
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
