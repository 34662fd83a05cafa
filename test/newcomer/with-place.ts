/** Examples that name a place in a session, with a place that there is. */
import assert from "node:assert/strict";

/** An example of `rewind` or `fork` as a reader plays it: with an id out of the list in the place of the one it shows. */
export async function withPlace(example: string, list: () => Promise<string>): Promise<string> {
  const shown = /--(before|to) [\d-]+/.exec(example);
  if (shown === null) return example;
  const [whole, side = ""] = shown;
  const { targets } = JSON.parse(await list()) as {
    readonly targets: readonly { readonly id: string; readonly kind: string }[];
  };
  const of = targets.filter(({ kind }) => kind === (side === "before" ? "input" : "turn")).at(-1);
  assert.ok(of !== undefined, `nothing to put into ${example}`);
  return example.replace(whole, `--${side} ${of.id}`);
}
