/** A Pod that the terminal follows: its stream from near its end, over lost connections, and what is asked of it. */
import { messageOf, sessionId } from "@yoi/base";
import type { Cursor, PodView, StreamListener } from "@yoi/protocol";
import type { PodLink } from "@yoi/tui";
import { connectPod, type ReachedPod } from "../client/connect-pod.ts";
import { type Reach, withPod } from "../client/pod-command.ts";
import { placeBefore } from "./entries-before.ts";

export type AttachFrom = { readonly tail: number } | { readonly after: Cursor };

/** Throws what `connectPod` throws. */
export async function attachLink(
  name: string,
  listener: StreamListener,
  from: AttachFrom,
  reach: Reach,
): Promise<PodLink> {
  const after = "after" in from ? from.after : await tailPlace(name, from.tail, reach);
  const shutdown = new ShutdownWatch(listener);
  const pod = await connectPod(name, {
    ...reach,
    stream: true,
    listener: shutdown.listener,
    again: "for_ever",
    ...(after === null ? {} : { after }),
  });
  shutdown.watch(pod);
  return {
    name: pod.name,
    call: pod.call,
    submit: pod.submit,
    close: pod.close,
    closed: pod.closed.then((why) => (why === null ? null : messageOf(why))),
  };
}

/** Null: from the start of the segment that is written. */
async function tailPlace(name: string, tail: number, reach: Reach): Promise<Cursor | null> {
  const view = await withPod(name, reach, (pod) => pod.call("show", {}));
  if (view.generation === 0) return view.seq < tail ? null : { segment: view.segment, seq: view.seq - tail };
  return await placeOverSegments(view, tail, reach);
}

function placeOverSegments(view: PodView, tail: number, { stores }: Reach): Promise<Cursor | null> {
  const end = { segment: view.segment, seq: view.seq + 1 };
  return placeBefore(stores.sessions, sessionId(view.session), end, tail);
}

/** A Pod that says that it closes, and is gone then, is not waited for. */
class ShutdownWatch {
  readonly listener: StreamListener;
  #isShutDown = false;
  #isGone = false;
  #pod: ReachedPod | null = null;

  constructor(listener: StreamListener) {
    this.listener = {
      ...listener,
      live: (live, n) => {
        if (live.type === "shutdown") this.#isShutDown = true;
        listener.live(live, n);
      },
      disconnected: (why) => {
        listener.disconnected?.(why);
        if (!this.#isShutDown) return;
        this.#isGone = true;
        this.#pod?.close();
      },
    };
  }

  watch(pod: ReachedPod): void {
    this.#pod = pod;
    if (this.#isGone) pod.close();
  }
}
