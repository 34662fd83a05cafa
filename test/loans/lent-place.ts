/** A place with a loan in it: a workspace of which one directory is lent to a child, around it what belongs to the lender and to yoi. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Loan, Scope } from "@yoi/base";
import { effectiveScope, isWithin, scopeRule } from "@yoi/scope";
import { type EscapePlace, makePlace, treeLines } from "../escape/place.ts";
import { harness, type Harness, testPath } from "../escape/harness.ts";

export interface LentPlace {
  readonly place: EscapePlace;
  /** The child's, and what the lender keeps: alike in everything. */
  readonly lent: string;
  readonly kept: string;
  /** In what is lent, for lending on. */
  readonly inner: string;
  readonly loan: Loan;
  readonly scopes: { readonly lender: Scope; readonly lenderMeanwhile: Scope; readonly child: Scope };
  /** All that is there, but for what is in `left`. */
  snapshot(left: string): string;
  /** The workspace as it was. */
  reset(): void;
}

/** Both directories and the ones above them have the same names in them. */
export function makeLentPlace(): LentPlace {
  const place = makePlace(testPath);
  const { root, workspace } = place;
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const lent = join(workspace, "b/lent");
  const kept = join(workspace, "a/kept");
  for (const directory of [lent, kept, join(lent, "on/inner")]) {
    put(join(directory, "f.txt"), "as it was\n");
    put(join(directory, "sub/g.txt"), "as it was\n");
    put(join(dirname(directory), "beside.txt"), "as it was\n");
  }
  put(join(lent, ".git/HEAD"), "ref: refs/heads/main\n");
  put(join(lent, ".git/config"), "[core]\n");
  put(join(lent, ".git/hooks/x.sample"), "#!/bin/sh\n");
  put(join(root, "data/pods/parent/metadata.json"), `{"x":"CANARY-7f3a"}\n`);
  put(join(root, "data/registry.sqlite"), "CANARY-7f3a\n");
  const pristine = `${root}-pristine`;
  cpSync(workspace, pristine, { recursive: true });
  const lender = place.scope;
  const loan: Loan = {
    id: "0190a000-0000-7000-8000-000000000001",
    scope: {
      allow: [
        scopeRule(workspace, "read"),
        scopeRule(lent, "write"),
        ...lender.allow.filter(
          ({ permission, target }) => permission === "read" && !isWithin(workspace, target),
        ),
      ],
      deny: lender.deny,
    },
  };
  return {
    place: {
      ...place,
      remove: () => {
        place.remove();
        rmSync(pristine, { recursive: true, force: true });
      },
    },
    lent,
    kept,
    inner: join(lent, "on/inner"),
    loan,
    scopes: { lender, lenderMeanwhile: effectiveScope(lender, [loan]), child: loan.scope },
    snapshot: (left) =>
      treeLines(root)
        .filter((line) => !line.startsWith(`${left}/`))
        .join("\n"),
    reset: () => {
      rmSync(workspace, { recursive: true, force: true });
      cpSync(pristine, workspace, { recursive: true });
    },
  };
}

/** Runs `each` over `items` in two lanes, each with a place and a runner of its own; results in the order of the items. */
export async function inLanes<T, R>(
  items: readonly T[],
  each: (item: T, lane: LentPlace & { readonly box: Harness }) => Promise<R>,
  mode: "on" | "off" = "on",
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    const lent = makeLentPlace();
    const box = await harness({ mode, place: lent.place });
    try {
      for (let at = next++; at < items.length; at = next++) {
        const item = items[at];
        if (item !== undefined) results[at] = await each(item, { ...lent, box });
      }
    } finally {
      await box.close();
    }
  };
  await Promise.all([lane(), lane()]);
  return results;
}
