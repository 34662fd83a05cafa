/** The demo's claims, each with the evidence that was just produced. */
export interface Claim {
  readonly claim: string;
  readonly holds: boolean;
  readonly evidence: string;
}

export interface DemoEvidence {
  /** Bytes of the log at the moment of the kill, up to the last complete line. */
  readonly before: Buffer;
  /** Bytes of the log at the end. */
  readonly after: Buffer;
  /** Lines of the file that the killed command writes to. */
  readonly effects: readonly string[];
  readonly effectLine: string;
  /** The result that the killed call got, as the model read it. */
  readonly closedAs: string | null;
  /** Processes of the killed command that were alive after the restore. */
  readonly processesLeft: number;
  /** What stands in the folder outside of the scope. */
  readonly outside: readonly string[];
  readonly refusal: string | null;
  readonly verify: { readonly ok: boolean; readonly requests: number; readonly wire_checked: number };
}

const countLines = (bytes: Buffer): number => bytes.filter((byte) => byte === 0x0a).length;

export function demoClaims(evidence: DemoEvidence): readonly Claim[] {
  const { before, after, effects, effectLine, closedAs, verify } = evidence;
  const kept = after.subarray(0, before.length).equals(before);
  const effectCount = effects.filter((line) => line === effectLine).length;
  const entriesBefore = countLines(before);
  return [
    {
      claim: "Nothing acknowledged is lost",
      holds: kept && entriesBefore > 0,
      evidence: `${entriesBefore} entries were on disk when SIGKILL came; ${kept ? "the same bytes stand" : "OTHER bytes stand"} before the ${countLines(after) - entriesBefore} that followed.`,
    },
    {
      claim: "Nothing runs twice unasked",
      holds: effectCount === 1 && closedAs !== null,
      evidence: `the killed command's effect is there ${effectCount} time(s); its call was closed with: ${closedAs ?? "(nothing)"}`,
    },
    {
      claim: "Nothing is left running",
      holds: evidence.processesLeft === 0,
      evidence: `${evidence.processesLeft} processes of the killed command are alive.`,
    },
    {
      claim: "Nobody writes outside the scope",
      holds: evidence.outside.length === 0 && evidence.refusal !== null,
      evidence: `the write was refused (${evidence.refusal ?? "it was NOT refused"}); the folder outside holds ${evidence.outside.length} files.`,
    },
    {
      claim: "Every prompt can be rebuilt and checked from the log",
      holds: verify.ok && verify.requests > 0 && verify.wire_checked === verify.requests,
      evidence: `${verify.requests} requests rebuilt, ${verify.wire_checked} bodies compared, ${verify.ok ? "no difference" : "WITH differences"}.`,
    },
  ];
}
