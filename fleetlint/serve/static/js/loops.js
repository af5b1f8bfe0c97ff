// Loops: strongly connected components, by Tarjan's way without recursion, as a chain may be thousands of roles long.

/**
 * The components with more than one member, each sorted, in the order of their first member.
 * @param {Map<string, string[]>} next what each node leads to
 * @returns {string[][]}
 */
export function components(next) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @type {Map<string, number>} */
  const low = new Map();
  /** @type {string[]} */
  const stack = [];
  const onStack = new Set();
  /** @type {string[][]} */
  const result = [];

  for (const root of next.keys()) {
    if (found.has(root)) continue;
    /** @type {{node: string, at: number}[]} */
    const calls = [{ node: root, at: 0 }];
    while (calls.length) {
      const call = calls[calls.length - 1];
      const { node } = call;
      if (call.at === 0) {
        found.set(node, found.size);
        low.set(node, number(found, node));
        stack.push(node);
        onStack.add(node);
      }
      const targets = next.get(node) ?? [];
      if (call.at < targets.length) {
        const target = targets[call.at++];
        if (!found.has(target)) calls.push({ node: target, at: 0 });
        else if (onStack.has(target)) low.set(node, Math.min(number(low, node), number(found, target)));
        continue;
      }
      calls.pop();
      const caller = calls[calls.length - 1];
      if (caller) low.set(caller.node, Math.min(number(low, caller.node), number(low, node)));
      if (low.get(node) !== found.get(node)) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack.delete(member);
      if (component.length > 1) result.push(component.sort());
    }
  }
  return result.sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

/**
 * @param {Map<string, number>} numbers
 * @param {string} key
 */
function number(numbers, key) {
  return /** @type {number} */ (numbers.get(key));
}
