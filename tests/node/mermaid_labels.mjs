// Reads diagrams as JSON strings, one a line, draws each, and answers with a line: the text of its labels, as JSON.
// Nothing here measures: every box has one size, which is all that a reader of labels needs of a layout.
import { createInterface } from "node:readline";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("");
for (const name of ["document", "Element", "SVGElement", "HTMLElement", "Node", "DOMParser", "XMLSerializer", "getComputedStyle"]) {
  globalThis[name] = window[name];
}
globalThis.window = window;
window.Element.prototype.getBBox = () => ({ x: 0, y: 0, width: 50, height: 20 });
window.SVGElement.prototype.getComputedTextLength = () => 50;
globalThis.CSSStyleSheet = class {
  cssRules = [];
  insertRule() {
    return 0;
  }
  replaceSync() {}
};

const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });

let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { svg } = await mermaid.render(`d${number++}`, JSON.parse(line));
  const drawn = new JSDOM(svg).window.document;
  for (const br of drawn.querySelectorAll("br")) br.replaceWith("\n");
  const labels = [...drawn.querySelectorAll("foreignObject")].map((label) => label.textContent.trim());
  process.stdout.write(JSON.stringify(labels.filter((label) => label)) + "\n");
}
