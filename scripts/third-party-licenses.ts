/** The licence texts of all packages that a bundle holds code of, as a file beside it: their authors ask that it goes with the code. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";

export const licensesFileName = "THIRD_PARTY_LICENSES.txt";

interface BundledPackage {
  /** Name and version. */
  readonly title: string;
  /** As the package says it, an SPDX expression. */
  readonly license: string;
  readonly repository: string;
  /** Null: the package does not name one. */
  readonly author: string | null;
  /** Licence and notice files, one after the other; null: the package has none. */
  readonly text: string | null;
}

/** Emitted as a part of the bundle, so that it is kept and replaced with it. Fails the build for a package without a text. */
export const thirdPartyLicenses: Plugin = {
  name: "third-party-licenses",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
    this.emitFile({ type: "asset", fileName: licensesFileName, source: licensesOf(modules) });
  },
};

/** @param modules absolute paths. Throws for a package whose licence text is not found. */
export function licensesOf(modules: readonly string[]): string {
  const packages = [...new Set(modules.flatMap(packageFolder))].map(read);
  const byTitle = new Map(packages.map((one) => [one.title, one]));
  const sections = [...byTitle.values()]
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
    .map((one) => `${one.title} (${one.license})\n\n${(one.text ?? textOfSibling(one, packages)).trim()}\n`);
  return [`yoi contains code of these packages, under these licences.\n`, ...sections].join(
    `\n${"-".repeat(80)}\n\n`,
  );
}

/** The innermost package of a module; [] for one that is in none. */
export function packageFolder(module: string): readonly string[] {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/@\0][^/]*(?=\/)/.exec(module)?.slice(0, 1) ?? [];
}

function read(folder: string): BundledPackage {
  const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(name))
    .toSorted();
  const { name, version, license, repository, author } = json;
  if (typeof license !== "string") throw new Error(`${folder} does not say its licence`);
  return {
    title: `${name}@${version}`,
    license,
    repository: typeof repository === "string" ? repository : String(repository?.url),
    author: typeof author === "string" ? author : (author?.name ?? null),
    text:
      files.length === 0 ? null : files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n"),
  };
}

/** Packages of one repository under one licence share the text, and not each of them ships it. */
function textOfSibling(
  { title, license, repository, author }: BundledPackage,
  all: readonly BundledPackage[],
): string {
  const sibling = all.find(
    (one) => one.text !== null && one.license === license && one.repository === repository,
  );
  if (sibling !== undefined && sibling.text !== null) return sibling.text;
  // The text of this one is the same everywhere, but for whose it is.
  if (license === "MIT" && author !== null) return mitText(author);
  throw new Error(`${title} ships no licence text`);
}

function mitText(author: string): string {
  return `MIT License

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
}
