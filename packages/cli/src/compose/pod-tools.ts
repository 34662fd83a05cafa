/** The tools of one Pod, and what else works on its files: attachments, and the memory of what was shown. */
import type { PodName, Scope, Tool } from "@yoi/base";
import type { Manifest, WebChoice } from "@yoi/manifest";
import { PermissionGate, type PodSetup } from "@yoi/pod";
import type { CommandRunner } from "@yoi/sandbox";
import type { LiveScope, Protection } from "@yoi/scope";
import {
  attachFiles,
  createFilesBack,
  createScopedFiles,
  createSeen,
  createShell,
  createTools,
  createWebTools,
  pathCompletion,
  recallSeen,
  type SkillDesk,
  skillTool,
  type ToolsOptions,
  type WebToolsOptions,
} from "@yoi/tools";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { attachSkills } from "../skills/pod-skills.ts";
import { commandShell } from "./command-shell.ts";
import { copiesOf } from "./file-copies.ts";
import { guardMarks } from "./mark-guard.ts";
import { guardScope } from "./scope-guard.ts";
import { secretFor } from "./secrets.ts";
import { spillDirectory, type Stores } from "./stores.ts";

export interface PodToolsRequest {
  readonly name: PodName;
  readonly manifest: Manifest;
  readonly scope: LiveScope;
  readonly protection: Protection;
  readonly runner: CommandRunner;
  /** Null: there are none. */
  readonly skills: SkillDesk | null;
  /** Whether the model in use is shown images. */
  readonly seesImages: () => boolean;
  readonly environment: Environment;
  readonly stores: Stores;
}

export async function makePodTools(
  request: PodToolsRequest,
): Promise<
  Pick<
    PodSetup,
    "tools" | "completePath" | "shell" | "guard" | "locate" | "attach" | "recall" | "readFiles" | "filesBack"
  >
> {
  const { name, manifest, protection, runner, skills, seesImages, environment, stores } = request;
  const { workspace } = manifest;
  const { files: hostFiles, timers, clock } = stores.host;
  const scope = (): Scope => request.scope.current;
  const files = createScopedFiles({ scope, protection });
  const seen = createSeen();
  const copies = copiesOf(name, stores);
  const gate = new PermissionGate({ permissions: manifest.permissions, workspace, locate: files.locate });
  const options: ToolsOptions = {
    files,
    seen,
    seesImages,
    runner,
    scope,
    network: manifest.sandbox.network,
    pod: name,
    workspace,
    spillDirectory: spillDirectory(stores.dataDir, name),
    hostFiles,
    timers,
    outputFilter: knownSecrets.byteStream,
    kept: { copies, clock },
    mayShow: (tool, path) => gate.mayShow(tool, path),
  };
  const shell = createShell(options);
  const tools: readonly Tool[] = [
    ...createTools(options, shell),
    ...(await createWebTools({
      ...webOptions(manifest.web, (id) => secretFor(id, environment, stores.host)),
      mayFollow: (url) => gate.refusalOfFetching(url),
      timers,
    })),
    ...(skills === null ? [] : [skillTool(skills)]),
  ];
  return {
    tools,
    completePath: pathCompletion({ files, scope, workspace, clock, timers }),
    shell: commandShell(shell, request.scope),
    guard: (tool) => guardMarks(guardScope(tool, request.scope), knownSecrets),
    locate: files.locate,
    attach: async (references) => {
      const loaded = await attachSkills(
        references.filter((one) => one.type === "skill_ref"),
        skills,
      );
      const attached = await attachFiles(
        references.filter((one) => one.type === "file_ref"),
        { files, workspace, textBytesMax: manifest.limits.file_upload_bytes, seesImages },
      );
      return {
        items: [...loaded.items, ...attached.items],
        warnings: [...loaded.warnings, ...attached.warnings],
      };
    },
    recall: (items, extent) => {
      if (extent === "whole") {
        seen.forget();
        skills?.loaded.forget();
      }
      recallSeen(seen, items);
      skills?.loaded.recall(items);
    },
    readFiles: () => seen.list(),
    filesBack: createFilesBack(files, copies),
  };
}

function webOptions(
  { allow_private_addresses, fetch, search }: WebChoice,
  secret: (id: string) => Promise<string | null>,
): Omit<WebToolsOptions, "timers" | "mayFollow"> {
  return {
    allowPrivateAddresses: allow_private_addresses,
    fetch:
      fetch === null
        ? null
        : {
            timeoutMs: fetch.timeout_secs * 1000,
            redirectsMax: fetch.redirect_limit,
            bytesMax: fetch.max_response_bytes,
            outputBytesMax: fetch.max_output_bytes,
          },
    search:
      search === null
        ? null
        : {
            provider: search.provider,
            baseUrl: search.base_url,
            key: () => secret(search.api_key_secret),
            timeoutMs: search.timeout_secs * 1000,
          },
  };
}
