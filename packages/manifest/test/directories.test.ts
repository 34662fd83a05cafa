/** Where yoi's files are, from the environment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { directories } from "../src/index.ts";

type Environment = Record<string, string | undefined>;

test("YOI_HOME, then XDG, then HOME", () => {
  const xdg = { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_RUNTIME_DIR: "/r" };
  const cases: readonly (readonly [env: Environment, config: string, data: string, runtime: string])[] = [
    [{ YOI_HOME: "/y", HOME: "/h", ...xdg }, "/y/config", "/y", "/y/run"],
    [{ YOI_HOME: "/y//z/../" }, "/y/config", "/y", "/y/run"],
    [{ HOME: "/h", ...xdg }, "/c/yoi", "/d/yoi", "/r/yoi"],
    [{ ...xdg }, "/c/yoi", "/d/yoi", "/r/yoi"],
    [{ HOME: "/h/" }, "/h/.config/yoi", "/h/.local/share/yoi", "/h/.local/share/yoi/run"],
    [{ HOME: "/h", XDG_DATA_HOME: "/d" }, "/h/.config/yoi", "/d/yoi", "/d/yoi/run"],
    // Empty is unset; a relative XDG path is not looked at.
    [
      { YOI_HOME: "", HOME: "/h", XDG_CONFIG_HOME: "", XDG_DATA_HOME: "data", XDG_RUNTIME_DIR: "./run" },
      "/h/.config/yoi",
      "/h/.local/share/yoi",
      "/h/.local/share/yoi/run",
    ],
  ];
  for (const [env, config, data, runtime] of cases)
    assert.deepEqual(directories(env), { config, data, runtime });
});

test("no folder is guessed", () => {
  const cases: readonly (readonly [env: Environment, says: RegExp])[] = [
    [{}, /set HOME or YOI_HOME/],
    [{ HOME: "home" }, /set HOME or YOI_HOME/],
    [{ HOME: "", XDG_CONFIG_HOME: "/c" }, /set HOME or YOI_HOME/],
    [{ YOI_HOME: "yoi", HOME: "/h" }, /YOI_HOME is "yoi", but must be an absolute path/],
  ];
  for (const [env, says] of cases)
    assert.throws(() => directories(env), { code: "config_invalid", message: says });
});
