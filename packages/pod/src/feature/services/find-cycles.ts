/** Cycles of a directed graph: its strongly connected components (Tarjan's algorithm, without recursion). */

/** The component of each node, as a number; nodes share one when each can be reached from the other. `edges` names only nodes there are. */
export function componentsOf<N>(
  nodes: readonly N[],
  edges: (node: N) => readonly N[],
): ReadonlyMap<N, number> {
  const component = new Map<N, number>();
  const index = new Map<N, number>();
  const low = new Map<N, number>();
  const open: N[] = [];
  let components = 0;
  for (const root of nodes) {
    if (index.has(root)) continue;
    const path: { readonly node: N; readonly rest: N[] }[] = [];
    const enter = (node: N): void => {
      low.set(node, index.size);
      index.set(node, index.size);
      open.push(node);
      path.push({ node, rest: [...edges(node)] });
    };
    const lower = (node: N, to: number): void => void low.set(node, Math.min(low.get(node) ?? to, to));
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next !== undefined) {
        const seen = index.get(next);
        if (seen === undefined) enter(next);
        else if (!component.has(next)) lower(top.node, seen);
        continue;
      }
      path.pop();
      const reached = low.get(top.node) ?? 0;
      const above = path.at(-1);
      if (above !== undefined) lower(above.node, reached);
      if (reached !== index.get(top.node)) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component.set(member, components);
        if (member === top.node) break;
      }
      components += 1;
    }
  }
  return component;
}
