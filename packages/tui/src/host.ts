/** UiHost: what the terminal is handed by the program that starts it. The view itself reads and writes no file, starts no process and opens no socket. */
import type { LogEntry } from "@yoi/base";
import type { Cursor, MethodName, Methods, SkillOffer, StreamListener } from "@yoi/protocol";

/** A Pod that was reached. Every call throws an Error whose message is one sentence for a person. */
export interface PodLink {
  readonly name: string;
  call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  /** Repeated over lost connections: it is carried out once. */
  submit<M extends "submit" | "notify" | "queue" | "run_command">(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  close(): void;
  /** Resolves with why there is no connection any more and none is tried; null: it was closed here, or the Pod was shut down. */
  readonly closed: Promise<string | null>;
}

export const podStandings = ["running", "waiting", "paused", "idle", "silent", "stopped", "corrupt"] as const;
/** waiting: for the user. silent: a process holds it and does not answer. stopped: it can be restored. corrupt: its records cannot be read. */
export type PodStanding = (typeof podStandings)[number];

/** A Pod, for a list. */
export interface PodRow {
  readonly name: string;
  readonly title: string | null;
  readonly standing: PodStanding;
  /** What else there is to say of it, as one line: why it is paused and until when, what is wrong; "": nothing. */
  readonly detail: string;
  readonly approvals: number;
  readonly workspace: string | null;
  readonly model: string | null;
  /** The Pod that began it; null: nobody did. */
  readonly parent: string | null;
  /** Milliseconds since the epoch. */
  readonly usedMs: number;
  /** Of what was said last; "": not known. */
  readonly lastLine: string;
  /** Bytes of its logs; null: not known. */
  readonly bytes: number | null;
}

/** A row of the tree of Pods: roots have depth 0, and what it lends stands below it. */
export interface TreeRow {
  readonly depth: number;
  readonly pod: PodRow;
  /** What it may write and read, as one line each. */
  readonly scope: readonly string[];
  /** What its parent lends it, as one line; null: it has no loan. */
  readonly loan: string | null;
}

/** How a Pod is started, or started again: what is absent stays as it is. */
export interface StartChoices {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly sandbox?: "on" | "off";
  readonly profile?: string;
  /** It writes nothing: beside another one that holds the same part. */
  readonly readOnly?: true;
}

/** What a page of text shows: each line as it is, escaped by the view. */
export interface Page {
  readonly title: string;
  readonly text: string;
}

export const pageNames = [
  "usage",
  "doctor",
  "config",
  "hooks",
  "permissions",
  "models",
  "diff",
  "context",
  "skills",
  "tickets",
] as const;
export type PageName = (typeof pageNames)[number];

/** A rule that the user gave, beyond one session. */
export interface GrantRow {
  readonly id: string;
  readonly rule: string;
  /** Null: everywhere. */
  readonly workspace: string | null;
  readonly givenMs: number;
  /** Null: until it is revoked. */
  readonly expiresMs: number | null;
}

/** Where a model comes from, for the first run. */
export interface ProviderChoice {
  readonly name: string;
  /** Where a key is made, or how it is begun; one line. */
  readonly hint: string;
  readonly needsKey: boolean;
  /** Where its key is, in a few words; null: there is none. */
  readonly keyIn: string | null;
  /** A key that is kept would be the one that is sent: no variable goes before it. */
  readonly takesKey: boolean;
  /** As `provider/id`; empty: what it has is not known. */
  readonly models: readonly string[];
}

/** The first run: what has to be there before a Pod can ask a model. */
export interface FirstRun {
  /** Null: a model and its key are there. Else why not, as one sentence. */
  needed(): Promise<string | null>;
  providers(): Promise<readonly ProviderChoice[]>;
  /** Into the store of secrets. Throws what keeps it from there, in one sentence. */
  keepKey(provider: string, key: string): Promise<void>;
  /** Asks the model for one word, with `key`; null: with the one that is there. Resolves with what it said; throws why not, in one sentence. */
  test(model: string, key: string | null, signal: AbortSignal): Promise<string>;
  /** As the model of new Pods. Resolves with the file that says it now. */
  keepModel(model: string): Promise<string>;
}

export interface UiHost {
  /** Canonical. */
  readonly workspace: string;
  readonly version: string;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: { after(ms: number, call: () => void): () => void };
  readonly pods: {
    list(): Promise<readonly PodRow[]>;
    tree(): Promise<readonly TreeRow[]>;
    /**
     * Tells `listener` of the last `tail` entries, or of all behind `after`, then of what happens, over lost connections for as long as it is not closed. Throws a
     * sentence where the Pod cannot be reached.
     */
    attach(
      name: string,
      listener: StreamListener,
      from: { readonly tail: number } | { readonly after: Cursor },
    ): Promise<PodLink>;
    /** Entries before a place, in log order, over segments; fewer, or none: that is the beginning. */
    before(
      name: string,
      place: Cursor,
      count: number,
    ): Promise<readonly { readonly at: Cursor; readonly entry: LogEntry }[]>;
    /** A new Pod of this workspace in a process of its own; null: a name is drawn. Resolves when it takes clients. */
    start(
      name: string | null,
      choices: StartChoices,
    ): Promise<{ readonly name: string; readonly warnings: readonly string[] }>;
    /** One that no process hosts; one that is hosted goes on as it is, or with other choices is stopped for it. Resolves with sentences for the user. */
    restore(name: string, how: StartChoices & { readonly resume?: boolean }): Promise<readonly string[]>;
    stop(name: string): Promise<void>;
    /** A new Pod with what this one knows at that entry, or now. Not started. */
    fork(name: string, at: string | null): Promise<string>;
    /** As a file; resolves with its path. */
    export(name: string): Promise<string>;
    /** To one that is not open, as a prompt. */
    send(name: string, text: string): Promise<void>;
    setTitle(name: string, title: string | null): Promise<void>;
  };
  /** What the user typed in this workspace, oldest first. */
  readonly history: {
    load(): Promise<readonly string[]>;
    add(text: string): Promise<void>;
  };
  readonly grants: {
    list(): Promise<readonly GrantRow[]>;
    revoke(id: string): Promise<boolean>;
  };
  readonly firstRun: FirstRun;
  /** What a new Pod of this workspace can load. What cannot be read is left out: the page of them says why. */
  skills(): Promise<readonly SkillOffer[]>;
  page(name: PageName, pod: string | null): Promise<Page>;
  /**
   * The user's editor, on the terminal as it is; null: nothing was changed. The screen is given up before, and taken again after. Throws why it failed, and
   * where what it saved is kept.
   */
  edit(text: string): Promise<string | null>;
  /** Suspends the program, as Ctrl-Z does; resolves when it goes on. */
  suspend(): Promise<void>;
}
