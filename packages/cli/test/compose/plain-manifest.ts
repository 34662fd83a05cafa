/** The manifest of a Pod that works in one workspace, with a model that nobody asks. */
import { compactionDefault, type Manifest, manifestSchema } from "@yoi/manifest";
import { scopeRule } from "@yoi/scope";

export function plainManifest(workspace: string, allowPrivateAddresses = false): Manifest {
  return {
    schema: manifestSchema,
    workspace,
    model: { provider: "scripted", id: "x" },
    scope: { allow: [scopeRule(workspace, "write")], deny: [] },
    permissions: { mode: "allow-in-scope", rules: [] },
    sandbox: { mode: "on", network: false },
    limits: { max_turns: null, tool_output_bytes: 65_536, file_upload_bytes: 65_536 },
    web: { allow_private_addresses: allowPrivateAddresses, fetch: null, search: null },
    session: { record_event_trace: false },
    compaction: compactionDefault,
    worker: { language: null, instructions: [] },
    features: {
      task: { enabled: true, origin: "built-in" },
      pods: { enabled: true, origin: "built-in" },
      tickets: { enabled: false, origin: "built-in" },
    },
    tickets: { role: "intake", close: false },
    skills: { enabled: true },
    profile: null,
  };
}
