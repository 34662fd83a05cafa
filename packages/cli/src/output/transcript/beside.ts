/** Beside: what is said of a Pod besides its conversation (title, what features show, children), as lines, each when it is another one than before. */
import type { Panel, PanelMark } from "@yoi/base";
import type { ChildNow, Live, PodView } from "@yoi/protocol";
import { type Block, block, lineBlock } from "./entry-blocks.ts";

type LiveBeside = Extract<Live, { readonly type: "title" | "panel" | "children" }>;

const marks: Readonly<Record<PanelMark, string>> = {
  todo: "[ ] ",
  doing: "[>] ",
  done: "[x] ",
  dropped: "[-] ",
  note: "",
};

export class Beside {
  #title: string | null = null;
  /** By feature, as it was shown. */
  readonly #panels = new Map<string, string>();
  #children: ReadonlyMap<string, string> = new Map();

  /** All of it as it is now; what is not named is not there. */
  snapshot({ title, panels = [], children = [] }: PodView): readonly Block[] {
    return [
      ...this.live({ type: "title", title: title ?? null }),
      ...panels.flatMap((panel) => this.live({ type: "panel", panel })),
      ...this.live({ type: "children", children }),
    ];
  }

  live(live: LiveBeside): readonly Block[] {
    switch (live.type) {
      case "title":
        return this.#titled(live.title);
      case "panel":
        return this.#shown(live.panel);
      case "children":
        return this.#doing(live.children);
    }
  }

  #titled(title: string | null): readonly Block[] {
    if (title === this.#title) return [];
    this.#title = title;
    return [lineBlock("-", title === null ? "has no title any more" : `titled: ${title}`)];
  }

  #shown({ feature, title, rows }: Panel): readonly Block[] {
    const lines = rows.map(({ mark, text }) => `${marks[mark]}${text}`);
    const text = rows.length === 0 ? "" : [`${title}:`, ...lines].join("\n");
    const before = this.#panels.get(feature) ?? "";
    this.#panels.set(feature, text);
    return text === "" || text === before ? [] : [block("-", text)];
  }

  #doing(children: readonly ChildNow[]): readonly Block[] {
    const now = new Map(children.map((child) => [child.name, doingText(child)]));
    const changed = [...now].filter(([name, text]) => text !== this.#children.get(name));
    const gone = [...this.#children.keys()].filter((name) => !now.has(name));
    this.#children = now;
    return [
      ...changed.map(([name, text]) => lineBlock("-", `child ${name}: ${text}`)),
      ...gone.map((name) => lineBlock("-", `child ${name}: its loan is back`)),
    ];
  }
}

function doingText({ state, approvals }: ChildNow): string {
  const waiting =
    approvals === 0 ? "" : approvals === 1 ? ", 1 call waits for you" : `, ${approvals} calls wait for you`;
  return `${state}${waiting}`;
}
