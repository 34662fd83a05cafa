/** What an open Pod shows beside history: its title, panels, the room that is left, what it and its children used, and what those do now. */
import { canonicalJson, type Panel, type Spent } from "@yoi/base";
import type { ContextNow, RunningCommand, SpentNow } from "@yoi/protocol";
import { checkedTitle } from "./discovery/title.ts";
import type { Watchers } from "./drive/watchers.ts";
import { ask } from "./open-reading.ts";
import type { OpenPodOptions } from "./pod-options.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { Present } from "./serve/served-pod.ts";
import { ChildrenNow } from "./spawn/children-now.ts";
import type { TreeBudget } from "./spawn/tree-budget.ts";
import { withoutArriving } from "./usage/arriving.ts";

/** Children say themselves when they change: of so many occasions one is enough to ask them all the same. */
const looksBetween = 5;

export interface OpenPresent {
  readonly now: () => Present;
  /** Looks at the children: what they do, and what they used. Never throws. */
  readonly look: () => Promise<void>;
  /** The same, now and then: for a hint that got lost. */
  readonly lookAgain: () => Promise<void>;
  /** Resolves when it is on record. Throws as `checkedTitle`, and what the store throws. */
  readonly setTitle: (title: string | null) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface PresentRequest {
  readonly options: OpenPodOptions;
  readonly session: Pick<OpenSession, "gate" | "record">;
  readonly spending: TreeBudget;
  readonly context: () => ContextNow;
  readonly panels: () => readonly Panel[];
  readonly commands: () => readonly RunningCommand[];
  readonly redact: (text: string) => string;
  readonly watchers: Watchers;
}

/** No step of a run reads anything for it: children are looked at when they say something, and now and then. */
export function openPresent(request: PresentRequest): OpenPresent {
  const { options, session, spending, context, panels, commands, redact, watchers } = request;
  const { gate, record } = session;
  const { lease, childHost, ports } = options;
  const children = new ChildrenNow({
    lease,
    timers: ports.timers,
    probe: childHost === undefined ? async () => null : (name) => ask(childHost, name),
    record: () => record.current,
    shown: (list) => watchers.show({ type: "children", children: list }),
  });
  const spent = (): SpentNow => {
    const { state } = gate;
    const known = (used: Spent) => paid(withoutArriving(used, state, true));
    return { ...known(state.spent), tree: known(spending.known) };
  };
  let looks = 0;
  const lookAtSpent = async (): Promise<void> => {
    const before = canonicalJson(spent());
    await spending.look();
    const now = spent();
    if (canonicalJson(now) !== before) watchers.show({ type: "spent", context: context(), spent: now });
  };
  const look = async (): Promise<void> => {
    const { children: open, reclaimed } = record.current;
    await Promise.all([children.look(), open.length + reclaimed.length > 0 ? lookAtSpent() : null]);
  };
  let known = "";
  const lookAtNew = (): void => {
    const names = record.current.children.map(({ name }) => name).join();
    if (names === known) return;
    known = names;
    void look();
  };
  record.watch(lookAtNew);
  lookAtNew();
  return {
    now: () => ({
      ...(record.current.title === undefined ? {} : { title: record.current.title }),
      context: context(),
      spent: spent(),
      ...unlessNone("commands", commands()),
      ...unlessNone("panels", panels()),
      ...unlessNone("children", children.list),
    }),
    look: () => look(),
    lookAgain: async () => {
      looks += 1;
      if (looks % looksBetween === 0 || children.list.some(({ state }) => state === "unknown")) await look();
    },
    setTitle: async (title) => {
      const checked = checkedTitle(title === null ? null : redact(title));
      await record.update({ title: checked });
      watchers.show({ type: "title", title: checked });
    },
    close: () => children.close(),
  };
}

function paid({ usage, cost_nano_usd, unpriced_requests }: Spent): Pick<SpentNow, "usage" | "cost"> {
  return { usage, cost: { nano_usd: cost_nano_usd, unpriced_requests } };
}

function unlessNone<K extends string, T>(
  name: K,
  list: readonly T[],
): Partial<Readonly<Record<K, readonly T[]>>> {
  return list.length === 0 ? {} : ({ [name]: list } as Record<K, readonly T[]>);
}
