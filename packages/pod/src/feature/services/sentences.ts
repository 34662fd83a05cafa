/** Sentences about features, each said once. */
import type { FeatureId } from "@yoi/feature";

export class Sentences {
  readonly #said = new Map<FeatureId, Set<string>>();

  get ids(): Iterable<FeatureId> {
    return this.#said.keys();
  }

  has(id: FeatureId): boolean {
    return this.#said.has(id);
  }

  add(id: FeatureId, sentence: string): void {
    const said = this.#said.get(id) ?? new Set();
    this.#said.set(id, said.add(sentence));
  }

  /** Those of some, sorted: what is said does not depend on how it was found. */
  of(isMeant: (id: FeatureId) => boolean): ReadonlyMap<FeatureId, readonly string[]> {
    return new Map(
      [...this.#said].filter(([id]) => isMeant(id)).map(([id, said]) => [id, [...said].toSorted()]),
    );
  }
}
