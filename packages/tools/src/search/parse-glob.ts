/** Globs as trees. What a name is made of is bytes, here as one character a byte, because a name need not be text. */

export type GlobNode =
  | { readonly kind: "byte"; readonly byte: string }
  /** One character, or one byte, that is no slash. */
  | { readonly kind: "any" }
  /** Any number of bytes that are no slash. */
  | { readonly kind: "star" }
  | {
      readonly kind: "class";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  | { readonly kind: "either"; readonly branches: readonly (readonly GlobNode[])[] }
  /** A leading double star: any directories, or none. */
  | { readonly kind: "any_directories" }
  /** A double star between slashes: a slash, or directories between two. */
  | { readonly kind: "between" }
  /** A final double star: all below. */
  | { readonly kind: "all_below" };

/** Most bytes of one glob. */
export const globBytesMax = 1024;
/** Deepest braces in braces. */
export const bracesDepthMax = 16;

export type ParsedGlob =
  | { readonly ok: true; readonly nodes: readonly GlobNode[] }
  | { readonly ok: false; readonly problem: string };

/** @param glob one character a byte. */
export function parseGlob(glob: string): ParsedGlob {
  if (glob.length > globBytesMax) return { ok: false, problem: `is longer than ${globBytesMax} bytes` };
  const parser = new Parser(glob);
  const nodes = parser.sequence(0);
  return parser.problem === null ? { ok: true, nodes } : { ok: false, problem: parser.problem };
}

class Parser {
  readonly #glob: string;
  #at = 0;
  problem: string | null = null;

  constructor(glob: string) {
    this.#glob = glob;
  }

  /** Nodes up to the end, or in braces up to the comma or brace that ends a branch. */
  sequence(depth: number): GlobNode[] {
    const nodes: GlobNode[] = [];
    while (this.#at < this.#glob.length && this.problem === null) {
      const char = this.#glob.charAt(this.#at);
      if (depth > 0 && (char === "," || char === "}")) return nodes;
      this.#at += 1;
      switch (char) {
        case "?":
          nodes.push({ kind: "any" });
          break;
        case "*":
          this.#star(nodes);
          break;
        case "[":
          nodes.push(this.#class());
          break;
        case "{":
          nodes.push(this.#braces(depth + 1));
          break;
        case "}":
          this.problem = "has a } without {";
          break;
        case "\\":
          this.#escape(nodes);
          break;
        default:
          nodes.push({ kind: "byte", byte: char });
      }
    }
    return nodes;
  }

  #escape(nodes: GlobNode[]): void {
    const escaped = this.#glob.charAt(this.#at);
    if (escaped === "") this.problem = "ends with a backslash that escapes nothing";
    this.#at += 1;
    nodes.push({ kind: "byte", byte: escaped });
  }

  /** Two stars are special only as a whole component. */
  #star(nodes: GlobNode[]): void {
    const start = this.#at - 1;
    if (this.#glob.charAt(this.#at) !== "*") {
      nodes.push({ kind: "star" });
      return;
    }
    this.#at += 1;
    const before = this.#glob.charAt(start - 1);
    const after = this.#glob.charAt(this.#at);
    const [opens, closes] = [start === 0 || before === "/", after === "" || after === "/"];
    const inBraces = start > 0 && (before === "," || before === "{");
    if ((!opens && !inBraces) || (!closes && !(inBraces && (after === "," || after === "}")))) {
      nodes.push({ kind: "star" }, { kind: "star" });
      return;
    }
    const previous = nodes.at(-1);
    if (previous === undefined) {
      if (after === "/") this.#at += 1;
      nodes.push({ kind: "any_directories" });
      if (after !== "/") nodes.push({ kind: "star" });
      return;
    }
    // Runs of double stars are one.
    if (previous.kind === "between" || previous.kind === "any_directories") {
      if (after === "/") this.#at += 1;
      else {
        nodes.pop();
        nodes.push(previous.kind === "between" ? { kind: "all_below" } : previous);
        if (previous.kind === "any_directories") nodes.push({ kind: "star" });
      }
      return;
    }
    nodes.pop();
    if (after === "/") {
      this.#at += 1;
      nodes.push({ kind: "between" });
    } else nodes.push({ kind: "all_below" });
  }

  #class(): GlobNode {
    const ranges: [string, string][] = [];
    let negated = false;
    if (this.#glob.charAt(this.#at) === "!" || this.#glob.charAt(this.#at) === "^") {
      negated = true;
      this.#at += 1;
    }
    for (let isFirst = true; ; isFirst = false) {
      const low = this.#glob.charAt(this.#at);
      if (low === "") {
        this.problem = "has a [ without ]";
        return { kind: "class", negated, ranges };
      }
      this.#at += 1;
      if (low === "]" && !isFirst) return { kind: "class", negated, ranges };
      const next = this.#glob.charAt(this.#at + 1);
      if (this.#glob.charAt(this.#at) === "-" && next !== "]" && next !== "") {
        this.#at += 2;
        if (low > next) this.problem = `has the range ${low}-${next}, which is the wrong way round`;
        ranges.push([low, next]);
      } else ranges.push([low, low]);
    }
  }

  #braces(depth: number): GlobNode {
    const branches: GlobNode[][] = [];
    if (depth > bracesDepthMax) this.problem = `has more than ${bracesDepthMax} braces in braces`;
    while (this.problem === null) {
      branches.push(this.sequence(depth));
      const end = this.#glob.charAt(this.#at);
      this.#at += 1;
      if (end === "}") break;
      if (end !== ",") this.problem ??= "has a { without }";
    }
    return { kind: "either", branches };
  }
}
