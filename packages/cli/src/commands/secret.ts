/** `yoi secret`: what is kept, by id. A value comes in over standard input and never out again. */
import { nodeHost } from "@yoi/host";
import { checkSecretId, type SecretProtection, whyNotSought } from "@yoi/keep";
import { YoiError } from "@yoi/base";
import { openSecretStore } from "../compose/secrets.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { knownSecrets } from "../known-secrets.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";
import { readSecret } from "../read-secret.ts";

const protections: Readonly<Record<SecretProtection | "damaged", string>> = {
  keychain: "encrypted, its key in the keychain of the system",
  file_mode: "only by the mode of its file",
  damaged: "damaged: set it again",
};

export interface SetFlags extends JsonFlag {
  /** More stands on the command line than belongs there. */
  readonly extra: boolean;
}

export async function secretSet(id: string, flags: SetFlags): Promise<number> {
  if (flags.extra) {
    throw new YoiError(
      "usage",
      "The command line takes the id of a secret, and --json: a value there would be seen by every process and kept by your shell; type it when you are asked, or send it through a pipe.",
    );
  }
  checkSecretId(id);
  const environment = readEnvironment();
  const store = openSecretStore(environment, nodeHost());
  const value = await readSecret(environment.stdin, id);
  knownSecrets.learn({ id, value: value.trim() });
  const { protection, reason } = await store.set(id, value);
  if (flags.json === true) process.stdout.write(jsonLine({ id, protection }));
  else process.stdout.write(`Kept the secret ${id}.\n`);
  if (reason !== undefined) {
    process.stderr.write(
      `yoi: There is no keychain of the system to encrypt it with (${reason}): what protects it is the mode of its file, 0600, alone.\n`,
    );
  }
  const unsought = whyNotSought(value.trim());
  if (unsought !== null)
    process.stderr.write(`yoi: The value is not taken out of logs and output: ${unsought}.\n`);
  return exitCode.done;
}

export async function secretList(flags: JsonFlag): Promise<number> {
  const secrets = await openSecretStore(readEnvironment(), nodeHost()).list();
  if (flags.json === true) process.stdout.write(jsonLine({ secrets }));
  else if (secrets.length === 0) process.stdout.write("No secrets are kept.\n");
  else
    printTable(
      ["ID", "PROTECTED"],
      secrets.map(({ id, protection }) => [id, protections[protection]]),
    );
  return exitCode.done;
}

export async function secretRm(id: string, flags: JsonFlag): Promise<number> {
  if (!(await openSecretStore(readEnvironment(), nodeHost()).remove(id)))
    throw new YoiError("secret_unknown", `There is no secret ${id}: see \`yoi secret list\`.`);
  process.stdout.write(flags.json === true ? jsonLine({ removed: id }) : `Removed the secret ${id}.\n`);
  return exitCode.done;
}
