/** SocketFiles over `node:fs`: a long path is reached through its directory's descriptor, and a path is a socket's only while that takes connections. */
import { closeSync, chmodSync, constants, lstatSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path/posix";
import type { SocketFiles } from "@yoi/base";
import { errnoOf, fileError } from "../file-error.ts";
import { temporaryPath } from "../temporary.ts";

/** `sun_path` of Linux, without its NUL. */
const addressBytesMax = 107;
const socketMode = 0o600;

function attempt<T>(operation: string, path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw fileError(operation, path, errnoOf(error), error);
  }
}

/** The path as an address can hold it, and how to give back what that took. */
function within(path: string): { readonly path: string; readonly release: () => void } {
  if (Buffer.byteLength(path) <= addressBytesMax) return { path, release: () => {} };
  let directory: number | null = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    release: () => {
      if (directory !== null) closeSync(directory);
      directory = null;
    },
  };
}

function standingAt(path: string) {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

export const nodeSocketFiles: SocketFiles = {
  reach(path) {
    const { path: address, release } = attempt("reach the socket", path, () => within(path));
    return { address, release };
  },

  place(path) {
    // The same name each time: what a killed process left here goes with the next one.
    const temporary = temporaryPath(path, "0");
    const { path: address, release } = attempt("bind the socket", path, () => {
      // Binding would call a missing directory a missing permission.
      statSync(dirname(path));
      const near = within(temporary);
      rmSync(near.path, { force: true });
      return near;
    });
    let published: string | null = null;
    return {
      address,
      publish: () =>
        attempt("bind the socket", path, () => {
          const before = standingAt(path);
          if (before !== undefined && !before.isSocket()) {
            throw new Error("something that is not a socket is in its place");
          }
          chmodSync(address, socketMode);
          const made = lstatSync(address, { bigint: true });
          renameSync(address, path);
          published = `${made.dev}:${made.ino}`;
        }),
      withdraw: () =>
        attempt("remove the socket", path, () => {
          try {
            const found = published === null ? undefined : standingAt(path);
            if (found !== undefined && `${found.dev}:${found.ino}` === published)
              rmSync(path, { force: true });
          } finally {
            published = null;
            release();
          }
        }),
    };
  },
};
