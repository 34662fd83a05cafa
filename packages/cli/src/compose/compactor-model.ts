/** The model that summarises when a Pod's history is compacted, where the configuration names one. */
import { type ModelChoice, parseModelRef, type ResolvedManifest } from "@yoi/manifest";

/** Null: it is the Pod's own. A provider of the user's and what the user says of the model count as for any other. */
export function compactorChoice({
  manifest: { compaction, model },
  definitions: { providers, models },
}: Pick<ResolvedManifest, "manifest" | "definitions">): ModelChoice | null {
  const parsed = compaction.model === null ? null : parseModelRef(compaction.model);
  if (parsed === null || (parsed.provider === model.provider && parsed.id === model.id)) return null;
  const provider = providers.find(({ name }) => name === parsed.provider);
  const definition = models.find(({ ref }) => ref === compaction.model);
  return {
    ...parsed,
    ...(provider === undefined ? {} : { provider_definition: provider }),
    ...(definition === undefined ? {} : { definition }),
  };
}
