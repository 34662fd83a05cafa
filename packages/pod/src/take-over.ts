/** Taking a Pod over: its lease, what its parent lends it now, and what it runs with. */
import { YoiError } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { allocationOf } from "./spawn/allocate.ts";
import { type Lent, lentTo } from "./spawn/lent-to.ts";

/** Takes the lease and makes the setup. A new Pod that cannot start leaves no trace, not even of its lease. */
export async function takeOver(
  options: OpenPodOptions,
  undo: AsyncDisposableStack,
): Promise<{ readonly stored: PodRecord | null; readonly setup: PodSetup; readonly lent: Lent | null }> {
  const { name, pods } = options;
  const twin = await pods.findIgnoringCase(name);
  if (twin !== null && twin !== name) {
    throw new YoiError(
      "pod_exists",
      `The Pod name ${name} differs from the existing Pod ${twin} by case only: use that name, or another one.`,
    );
  }
  const early = (await pods.read(name)) === null ? await options.setup(null, null) : null;
  if (early !== null) {
    undo.defer(early.release);
    // Refused here it leaves no lock file; under the lease it is judged for good.
    await options.registry.check(allocationOf(options, early.scope.ceiling, null));
  }
  const lease = await options.lease.acquire(name, options.purpose);
  undo.defer(() => lease.release());
  const stored = await pods.read(name);
  const lent = stored === null ? null : await lentTo(stored, pods);
  const setup = early !== null && stored === null ? early : await options.setup(stored, lent);
  if (setup !== early) undo.defer(setup.release);
  return { stored, setup, lent };
}
