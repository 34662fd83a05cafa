/** A name server on loopback whose answers the test decides, asked by Node's own resolver: for names that change what they mean. */
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";

export interface NameServer {
  /** How often each name was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  readonly resolve: (host: string) => Promise<string[]>;
  close(): void;
}

/** @param answer IPv4 addresses of a name at its nth look-up, from 0. */
export async function startNameServer(
  answer: (host: string, nth: number) => readonly string[],
): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const host = labels.join(".").toLowerCase();
    const nth = asked.get(host) ?? 0;
    asked.set(host, nth + 1);
    const addresses = answer(host, nth);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((address) =>
      Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return { asked, resolve: (host) => resolver.resolve4(host), close: () => socket.close() };
}
