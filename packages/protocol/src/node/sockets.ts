/** Local sockets: where a Pod listens, and how a client reaches it. */
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { messageOf, YoiError, type SocketFiles } from "@yoi/base";
import type { Connection, Listen } from "../connection.ts";
import { SocketConnection } from "./socket-connection.ts";

/**
 * A place for clients at `path`, which exists only while connections are taken there. A socket that stands there is replaced: only for the one who owns
 * the path. Closing removes it, unless it is another's by then. Throws YoiErrors.
 */
export function listenAt(path: string, files: SocketFiles): Listen {
  return async (accept) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => accept(new SocketConnection(socket)));
    const place = files.place(path);
    try {
      await bound(server, place.address);
      place.publish();
    } catch (error) {
      server.close();
      place.withdraw();
      throw error instanceof YoiError ? error : cannotListen(path, error);
    }
    return {
      close: async () => {
        // Its own event waits for the connections; the socket is closed at once.
        server.close();
        place.withdraw();
      },
    };
  };
}

/** Throws pod_unreachable. */
export async function connectTo(path: string, files: SocketFiles): Promise<Connection> {
  let place;
  try {
    place = files.reach(path);
    return new SocketConnection(await connected(place.address));
  } catch (error) {
    throw unreachable(path, error);
  } finally {
    place?.release();
  }
}

function bound(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      // A connection that could not be taken (no descriptor left) is its client's to try again.
      server.on("error", () => {});
      resolve();
    });
  });
}

function connected(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path: address, allowHalfOpen: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

function cannotListen(path: string, cause: unknown): YoiError {
  return new YoiError("io_failed", `Cannot listen at ${path}: ${messageOf(cause)}.`, {
    place: { path },
    cause,
  });
}

function unreachable(path: string, cause: unknown): YoiError {
  return new YoiError("pod_unreachable", `Cannot reach the Pod at ${path}: ${whyUnreachable(cause)}.`, {
    place: { path },
    cause,
  });
}

function whyUnreachable(cause: unknown): string {
  // What the file system said is inside its sentence.
  const failure = cause instanceof YoiError ? cause.cause : cause;
  switch (failure instanceof Error && "code" in failure ? failure.code : null) {
    case "ENOENT":
      return "no process serves it there; start it with yoi pod start";
    case "ECONNREFUSED":
      return "the process that served it there is gone; start it again with yoi pod start";
    case "EACCES":
      return "the socket belongs to another user";
    case "EAGAIN":
      return "too many connections wait for it; try again in a moment";
    default:
      return messageOf(failure);
  }
}
