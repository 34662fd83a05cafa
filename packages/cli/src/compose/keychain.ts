/** The keychain of the operating system, loaded when a value is to be sealed or opened. */
import { messageOf, type Timers } from "@yoi/base";
import type { Keychain, KeychainOpening } from "@yoi/keep";
import type { AsyncEntry } from "@napi-rs/keyring";

/** A keychain that asks its user for a password in a window is waited for this long. */
export const keychainWaitMs = 20_000;

const service = "yoi";

/** Only a keychain that outlives a restart of the machine: on Linux the Secret Service, never the kernel's keyring. */
const options = { linux: { store: "secret-service" } } as const;

export async function openKeychain(timers: Timers): Promise<KeychainOpening> {
  let library: typeof import("@napi-rs/keyring");
  try {
    library = await import("@napi-rs/keyring");
  } catch {
    return { missing: "the library for it is not installed" };
  }
  const entry = (name: string): AsyncEntry => new library.AsyncEntry(service, name, options);
  const keychain: Keychain = {
    get: async (name) => {
      const key = await within(timers, (signal) => entry(name).getSecret(signal));
      return key === null ? null : Uint8Array.from(key);
    },
    set: (name, key) => within(timers, (signal) => entry(name).setSecret(key, signal)),
  };
  try {
    // Asked for what it cannot have: whether it answers at all.
    await keychain.get("probe");
  } catch (error) {
    return { missing: whyMissing(messageOf(error)) };
  }
  return { keychain };
}

/** What the library says of a machine without a desktop session names its own build. */
function whyMissing(said: string): string {
  return /d-?bus|org\.freedesktop/i.test(said) ? "no Secret Service is running" : said;
}

async function within<T>(timers: Timers, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = timers.after(keychainWaitMs, () => {
    reject(new Error(`it did not answer within ${keychainWaitMs / 1000} s`));
    controller.abort();
  });
  try {
    return await Promise.race([ask(controller.signal), late]);
  } finally {
    cancel();
  }
}
