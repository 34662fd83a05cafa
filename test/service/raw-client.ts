/** A client of a Pod's socket that knows nothing of yoi's own code: node:net and JSON. What it is told is judged by the log on disk. */
import { connect, type Socket } from "node:net";

/** A line from the Pod, as it stands there. */
export type Line = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly seq: number;
  readonly kind: string;
  readonly [field: string]: unknown;
}

export interface Live {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Place {
  readonly segment: string;
  readonly seq: number;
}

export interface Answer {
  readonly id: string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly cause?: string;
    readonly versions?: readonly number[];
  };
}

export interface Hello {
  readonly token: string;
  readonly role?: string;
  readonly stream?: boolean;
  readonly after?: Place | null;
  readonly protocol?: number;
}

/** What goes on over several connections. */
export interface Kept {
  readonly entries?: Entry[];
}

const helloId = "hello";

export class RawClient implements Disposable {
  /** Lines that arrived. */
  lines = 0;
  /** Those of `live` lines, in the order of arrival. */
  readonly live: Live[] = [];
  /** Those of `entry` lines. */
  readonly entries: Entry[];
  /** By the snapshot and the live events behind it; null before. */
  state: string | null = null;
  /** Runs whose end was told. */
  runsEnded = 0;
  /** Why the Pod ended the stream; null: it did not. */
  resync: Line | null = null;
  /** Where the stream went on in another segment. */
  readonly rotations: Line[] = [];
  /** The last snapshot; null before the first. */
  snapshot: Line | null = null;
  /** Of the hello's answer. */
  greeting: Readonly<Record<string, unknown>> = {};
  bytes = 0;
  isClosed = false;
  #segment: unknown;
  readonly closed: Promise<void>;
  readonly socket: Socket;
  readonly #answers = new Map<string | null, (answer: Answer) => void>();
  readonly #watchers = new Set<() => void>();
  #pieces: Buffer[] = [];
  #asked = 0;

  private constructor(path: string, entries: Entry[]) {
    this.entries = entries;
    this.socket = connect(path);
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
    void this.closed.then(() => {
      this.isClosed = true;
      this.#tell();
    });
    // How a connection ends is told by `closed`; a Pod that is killed resets it.
    this.socket.on("error", () => undefined);
    this.socket.on("data", (bytes: Buffer) => this.#take(bytes));
  }

  /** A connection without a hello. Rejects when nobody listens there. */
  static async connect(path: string, { entries = [] }: Kept = {}): Promise<RawClient> {
    const client = new RawClient(path, entries);
    await new Promise<void>((resolve, reject) => {
      client.socket.once("connect", resolve).once("error", reject);
    });
    return client;
  }

  /** A connection whose hello was taken. */
  static async open(path: string, hello: Hello, kept: Kept = {}): Promise<RawClient> {
    const client = await RawClient.connect(path, kept);
    const { error, result } = await client.hello(hello);
    if (result === undefined) {
      client.drop();
      throw new Error(`the hello was refused: ${error?.code} ${error?.message}`);
    }
    return client;
  }

  async hello({ token, role = "user", stream = true, after, protocol = 1 }: Hello): Promise<Answer> {
    const params = {
      protocol,
      role,
      token,
      client: "raw",
      stream,
      ...(after === undefined || after === null ? {} : { after }),
    };
    return this.ask("hello", params, helloId);
  }

  /** Rejects when the connection ends before the answer. */
  async ask(method: string, params: object = {}, id = `r${(this.#asked += 1)}`): Promise<Answer> {
    const answered = this.answerTo(id);
    this.send(JSON.stringify({ id, method, params }));
    return answered;
  }

  /** The answer with that id, when it comes; null: one to a line whose id could not be read. */
  answerTo(id: string | null): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#answers.set(id, resolve);
      void this.closed.then(() => reject(new Error(`the connection ended before the answer to ${id}`)));
    });
  }

  /** One line, or a piece of one. */
  send(text: string | Uint8Array, end = "\n"): void {
    this.socket.write(text);
    if (end !== "") this.socket.write(end);
  }

  /** Resolves once `condition` holds, which is asked at each line; rejects when the connection ends first. */
  until(what: string, condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const holds = condition();
        if (!holds && !this.isClosed) return;
        this.#watchers.delete(look);
        if (holds) resolve();
        else reject(new Error(`the connection ended before: ${what}`));
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Resolves once it was told that the run of an answer to `submit` ended: live, or in the snapshot where it ended before that. */
  async endOf({ error, result }: Answer): Promise<void> {
    if (result === undefined) throw new Error(`no run began: ${error?.code} ${error?.message}`);
    const isIts = (ended: unknown) => (ended as { run?: unknown } | null)?.run === result["id"];
    const isTold = () => this.live.some(({ type, run }) => type === "run_ended" && isIts(run));
    await this.until("the run's end", () => isIts(this.snapshot?.["last_run"] ?? null) || isTold());
  }

  /** Where to go on from; null: no entry was seen. */
  get place(): Place | null {
    const seq = this.entries.at(-1)?.seq;
    const segment = this.#segment;
    return seq === undefined || typeof segment !== "string" ? null : { segment, seq };
  }

  /** Ends the connection at once, unsaid. */
  drop(): void {
    this.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.drop();
  }

  #take(bytes: Buffer): void {
    this.bytes += bytes.length;
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      this.#pieces.push(bytes.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#read(JSON.parse(line.toString("utf8")) as Line);
    }
    if (from < bytes.length) this.#pieces.push(bytes.subarray(from));
    this.#tell();
  }

  #read(line: Line): void {
    this.lines += 1;
    switch (line["event"]) {
      case "entry":
        this.entries.push(line["entry"] as Entry);
        return;
      case "snapshot":
        this.snapshot = line["view"] as Line;
        this.state = String(this.snapshot["state"]);
        return;
      case "live": {
        const live = line["live"] as Live;
        this.live.push(live);
        if (live.type === "run_ended") this.runsEnded += 1;
        if (live.type === "state") this.state = String(live["state"]);
        return;
      }
      case "resync":
        this.resync = line;
        return;
      case "segment_rotated":
        this.rotations.push(line);
        this.#segment = line["segment"];
        return;
      case undefined:
        break;
      default:
        throw new Error(`a line of no known kind: ${JSON.stringify(line)}`);
    }
    const id = line["id"] as string | null;
    if (id === helloId) {
      this.greeting = (line as unknown as Answer).result ?? {};
      this.#segment = this.greeting["segment"];
    }
    this.#answers.get(id)?.(line as unknown as Answer);
    this.#answers.delete(id);
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }
}
