/** Randomness that nobody can guess: for keys and nonces. */
import { randomBytes } from "node:crypto";

export function secureBytes(length: number): Uint8Array {
  return randomBytes(length);
}
