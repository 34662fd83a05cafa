/** OwnRecord: the metadata of the Pod that this process owns. Its writes go one after the other, each from what the one before stored. */
import { type PodName, YoiError } from "@yoi/base";
import type { ChildRecord, PodRecord, PodStore, PodUpdate, ReclaimedChild } from "@yoi/pod-store";

export class OwnRecord {
  readonly #pods: PodStore;
  #current: PodRecord;
  /** A write failed, and what of it is stored could not be read. */
  #isUnsure = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #watchers: (() => void)[] = [];

  /** Under the Pod's lease, with what was stored last. */
  constructor(pods: PodStore, record: PodRecord) {
    this.#pods = pods;
    this.#current = record;
  }

  /** As it is stored, as far as that is known: `certain` asks where a write failed. */
  get current(): PodRecord {
    return this.#current;
  }

  /** The child of this name with an open loan; null: there is none. */
  openChild(name: string): ChildRecord | null {
    return this.#current.children.find((child) => child.name === name) ?? null;
  }

  /** Told behind each write that is stored. */
  watch(stored: () => void): void {
    this.#watchers.push(stored);
  }

  update(update: PodUpdate): Promise<PodRecord> {
    return this.#write((record) => this.#pods.update(record.name, record, update));
  }

  putChild(child: ChildRecord): Promise<PodRecord> {
    return this.#write((record) => this.#pods.putChild(record.name, record, child));
  }

  /** As it is stored, when all that was asked for before is done. Throws what the store throws where that is not known. */
  certain(): Promise<PodRecord> {
    return this.#write(async (record) => record);
  }

  reclaimChild(child: PodName, how: Pick<ReclaimedChild, "reason" | "atMs"> | null): Promise<PodRecord> {
    return this.#write((record) => this.#pods.reclaimChild(record.name, record, child, how));
  }

  /** The Pod that has the name now; any that had it, where it is to be a peer no longer. Throws pod_unknown. */
  async setPeer(peer: PodName, isPeer: boolean): Promise<PodRecord> {
    const found = isPeer ? await this.#pods.read(peer) : null;
    if (isPeer && found === null)
      throw new YoiError(
        "pod_unknown",
        `There is no Pod named ${peer} to be a peer: \`yoi pod list\` shows the ones there are.`,
      );
    const session = found?.pointer.session ?? null;
    return this.#write((record) => this.#pods.setPeer(record.name, record, peer, session));
  }

  #write(write: (record: PodRecord) => Promise<PodRecord>): Promise<PodRecord> {
    const next = this.#last.then(async () => {
      if (this.#isUnsure) await this.#readAgain();
      try {
        this.#current = await write(this.#current);
        for (const stored of this.#watchers) stored();
        return this.#current;
      } catch (error) {
        // It may be stored all the same: the disk may have failed behind the last step. Another writer's record is none of ours.
        if (!(error instanceof YoiError && error.code === "metadata_conflict")) {
          this.#isUnsure = true;
          await this.#readAgain().catch(keepUnsure);
        }
        throw error;
      }
    });
    // The next one writes from what is stored, whatever became of this one.
    this.#last = next.catch(() => {});
    return next;
  }

  /** What a later owner stored is not taken for ours: the next write is refused. */
  async #readAgain(): Promise<void> {
    const { name, epoch } = this.#current;
    const stored = await this.#pods.read(name);
    if (stored?.epoch === epoch) this.#current = stored;
    this.#isUnsure = false;
  }
}

/** The next write reads it again, and throws what that throws. */
function keepUnsure(): void {}
