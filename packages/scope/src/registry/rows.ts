/** Rows of the registry as SQLite holds them. */
import type { DatabaseSync } from "node:sqlite";
import { podName, type Scope, type ScopeRule } from "@yoi/base";
import { checkScope } from "../rule.ts";
import type { Allocation } from "./registry.ts";

const registrySchema = 1;

/** What is in the file is not what this yoi wrote: it is put aside. */
export class NotOurs extends Error {}

/** By name. Null: a database that nobody wrote to yet. Throws NotOurs. */
export function readRows(database: DatabaseSync): readonly Allocation[] | null {
  const version = numberOf(database, "PRAGMA user_version", "user_version");
  if (version === 0 && numberOf(database, "SELECT count(*) AS objects FROM sqlite_schema", "objects") === 0)
    return null;
  if (version !== registrySchema) throw new NotOurs(`it has schema ${version}`);
  return database.prepare("SELECT * FROM allocations ORDER BY name").all().map(decode);
}

export function createTable(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE allocations (
      name TEXT PRIMARY KEY, boot TEXT, pid INTEGER, started INTEGER, socket TEXT, "allow" TEXT NOT NULL, "deny" TEXT NOT NULL,
      delegated_from TEXT, loan TEXT, segment TEXT, epoch INTEGER
    ) STRICT;
    PRAGMA user_version = ${registrySchema}`);
}

export function putRow(database: DatabaseSync, row: Allocation): void {
  database
    .prepare("INSERT OR REPLACE INTO allocations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    .run(
      row.name,
      row.owner?.boot ?? null,
      row.owner?.pid ?? null,
      row.owner?.started ?? null,
      row.socket,
      JSON.stringify(row.scope.allow),
      JSON.stringify(row.scope.deny),
      row.delegatedFrom,
      row.loan,
      row.segment,
      row.epoch,
    );
}

export function dropRow(database: DatabaseSync, name: string): void {
  database.prepare("DELETE FROM allocations WHERE name = ?").run(name);
}

function numberOf(database: DatabaseSync, sql: string, column: string): number {
  return Number(database.prepare(sql).get()?.[column]);
}

type Row = Readonly<Record<string, unknown>>;

function decode(row: Row): Allocation {
  try {
    const { boot, pid, started } = row;
    const lender = textOrNull(row, "delegated_from");
    return {
      name: podName(text(row, "name")),
      owner:
        boot === null && pid === null && started === null
          ? null
          : { boot: text(row, "boot"), pid: whole(row, "pid"), started: whole(row, "started") },
      socket: textOrNull(row, "socket"),
      scope: decodeScope(text(row, "allow"), text(row, "deny")),
      delegatedFrom: lender === null ? null : podName(lender),
      loan: textOrNull(row, "loan"),
      segment: textOrNull(row, "segment"),
      epoch: row["epoch"] === null ? null : whole(row, "epoch"),
    };
  } catch (cause) {
    throw new NotOurs("a row of it cannot be read", { cause });
  }
}

function decodeScope(allow: string, deny: string): Scope {
  return checkScope({ allow: rulesOf(allow), deny: rulesOf(deny) });
}

function rulesOf(json: string): readonly ScopeRule[] {
  const rules: unknown = JSON.parse(json);
  if (!Array.isArray(rules)) throw new Error("no list of rules");
  return rules.map((rule: unknown) => {
    const { target, permission, recursive } = Object(rule) as { readonly [key: string]: unknown };
    if (typeof target !== "string" || typeof recursive !== "boolean") throw new Error("no rule");
    if (permission !== "read" && permission !== "write") throw new Error("no permission");
    return { target, permission, recursive };
  });
}

function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new Error(`${column} is no text`);
  return value;
}

function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

function whole(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new Error(`${column} is no number`);
  return value;
}
