/** What is refused to features, each thing once. */
import type { FeatureId, ServiceId } from "@yoi/feature";

export interface ServiceRefusal {
  readonly service: ServiceId;
  /** A sentence that names all there is to name. */
  readonly why: string;
}

export class Refusals {
  readonly #refused = new Map<FeatureId, Map<string, ServiceRefusal>>();

  get ids(): Iterable<FeatureId> {
    return this.#refused.keys();
  }

  has(id: FeatureId): boolean {
    return this.#refused.has(id);
  }

  add(id: FeatureId, refusal: ServiceRefusal): void {
    const refused = this.#refused.get(id) ?? new Map<string, ServiceRefusal>();
    this.#refused.set(id, refused.set(refusal.why, refusal));
  }

  /** Those of some, sorted: what is said does not depend on how it was found. */
  of(isMeant: (id: FeatureId) => boolean): ReadonlyMap<FeatureId, readonly ServiceRefusal[]> {
    return new Map(
      [...this.#refused]
        .filter(([id]) => isMeant(id))
        .map(([id, refused]) => [id, [...refused.values()].toSorted((a, b) => (a.why < b.why ? -1 : 1))]),
    );
  }
}
