/** A process that listens at the path it is given, and sends back what it gets; says "ready" once it does. */
import { nodeSocketFiles } from "@yoi/host";
import type { Connection } from "@yoi/protocol";
import { listenAt } from "@yoi/protocol/node";

async function echo(connection: Connection): Promise<void> {
  try {
    for await (const piece of connection.incoming) await connection.write(piece);
  } catch {
    // The client has gone.
  }
  connection.end();
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("no path was given");
await listenAt(path, nodeSocketFiles)((connection) => void echo(connection));
process.stdout.write("ready\n");
