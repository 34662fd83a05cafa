/** A conflict over what the user granted outside of the workspace: which rule it is, and the ways out that work there. */
import { YoiError } from "@yoi/base";
import type { Manifest, ResolvedManifest } from "@yoi/manifest";
import { isWithin, permissionAt, quotePath } from "@yoi/scope";

/** Any other failure as it is. */
export function grantedConflict(
  thrown: unknown,
  { scope, workspace }: Pick<Manifest, "scope" | "workspace">,
  sources: ResolvedManifest["sources"],
): unknown {
  if (!(thrown instanceof YoiError) || thrown.code !== "scope_conflict") return thrown;
  const path = thrown.place?.path;
  if (path === undefined || isWithin(workspace, path)) return thrown;
  if (permissionAt(scope, path) !== "write") return thrown;
  const places = sources.find(({ key }) => key === "scope.allow")?.origin.replace("built-in, ", "");
  return new YoiError(
    "scope_conflict",
    `${thrown.message} What lies outside of the workspace it may write by your rules (scope.allow, ${places}): \`shared = true\` in the one for ${quotePath(path)} lets several Pods write there, and --write . leaves all of them out.`,
    { cause: thrown, place: { path } },
  );
}
