/** Search providers: how each is asked, and its answer in one shape. */
import { isJsonObject, type JsonObject, YoiError } from "@yoi/base";

export const searchProviderNames = ["brave", "searxng"] as const;
export type SearchProviderName = (typeof searchProviderNames)[number];

export interface SearchQuery {
  readonly query: string;
  readonly limit: number;
  /** Page, from 0. */
  readonly page: number;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** How old the page is, in the provider's words. */
  readonly age?: string;
}

export interface SearchProvider {
  readonly name: SearchProviderName;
  readonly label: string;
  /** Where it is when the configuration does not say; null: it must. */
  readonly baseUrl: string | null;
  readonly needsKey: boolean;
  request(
    base: URL,
    query: SearchQuery,
    key: string | null,
  ): { readonly url: URL; readonly headers: Readonly<Record<string, string>> };
  /** Throws `web_failed` when the answer is none of the provider's. */
  hits(answer: unknown): readonly SearchHit[];
}

const brave: SearchProvider = {
  name: "brave",
  label: "Brave Search",
  baseUrl: "https://api.search.brave.com",
  needsKey: true,
  request: (base, { query, limit, page }, key) => {
    const url = below(base, "res/v1/web/search");
    url.searchParams.set("q", query);
    url.searchParams.set("count", String(limit));
    url.searchParams.set("offset", String(page));
    return { url, headers: key === null ? {} : { "x-subscription-token": key } };
  },
  hits: (answer) => {
    const web = isJsonObject(answer) ? answer["web"] : undefined;
    if (web === undefined) return [];
    return listAt(web, "results", "Brave Search").flatMap((result) => hitOf(result, "description", "age"));
  },
};

const searxng: SearchProvider = {
  name: "searxng",
  label: "SearXNG",
  baseUrl: null,
  needsKey: false,
  request: (base, { query, page }) => {
    const url = below(base, "search");
    url.searchParams.set("q", query);
    url.searchParams.set("format", "json");
    url.searchParams.set("pageno", String(page + 1));
    return { url, headers: {} };
  },
  hits: (answer) =>
    listAt(answer, "results", "SearXNG").flatMap((result) => hitOf(result, "content", "publishedDate")),
};

export const searchProviders: { readonly [name in SearchProviderName]: SearchProvider } = { brave, searxng };

function below(base: URL, path: string): URL {
  return new URL(path, base.href.endsWith("/") ? base : `${base.href}/`);
}

function listAt(value: unknown, field: string, label: string): readonly JsonObject[] {
  const list = isJsonObject(value) ? value[field] : undefined;
  if (!Array.isArray(list))
    throw new YoiError(
      "web_failed",
      `The answer of ${label} has no ${field}: check base_url below [web.search].`,
    );
  return list.filter(isJsonObject);
}

/** A result without an address or with one that nobody can fetch is left out. */
function hitOf(result: JsonObject, snippetField: string, ageField: string): SearchHit[] {
  const text = (field: string): string => {
    const value = result[field];
    return typeof value === "string" ? plain(value) : "";
  };
  const url = URL.parse(text("url"));
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return [];
  const age = text(ageField);
  return [
    { title: text("title"), url: url.href, snippet: text(snippetField), ...(age === "" ? {} : { age }) },
  ];
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
  "#39": "'",
};

/** Providers mark what was found with tags, and escape the rest. */
function plain(text: string): string {
  return text
    .replace(/<\/?(strong|b|em|mark|span)[^>]*>/gi, "")
    .replace(/&(amp|lt|gt|quot|#x27|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}
