/**
 * Web servers on loopback, and a resolver of their names. 127.0.0.2 and its like stand for the public net (`isAllowed` below says so),
 * 127.0.0.1 for what must not be reached.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { nodeHost } from "@yoi/host";
import { webFetchTool, type WebFetchOptions } from "../../src/web/fetch-tool.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface WebServer {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

export async function serve(address: string, handler: Handler, port = 0): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return {
    port: bound.port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const publicAddress = "127.0.0.2";
export const privateAddress = "127.0.0.1";
export const isAllowed = (address: string): boolean => address === publicAddress || address === "127.0.0.3";

export const defaultLimits = {
  timeoutMs: 30_000,
  redirectsMax: 5,
  bytesMax: 64 * 1024,
  outputBytesMax: 16 * 1024,
};

export function fetchTool(
  resolve: (host: string) => readonly string[] | Promise<readonly string[]>,
  limits: Partial<WebFetchOptions["limits"]> = {},
  timers = nodeHost().timers,
  mayFollow: WebFetchOptions["rules"]["mayFollow"] = () => null,
) {
  const tool = webFetchTool({
    rules: { resolve: async (host) => resolve(host), isAllowed, mayFollow },
    limits: { ...defaultLimits, ...limits },
    timers,
  });
  return (url: string, args: { whole_page?: boolean } = {}, signal = new AbortController().signal) =>
    tool.execute({ url, ...args }, { call: "1.0" as never, signal, progress: () => {} });
}
