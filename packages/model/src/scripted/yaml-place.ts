/** YamlPlace: a value in a YAML file that knows where it stands, so that every complaint names file and line. */
import { type JsonValue, whyYamlBeyond, type YamlBounds, YoiError } from "@yoi/base";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
} from "yaml";

interface YamlFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** A scenario is its user's own, and as long as it has to be. */
const bounds: YamlBounds = { nestingMax: 32, tokensMax: Infinity };

export class YamlPlace {
  readonly #file: YamlFile;
  readonly #node: unknown;
  /** Path in the document, for messages: `steps[2].text`. */
  readonly #at: string;
  /** 1-based. */
  readonly line: number;

  constructor(file: YamlFile, node: unknown, at: string, line: number) {
    this.#file = file;
    this.#node = isAlias(node) ? node.resolve(file.document) : node;
    this.#at = at;
    const start = isNode(node) ? node.range?.[0] : undefined;
    this.line = start === undefined ? line : file.lines.linePos(start).line;
  }

  /** The root of a file. Throws config_invalid when the text is not one YAML document. */
  static parse(name: string, text: string): YamlPlace {
    const beyond = whyYamlBeyond(new Lexer().lex(text), bounds);
    if (beyond !== null) throw complaint(name, 1, `this is ${beyond}`);
    const lines = new LineCounter();
    // What it would say of odd keys and tags, it would say on standard error.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
    const file = { name, document, lines };
    const [problem] = document.errors;
    if (problem !== undefined) {
      const line = lines.linePos(problem.pos[0]).line;
      throw complaint(name, line, `this is not valid YAML: ${problem.message}`);
    }
    return new YamlPlace(file, document.contents, "", 1);
  }

  fail(what: string): YoiError {
    return complaint(this.#file.name, this.line, this.#at === "" ? what : `${this.#at} ${what}`);
  }

  /** The fields of a mapping; an unknown key is an error. */
  fields<K extends string>(known: readonly K[]): { readonly [key in K]?: YamlPlace } {
    if (!isMap(this.#node)) throw this.fail(`must be a mapping with keys of: ${known.join(", ")}`);
    const found: { [key in K]?: YamlPlace } = {};
    for (const pair of this.#node.items) {
      const keyPlace = new YamlPlace(this.#file, pair.key, this.#at, this.line);
      const key = isScalar(pair.key) ? String(pair.key.value) : "";
      const name = known.find((candidate) => candidate === key);
      if (name === undefined) {
        throw keyPlace.fail(
          `has the unknown key ${JSON.stringify(key)}; known are: ${known.join(", ")}`.trim(),
        );
      }
      const at = this.#at === "" ? name : `${this.#at}.${name}`;
      found[name] = new YamlPlace(this.#file, pair.value, at, keyPlace.line);
    }
    return found;
  }

  list(): readonly YamlPlace[] {
    if (!isSeq(this.#node)) throw this.fail("must be a list");
    return this.#node.items.map(
      (node, index) => new YamlPlace(this.#file, node, `${this.#at}[${index}]`, this.line),
    );
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  get isText(): boolean {
    return isScalar(this.#node) && typeof this.#node.value === "string";
  }

  text(): string {
    const value = this.#scalar();
    if (typeof value !== "string") throw this.fail("must be a text (put it in quotes)");
    return value;
  }

  integer(min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#scalar();
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min) {
      throw this.fail(`must be a whole number of at least ${min}`);
    }
    if (value > max) throw this.fail(`must be a whole number of at most ${max}`);
    return value;
  }

  /** A finite one. */
  number(min: number): number {
    const value = this.#scalar();
    if (typeof value !== "number" || !Number.isFinite(value) || value < min)
      throw this.fail(`must be a number of at least ${min}`);
    return value;
  }

  boolean(): boolean {
    const value = this.#scalar();
    if (typeof value !== "boolean") throw this.fail("must be true or false");
    return value;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const value = this.#scalar();
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw this.fail(`must be one of: ${values.join(", ")}`);
    return found;
  }

  /** The value as JSON. */
  json(): JsonValue {
    const value: unknown = isNode(this.#node) ? this.#node.toJS(this.#file.document) : null;
    // The round trip refuses what JSON has no word for (.nan, .inf, !!binary): it would come back as something else.
    const text = JSON.stringify(value, (_key, field: unknown) => {
      if (typeof field === "number" && !Number.isFinite(field))
        throw this.fail("holds a number that JSON has not");
      if (field instanceof Uint8Array) throw this.fail("holds binary data");
      return field;
    });
    return JSON.parse(text) as JsonValue;
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }
}

function complaint(file: string, line: number, what: string): YoiError {
  return new YoiError("config_invalid", `The scenario ${file}, line ${line}: ${what}.`, {
    place: { path: file, line },
  });
}
