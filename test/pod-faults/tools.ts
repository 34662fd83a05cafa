/** The tools of a simulated session: their effects are counted outside of the machine, by call. */
import type { Claim, JsonObject, Tool, ToolContext } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import type { Witness } from "./witness.ts";

function tool(name: string, execute: Tool["execute"], claim: NonNullable<Tool["claim"]> = () => null): Tool {
  const input_schema = { type: "object", properties: { what: { type: "string" } } };
  return {
    definition: { name, description: `${name}, in a simulated world.`, input_schema },
    readOnly: false,
    claim,
    execute,
  };
}

/** One effect in the middle of a wait on virtual time. Calls of one `lane` run one after the other. */
export function simulatedTools(witness: Witness, host: MemoryHost): readonly Tool[] {
  const act = async (args: JsonObject, context: ToolContext): Promise<void> => {
    const waitMs = Number(args["wait_ms"] ?? 0);
    if (waitMs > 0) await host.timers.sleep(waitMs, context.signal);
    witness.act(host, context.call, String(args["what"]));
    // A process that died with its effect done says nothing more.
    if (host.crashed) await new Promise(() => {});
    context.progress("half way");
    if (waitMs > 0) await host.timers.sleep(waitMs, context.signal);
  };
  const lane = ({ lane: name }: JsonObject): Claim | null =>
    name === undefined ? null : { path: `/${String(name)}`, mode: "exclusive" };
  return [
    tool(
      "Effect",
      async (args, context) => {
        await act(args, context);
        return { summary: `did ${String(args["what"])}`, content: `as ${context.call}` };
      },
      lane,
    ),
    tool("Fails", async (args, context) => {
      await act(args, context);
      throw new Error("it did not work out");
    }),
    tool("Stubborn", async (args, context) => {
      witness.act(host, context.call, String(args["what"]));
      await host.timers.sleep(60_000);
      return { summary: "at last" };
    }),
  ];
}

/** A tool that some owners bring along and others do not: the tool set changes between them. */
export function extraTool(): Tool {
  return tool("Extra", async () => ({ summary: "nothing" }));
}
