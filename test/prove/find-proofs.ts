/** Finds every `Proof` that a `*.proof.ts` module exports. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Proof } from "../support/proof.ts";

const patterns = ["test/**/*.proof.ts", "packages/*/test/**/*.proof.ts"];

function isProof(value: unknown): value is Proof {
  if (typeof value !== "object" || value === null) return false;
  const { name, cases, check } = value as Partial<Proof>;
  return (
    typeof name === "string" &&
    typeof check === "function" &&
    Number.isSafeInteger(cases?.test) &&
    Number.isSafeInteger(cases?.prove)
  );
}

/** Every proof below `root`, by name. Two of one name, or a proof module without a proof, is an error: its cases would never run. */
export async function findProofs(root: string): Promise<readonly Proof[]> {
  const proofs = new Map<string, { proof: Proof; file: string }>();
  for (const file of globSync(patterns, { cwd: root, exclude: ["**/node_modules/**"] }).sort()) {
    const exported = Object.values((await import(pathToFileURL(join(root, file)).href)) as object);
    const found = exported.filter(isProof);
    if (found.length === 0) throw new Error(`${file} exports no proof: export it, or rename the file`);
    for (const proof of found) {
      const other = proofs.get(proof.name);
      if (other !== undefined && other.proof !== proof) {
        throw new Error(`two proofs are named "${proof.name}": ${other.file} and ${file}`);
      }
      proofs.set(proof.name, { proof, file });
    }
  }
  return [...proofs.values()]
    .map((found) => found.proof)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
