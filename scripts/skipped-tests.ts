/** A reporter for `node --test`, beside the usual one: at the end it counts the tests that were skipped, by reason, so that none goes unnoticed. */

interface TestEvent {
  readonly type: string;
  readonly data: { readonly name?: string; readonly skip?: string | boolean };
}

/** One line for each reason: `skipped: no bubblewrap (2 tests): name, name`. Nothing when nothing was skipped. */
export async function* skippedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const names = new Map<string, string[]>();
  for await (const { type, data } of events) {
    if (type !== "test:pass" || data.skip === undefined || data.skip === false) continue;
    const reason =
      data.skip === true || data.skip === "" ? "no reason given" : data.skip.replace(/^skipped: /, "");
    names.set(reason, [...(names.get(reason) ?? []), data.name ?? "a test without a name"]);
  }
  for (const [reason, skipped] of names) {
    yield `skipped: ${reason} (${skipped.length} ${skipped.length === 1 ? "test" : "tests"}): ${skipped.join(", ")}\n`;
  }
}

export default skippedTests;
