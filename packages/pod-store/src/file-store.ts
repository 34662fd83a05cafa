/** Pod metadata in `<data>/pods/<name>/metadata.json`, through the files port. Nothing else reads or writes those files. */
import { messageOf, podName, YoiError, type Clock, type JsonObject, type PodName } from "@yoi/base";
import { type FileStat, type Files, sweepTemporaries } from "@yoi/host";
import { decodeRecord, encodeRecord, metadataBytesMax, type StoredRecord } from "./record-codec.ts";
import { withChild, withoutChild, withPeer } from "./kin.ts";
import type { Expected, PodListing, PodRecord, PodStore, PodUpdate } from "./store.ts";

export interface PodStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** The data directory; Pods are in `<dataDir>/pods`. */
  readonly dataDir: string;
}

/** Of a record; a title of null is one no longer. */
type Changed = Partial<Omit<PodRecord, "title">> & Pick<PodUpdate, "title">;

export function createPodStore(options: PodStoreOptions): PodStore {
  const { files, clock } = options;
  const root = `${options.dataDir}/pods`;
  /** Whatever it was told about its type: what is no Pod name is never part of a path that is written. */
  const directoryOf = (name: PodName): string => `${root}/${podName(name)}`;
  const pathOf = (name: PodName): string => `${directoryOf(name)}/metadata.json`;
  const oneAtATime = queueByName();

  /** @param counterMax of the counters; a greater one is damage. */
  async function load(name: PodName, counterMax?: number): Promise<StoredRecord | null> {
    const path = pathOf(name);
    const stat = await files.stat(path);
    if (stat === null) return null;
    // One byte over the limit is enough to be refused: a huge file is not read whole.
    const bytes =
      stat.bytes > metadataBytesMax
        ? await files.readRange(path, 0, metadataBytesMax + 1)
        : await files.read(path);
    return bytes === null ? null : decodeRecord(bytes, name, path, counterMax);
  }

  /** The file of a name that has metadata, good or bad. A directory without it is what a crash left of a creation, and is no Pod. */
  async function statOf(name: string): Promise<FileStat | null> {
    const isDirectory = (await files.stat(`${root}/${name}`))?.kind === "directory";
    return isDirectory ? files.stat(`${root}/${name}/metadata.json`) : null;
  }

  async function findIgnoringCase(name: PodName): Promise<string | null> {
    const wanted = name.toLowerCase();
    for (const other of await files.list(root)) {
      if (other !== name && other.toLowerCase() === wanted && (await statOf(other)) !== null) return other;
    }
    return null;
  }

  async function refuseCaseTwin(name: PodName): Promise<void> {
    const twin = await findIgnoringCase(name);
    if (twin === null) return;
    throw new YoiError(
      "pod_exists",
      `A Pod named ${twin} exists, and ${name} differs from it by case only: use ${twin} or another name.`,
    );
  }

  /** What killed owners left half-written goes first: whoever replaces the record holds the lease, so nobody else is about to. */
  async function replaceRecord(name: PodName, bytes: Uint8Array): Promise<void> {
    await sweepTemporaries(files, directoryOf(name));
    await files.replace(pathOf(name), bytes);
  }

  /** `fields`: what changes of the record as it is stored; null: nothing, and nothing is written. */
  function change(
    name: PodName,
    expected: Expected,
    fields: (stored: PodRecord) => Changed | null,
  ): Promise<PodRecord> {
    return oneAtATime(name, async () => {
      // Both counters can be counted on.
      const stored = await load(name, Number.MAX_SAFE_INTEGER - 1);
      if (stored === null) {
        throw new YoiError(
          "pod_unknown",
          `There is no Pod named ${name}: \`yoi pod list\` shows those that exist.`,
        );
      }
      const { revision, epoch } = stored.record;
      if (revision !== expected.revision || epoch !== expected.epoch) {
        throw new YoiError(
          "metadata_conflict",
          `The metadata of the Pod ${name} is at revision ${revision} of epoch ${epoch}, not at ${expected.revision} of ${expected.epoch}: another writer changed it; read it again and repeat the change.`,
          { place: { path: pathOf(name) } },
        );
      }
      const changed = fields(stored.record);
      if (changed === null) return stored.record;
      const { title: before = null, ...kept } = stored.record;
      const { title = before, ...others } = changed;
      const record: PodRecord = {
        ...kept,
        ...others,
        ...(title === null ? {} : { title }),
        name,
        revision: revision + 1,
        updatedMs: clock.now(),
      };
      const written = encodeChecked(record, stored.fields, pathOf(name));
      await replaceRecord(name, written.bytes);
      return written.record;
    });
  }

  async function removeNow(name: PodName): Promise<void> {
    if ((await files.stat(directoryOf(name))) === null) return;
    // The metadata goes first: a crash in between leaves a directory that is no Pod, never half a Pod.
    await files.removeFile(pathOf(name));
    await files.syncDirectory(directoryOf(name));
    await files.removeTree(directoryOf(name));
    await files.syncDirectory(root);
  }

  return {
    async read(name) {
      return (await load(name))?.record ?? null;
    },

    create: ({ name, pointer, epoch = 0, manifest, parent = null }) =>
      oneAtATime(name, async () => {
        if ((await files.stat(pathOf(name))) !== null) {
          throw new YoiError("pod_exists", `A Pod named ${name} exists: continue it, or use another name.`);
        }
        await refuseCaseTwin(name);
        const now = clock.now();
        const record: PodRecord = {
          name,
          pointer,
          epoch,
          closedHead: null,
          manifest,
          parent,
          children: [],
          reclaimed: [],
          peers: [],
          revision: 1,
          createdMs: now,
          updatedMs: now,
        };
        const written = encodeChecked(record, {}, pathOf(name));
        await files.makeDirectory(directoryOf(name));
        await replaceRecord(name, written.bytes);
        try {
          // Again, now that ours is there: of two starters at least one sees the other and withdraws. (Their leases have different names.)
          await refuseCaseTwin(name);
        } catch (error) {
          await removeNow(name);
          throw error;
        }
        return written.record;
      }),

    update: (name, expected, update) => change(name, expected, () => update),

    putChild: (name, expected, child) => change(name, expected, (record) => withChild(record, child, name)),

    reclaimChild: (name, expected, child, how) =>
      change(name, expected, (record) => withoutChild(record, child, how, name)),

    setPeer: (name, expected, peer, session) =>
      change(name, expected, (record) => {
        const peers = withPeer(record.peers, peer, session, name);
        return peers === null ? null : { peers };
      }),

    pathOf,

    remove: (name) => oneAtATime(name, () => removeNow(name)),

    async list() {
      const listing: PodListing[] = [];
      for (const name of await files.list(root)) {
        const stat = await statOf(name);
        if (stat === null) continue;
        try {
          const record = (await load(podName(name)))?.record;
          if (record !== undefined) listing.push({ name, record });
        } catch (error) {
          const fault = error instanceof YoiError && error.code === "schema_newer" ? "newer" : "damaged";
          listing.push({ name, fault, error: messageOf(error), writtenMs: stat.modifiedMs });
        }
      }
      return listing;
    },

    findIgnoringCase,
  };
}

/** The bytes of a record, and the record that they are read back as. What could not be read back is a bug of the caller, and is never written. */
function encodeChecked(
  record: PodRecord,
  kept: JsonObject,
  path: string,
): { readonly bytes: Uint8Array; readonly record: PodRecord } {
  const bytes = encodeRecord(record, kept);
  try {
    return { bytes, record: decodeRecord(bytes, record.name, path).record };
  } catch (cause) {
    throw new TypeError(`a record that could not be read back was to be written to ${path}`, { cause });
  }
}

/** Runs the verbs that write one name after the other: between the read and the replace of an update lies an await. */
function queueByName(): <T>(name: PodName, verb: () => Promise<T>) => Promise<T> {
  const last = new Map<PodName, Promise<unknown>>();
  return async (name, verb) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(verb, verb);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
