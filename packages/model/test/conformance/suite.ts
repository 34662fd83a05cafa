/** The conformance suite of a model adapter: what every one does with every answer, over real HTTP on loopback. */
import { abortsConformance } from "./aborts.ts";
import type { Adapter } from "./adapter.ts";
import { answersConformance } from "./answers.ts";
import { faultsConformance } from "./faults.ts";
import { namedConformance } from "./named.ts";
import { prefixConformance } from "./prefix.ts";
import { refusalsConformance } from "./refusals.ts";
import { retriesConformance } from "./retries.ts";

/** Registers the suite's tests for an adapter. */
export function adapterConformance(adapter: Adapter): void {
  answersConformance(adapter);
  refusalsConformance(adapter);
  namedConformance(adapter);
  prefixConformance(adapter);
  retriesConformance(adapter);
  faultsConformance(adapter);
  abortsConformance(adapter);
}
