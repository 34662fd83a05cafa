/** The files of a feature: only within what it was granted, whatever the port would do. */
import { utf8Length, YoiError } from "@yoi/base";
import type { FeatureFiles, FeatureId, HostAuthority } from "@yoi/feature";
import { quotePath } from "@yoi/scope";
import { featureFileBytesMax, featureNamesMax } from "@yoi/tools";
import { covers } from "./covers.ts";
import type { AskHost } from "./ask-host.ts";

type Filesystem = Extract<HostAuthority, { kind: "filesystem" }>;

export function filesHandle(
  feature: FeatureId,
  grants: readonly Filesystem[],
  files: FeatureFiles,
  askHost: AskHost,
): FeatureFiles {
  const check = (access: Filesystem["access"], path: unknown): void => {
    if (typeof path !== "string")
      throw new YoiError("feature_invalid", `${feature} named a file by what is no text.`);
    const asked: Filesystem = { kind: "filesystem", access, path };
    if (grants.some((grant) => covers(grant, asked))) return;
    const granted = grants.map((grant) => `${grant.access} ${grant.path}`).join(", ");
    throw new YoiError(
      "out_of_scope",
      `${feature} may not ${access} ${quotePath(path)}: it was granted ${granted}, and names a path as its grant does, absolute or from the workspace.`,
    );
  };
  return Object.freeze({
    read: (path: string) =>
      askHost(async () => {
        check("read", path);
        return checkedText(await files.read(path), path);
      }),
    write: (path: string, text: string) =>
      askHost(async () => {
        check("write", path);
        await files.write(path, checkedText(text, path));
      }),
    list: (path: string) =>
      askHost(async () => {
        check("read", path);
        const names = await files.list(path);
        if (names.length <= featureNamesMax) return Object.freeze([...names]);
        throw new YoiError(
          "limit_exceeded",
          `The directory ${quotePath(path)} has ${names.length} names; the most that are listed are ${featureNamesMax}.`,
        );
      }),
  });
}

function checkedText(text: unknown, path: string): string {
  if (typeof text !== "string")
    throw new YoiError("feature_invalid", `What is to be in ${quotePath(path)} is no text.`);
  const bytes = utf8Length(text);
  if (bytes <= featureFileBytesMax) return text;
  throw new YoiError(
    "limit_exceeded",
    `The text of ${quotePath(path)} has ${bytes} bytes; the most it can have is ${featureFileBytesMax}.`,
  );
}
