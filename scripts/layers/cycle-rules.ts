/** No cycle of imports that load code: neither between files nor between packages. Types may refer to each other. */
import type { Fault } from "./fault.ts";
import type { Edge } from "./import-rules.ts";

export function checkCycles(edges: readonly Edge[]): readonly Fault[] {
  const loading = edges.filter((edge) => edge.found.how !== "type");
  const files = cycles(loading.map((edge) => ({ from: edge.from.path, to: edge.to.path, edge })));
  const packages = cycles(
    loading
      .filter((edge) => edge.from.package !== edge.to.package)
      .map((edge) => ({ from: edge.from.package, to: edge.to.package, edge })),
  );
  return [
    ...files.map((cycle) =>
      fault(cycle, "cycle/file", "Move what both need below both, or import the type only."),
    ),
    ...packages.map((cycle) => fault(cycle, "cycle/package", "One of the two is handed what it needs.")),
  ];
}

interface Arc {
  readonly from: string;
  readonly to: string;
  readonly edge: Edge;
}

function fault(cycle: readonly Arc[], rule: string, instead: string): Fault {
  const [first] = cycle;
  return {
    path: first?.edge.from.path ?? "",
    line: first?.edge.found.line ?? null,
    what: `imports go in a circle: ${cycle.map((arc) => arc.from).join(" -> ")} -> ${first?.from}`,
    rule,
    instead,
  };
}

/** One shortest cycle through each arc that starts at the least name of its circle; each circle once. */
function cycles(arcs: readonly Arc[]): readonly (readonly Arc[])[] {
  const outgoing = Map.groupBy(arcs, (arc) => arc.from);
  const found = new Map<string, readonly Arc[]>();
  for (const start of arcs) {
    const circle = pathBack(start, outgoing);
    if (circle === null) continue;
    const key = [...new Set(circle.map((arc) => arc.from))].sort().join(" ");
    if (!found.has(key)) found.set(key, circle);
  }
  return [...found.values()];
}

/** The shortest way from the end of `start` to its beginning, `start` first; null when there is none. */
function pathBack(start: Arc, outgoing: ReadonlyMap<string, readonly Arc[]>): readonly Arc[] | null {
  const reached = new Map<string, readonly Arc[]>([[start.to, [start]]]);
  for (const [node, path] of reached) {
    if (node === start.from) return path;
    for (const arc of outgoing.get(node) ?? []) {
      if (!reached.has(arc.to)) reached.set(arc.to, [...path, arc]);
    }
  }
  return null;
}
