/** The store of approvals: one file for each feature that the user decided about. Whatever cannot be read is no approval. */
import { join } from "node:path/posix";
import { type Clock, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import {
  type ApprovalDecision,
  approvalFileBytesMax,
  type ApprovalRecord,
  checkDecision,
  checkFeature,
  decodeApproval,
  type DecodedApproval,
  encodeApproval,
} from "./approval-record.ts";
import { encodedName } from "./file-name.ts";
import { removeOldLeftovers } from "./leftovers.ts";
import type { InspectPath } from "./ports.ts";
import { arePrivate, isPrivate } from "./private-path.ts";

export const approvalsMax = 256;

const suffix = ".json";
const words = {
  rule: "approvals are kept only where nobody else can change them",
  afterwards: "look at what is approved with `yoi feature list`",
};

export interface ApprovalStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute. */
  readonly dataDir: string;
  readonly inspect: InspectPath;
}

/**
 * The latest decision about each feature. All verbs throw `usage` for what is no id, and `permission_denied` when the directory is not the
 * user's alone; reading throws it for such a file too, and `keep_damaged` and `schema_newer`, naming the file and what to do. Nothing that fails is an approval.
 */
export interface ApprovalStore {
  /** Sorted by feature. */
  list(): Promise<readonly ApprovalRecord[]>;
  /** Null: nothing was decided. */
  get(feature: string): Promise<ApprovalRecord | null>;
  /** Takes the place of an earlier decision, one that cannot be read or trusted too; durable on return. Throws `limit_exceeded`. */
  approve(decision: ApprovalDecision): Promise<void>;
  /** False: there was none. Takes away one that cannot be read or trusted too. Durable on return. */
  revoke(feature: string): Promise<boolean>;
}

export function createApprovalStore(options: ApprovalStoreOptions): ApprovalStore {
  return new FileApprovalStore(options);
}

class FileApprovalStore implements ApprovalStore {
  readonly #options: ApprovalStoreOptions;
  readonly #look: { readonly inspect: InspectPath; readonly words: typeof words };
  readonly #keep: string;
  readonly #directory: string;

  constructor(options: ApprovalStoreOptions) {
    this.#options = options;
    this.#look = { inspect: options.inspect, words };
    this.#keep = join(options.dataDir, "keep");
    this.#directory = join(this.#keep, "approvals");
  }

  async list(): Promise<readonly ApprovalRecord[]> {
    const records: ApprovalRecord[] = [];
    for (const name of await this.#names()) {
      const record = await this.#read(name);
      if (record !== null) records.push(record);
    }
    return records.toSorted((a, b) => (a.feature < b.feature ? -1 : 1));
  }

  async get(feature: string): Promise<ApprovalRecord | null> {
    checkFeature(feature);
    return (await this.#isThere()) ? await this.#read(nameOf(feature)) : null;
  }

  async approve({ feature, digest, granted, subject }: ApprovalDecision): Promise<void> {
    checkDecision({ feature, digest, granted, subject });
    const { files, clock } = this.#options;
    // Looked at before, so that nothing is made behind a link, and after, because others may have been quicker.
    await this.#isThere();
    await files.makeDirectory(this.#directory);
    await this.#isThere();
    await removeOldLeftovers(files, clock, this.#directory);
    const path = join(this.#directory, nameOf(feature));
    const { inspect } = this.#options;
    // Whatever it is: what is decided now takes its place.
    if ((await inspect(path)) === null && (await this.#names()).length >= approvalsMax) {
      throw new YoiError(
        "limit_exceeded",
        `There are ${approvalsMax} approvals, and no more are kept: take one away with \`yoi feature revoke\`.`,
      );
    }
    const decided_at = new Date(clock.now()).toISOString();
    await files.replace(path, encodeApproval({ feature, digest, decided_at, granted, subject }));
  }

  async revoke(feature: string): Promise<boolean> {
    checkFeature(feature);
    const { files, inspect } = this.#options;
    if (!(await this.#isThere())) return false;
    const path = join(this.#directory, nameOf(feature));
    // Whatever it is and whoever's: without it nothing is approved.
    const found = (await inspect(path)) !== null;
    await files.removeFile(path);
    await files.syncDirectory(this.#directory);
    return found;
  }

  #isThere(): Promise<boolean> {
    return arePrivate([this.#keep, this.#directory], this.#look);
  }

  async #names(): Promise<readonly string[]> {
    if (!(await this.#isThere())) return [];
    const names = await this.#options.files.list(this.#directory);
    return names.filter((name) => !name.startsWith(".") && name.endsWith(suffix));
  }

  /** Null: nothing is there, or not any more. */
  async #read(name: string): Promise<ApprovalRecord | null> {
    const path = join(this.#directory, name);
    if (!(await isPrivate(path, "file", this.#look))) return null;
    const decoded = await this.#decode(path);
    if (decoded === null) return null;
    if ("newer" in decoded)
      throw new YoiError(
        "schema_newer",
        `The approval in ${path} was written by a later yoi, so it approves nothing here: update yoi, or decide again with \`yoi feature approve\`.`,
        { place: { path } },
      );
    if ("wrong" in decoded) throw damaged(path, decoded.wrong);
    if (nameOf(decoded.record.feature) !== name) throw damaged(path, "it is the approval of another feature");
    return decoded.record;
  }

  async #decode(path: string): Promise<DecodedApproval | null> {
    const { files } = this.#options;
    const stat = await files.stat(path);
    if (stat !== null && stat.bytes > approvalFileBytesMax)
      return { wrong: `it has more than ${approvalFileBytesMax} bytes` };
    const bytes = await files.read(path);
    return bytes === null ? null : decodeApproval(bytes);
  }
}

function nameOf(feature: string): string {
  return `${encodedName(feature)}${suffix}`;
}

function damaged(path: string, what: string): YoiError {
  return new YoiError(
    "keep_damaged",
    `The approval in ${path} is damaged (${what}), so it approves nothing: decide again with \`yoi feature approve\`, or remove the file.`,
    { place: { path } },
  );
}
