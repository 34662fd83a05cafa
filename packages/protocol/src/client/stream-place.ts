/** StreamPlace: what a listener was told, over all connections. Tells it what comes next, and nothing else: a gap or a double is a fault. */
import type { Rotation, StreamEvent } from "../event.ts";
import type { HelloResult } from "../method.ts";
import { BadPodLine, type UnknownEvent } from "../read-pod-line.ts";
import type { Cursor, PodView } from "../snapshot.ts";
import type { StreamListener } from "./pod-client.ts";

/** The stream of one connection. */
interface Stream {
  segment: string;
  readonly epoch: number;
  /** To the segment whose first entry comes next. It is told with that, so that it is told once, however often a connection breaks off between the two. */
  rotation: Rotation | null;
  /** Seq of the entry that comes next. */
  next: number;
  /** Of the last live event; null: the snapshot has not come. */
  n: number | null;
}

export class StreamPlace {
  readonly #listener: StreamListener;
  #cursor: Cursor | null;
  #stream: Stream | null = null;
  /** The last live event of a life of the Pod up to which alerts were told. */
  #told: { readonly epoch: number; readonly n: number } | null = null;

  constructor(listener: StreamListener, after: Cursor | null) {
    this.#listener = listener;
    this.#cursor = after;
  }

  /** Behind the last entry that was told. */
  get cursor(): Cursor | null {
    return this.#cursor;
  }

  /**
   * A connection begins; its hello asked for what comes behind `cursor`.
   * @param result null: no stream was asked for.
   */
  begin(result: HelloResult | null): void {
    this.#stream = null;
    if (result === null) return;
    const { segment, epoch, from } = result;
    const goesOn = this.#cursor?.segment === segment && this.#cursor.seq + 1 === from;
    if (!goesOn && from !== 0) {
      throw new BadPodLine(`The Pod begins at entry ${from}, which is neither the next one nor the first.`);
    }
    this.#stream = { segment, epoch, rotation: null, next: from, n: null };
    if (goesOn || this.#cursor === null) return;
    this.#cursor = null;
    this.#listener.restarted?.(segment);
  }

  /** Throws BadPodLine for what may not come now. */
  take(event: UnknownEvent | Exclude<StreamEvent, { readonly event: "resync" }>): void {
    const stream = this.#stream;
    if (stream === null) throw bad("an event that was not asked for");
    switch (event.event) {
      case "entry":
        this.#advance(stream, event.entry.seq);
        this.#listener.entry(event.entry);
        return;
      case "entry_omitted":
        this.#advance(stream, event.seq);
        this.#listener.omitted?.(event.seq, event.kind);
        return;
      case "segment_rotated":
        this.#rotate(stream, event);
        return;
      case "snapshot":
        this.#arrive(stream, event.view);
        return;
      case "live":
        this.#count(stream, event.n);
        this.#listener.live(event.live, event.n);
        return;
      case "unknown":
        if (event.n !== null) this.#count(stream, event.n);
        return;
      default:
        event satisfies never;
    }
  }

  #advance(stream: Stream, seq: number): void {
    if (seq !== stream.next) {
      throw bad(`entry ${seq} where entry ${stream.next} comes next`);
    }
    stream.next += 1;
    this.#cursor = { segment: stream.segment, seq };
    const { rotation } = stream;
    stream.rotation = null;
    if (rotation !== null) this.#listener.rotated?.(rotation);
  }

  #rotate(stream: Stream, { segment, generation, why, from, left }: Rotation): void {
    if (stream.rotation !== null) throw bad(`the segment ${segment} behind one without entries`);
    if (left.segment !== stream.segment || left.seq + 1 !== stream.next) {
      throw bad(
        `a segment that goes on behind entry ${left.seq} of ${left.segment} where entry ${stream.next} of ${stream.segment} comes next`,
      );
    }
    stream.segment = segment;
    stream.next = 0;
    stream.n = null;
    stream.rotation = { segment, generation, why, from, left };
  }

  #arrive(stream: Stream, view: PodView): void {
    if (stream.n !== null) throw bad("a second snapshot");
    if (view.segment !== stream.segment || view.epoch !== stream.epoch || view.seq + 1 !== stream.next) {
      throw bad(
        `a snapshot at entry ${view.seq} of ${view.segment} where entry ${stream.next} of ${stream.segment} comes next`,
      );
    }
    const told = this.#told?.epoch === view.epoch ? this.#told.n : null;
    stream.n = view.n;
    this.#told = { epoch: view.epoch, n: view.n };
    const alerts = told === null ? view.alerts : view.alerts.filter((alert) => alert.n > told);
    this.#listener.snapshot({ ...view, alerts });
  }

  #count(stream: Stream, n: number): void {
    if (stream.n === null) throw bad("a live event before its snapshot");
    if (n !== stream.n + 1) throw bad(`live event ${n} where ${stream.n + 1} comes next`);
    stream.n = n;
    this.#told = { epoch: stream.epoch, n };
  }
}

function bad(what: string): BadPodLine {
  return new BadPodLine(`The Pod sent ${what}.`);
}
