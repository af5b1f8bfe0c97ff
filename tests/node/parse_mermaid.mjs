// Reads diagrams as JSON strings, one a line, and answers each with a line: `null` when Mermaid parses it, else the error.
import { createInterface } from "node:readline";
import { JSDOM } from "jsdom";

// Mermaid sanitises labels while it parses, and its sanitiser wants a browser's window.
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;

const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });

for await (const line of createInterface({ input: process.stdin })) {
  let error = null;
  try {
    await mermaid.parse(JSON.parse(line));
  } catch (reason) {
    error = String(reason?.message ?? reason);
  }
  process.stdout.write(JSON.stringify(error) + "\n");
}
