/** A provider as the tests of the lowering see one: it differs in what a test says. */
import type { CommittedItem } from "@yoi/base";
import { lowerRequest } from "../../src/lowering/lower.ts";
import type { LoweringTraits } from "../../src/lowering/prompt.ts";
import { requestOf } from "../support.ts";

export const traits: LoweringTraits = {
  maker: { provider: "anthropic", id: "claude-test" },
  systemItems: "note",
  errorFlag: "kept",
  takesReasoning: (metadata) => "anthropic" in metadata,
  images: "result",
  imageBudget: { countMax: 100, base64BytesMax: 1000 },
  cacheMark: null,
};

/** The messages of a request with these items, without the system prompt. */
export function promptOf(items: readonly CommittedItem[], over: Partial<LoweringTraits> = {}) {
  return lowerRequest(requestOf(items), { ...traits, ...over }).prompt.slice(1);
}
