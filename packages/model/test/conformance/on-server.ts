/** A model and the loopback server that it talks to, for the length of a test. */
import type { Model } from "@yoi/model";
import type { ProviderServer } from "../../../../test/support/provider-server.ts";
import type { Bench } from "./adapter.ts";

/** Runs `body`, and takes both down. */
export async function onServer(
  server: ProviderServer,
  model: Model,
  body: (bench: Bench) => Promise<void>,
): Promise<void> {
  try {
    await body({ ...server, model });
  } finally {
    await model.close?.();
    await server.close();
  }
}
