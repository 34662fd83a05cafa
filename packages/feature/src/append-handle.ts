/** SystemItemAppendHandle: how a pre-request hook adds to what the model is told, through the host and durably. */

/** What became of one append. Reading it tells the state of that moment. */
export interface AppendReceipt {
  /** queued: the hooks of this request are still asked. committed: it is in the log. dropped: it never will be. */
  readonly state: "queued" | "committed" | "dropped";
}

/**
 * Made by the host for the hooks of one request, and closed when all of them have been asked: a later use throws. What is queued enters the
 * log, in order, before the request that shows it; when a hook cancels or yields, all of it is dropped. A new kind of append is a new typed method.
 */
export interface SystemItemAppendHandle {
  /**
   * Queues a reminder of open tasks. `body` is bare text: the host says who wrote it and why. What is over a limit (8 items a request, 16 KiB of
   * body) is dropped, with one diagnostic a request.
   */
  appendTaskReminder(body: string): AppendReceipt;
}
