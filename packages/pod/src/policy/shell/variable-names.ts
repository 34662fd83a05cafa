/** Names of variables: what changes which programs run, what is a command, and what neither does. */

/** Programs find other programs, settings or options that make them run something by these. */
export const steering: ReadonlySet<string> = new Set([
  "BASHOPTS",
  "BASH_ALIASES",
  "BASH_CMDS",
  "BASH_ENV",
  "ENV",
  "EXINIT",
  "FZF_DEFAULT_OPTS",
  "GCONV_PATH",
  "GNUMAKEFLAGS",
  "HOME",
  "INPUTRC",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "LESS",
  "LESSKEY",
  "MAILCAPS",
  "MAKEFILES",
  "MAKEFLAGS",
  "MANOPT",
  "MANROFFOPT",
  "MFLAGS",
  "NODE_OPTIONS",
  "PATH",
  "PERL5DB",
  "PERL5OPT",
  "PYTHONSTARTUP",
  "RIPGREP_CONFIG_PATH",
  "RUBYOPT",
  "SHELL",
  "SHELLOPTS",
  "TAR_OPTIONS",
  "VIMINIT",
  "XDG_CONFIG_DIRS",
  "XDG_CONFIG_HOME",
  "ZDOTDIR",
  "ZIPOPT",
  "_JAVA_OPTIONS",
]);
/** All of git's but those that are harmless; libraries that are loaded into programs, but not where libraries are looked for. */
export const steeringPrefix =
  /^(?:GIT_|BASH_FUNC_|npm_config_|NPM_CONFIG_|(?:LD|DYLD)_(?!(?:FALLBACK_)?LIBRARY_PATH$))/;

/** Their value is a command; the program that runs it gives it more arguments. */
export const commands: ReadonlySet<string> = new Set([
  "BROWSER",
  "CC",
  "CVS_RSH",
  "CXX",
  "EDITOR",
  "FCEDIT",
  "FZF_DEFAULT_COMMAND",
  "GIT_ASKPASS",
  "GIT_EDITOR",
  "GIT_EXTERNAL_DIFF",
  "GIT_PAGER",
  "GIT_PROXY_COMMAND",
  "GIT_SEQUENCE_EDITOR",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "KUBE_EDITOR",
  "LESSCLOSE",
  "LESSOPEN",
  "MANPAGER",
  "PAGER",
  "PROMPT_COMMAND",
  "RSYNC_CONNECT_PROG",
  "RSYNC_RSH",
  "RUSTC_WRAPPER",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "SUDO_EDITOR",
  "SYSTEMD_EDITOR",
  "SYSTEMD_PAGER",
  "VISUAL",
]);

/** Prompts are expanded like double quotes when they are shown, and PS4 is by `set -x`. */
export const prompts: ReadonlySet<string> = new Set(["PS0", "PS1", "PS2", "PS4"]);

/** They change what is shown, at most: a command may be allowed with them before it. */
export const harmless: ReadonlySet<string> = new Set([
  "CI",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "COLUMNS",
  "DEBUG",
  "FORCE_COLOR",
  "GIT_ADVICE",
  "GIT_FLUSH",
  "GIT_LFS_SKIP_SMUDGE",
  "GIT_MERGE_AUTOEDIT",
  "GIT_OPTIONAL_LOCKS",
  "GIT_PROGRESS_DELAY",
  "GIT_TERMINAL_PROMPT",
  "LANG",
  "LANGUAGE",
  "LINES",
  "NODE_ENV",
  "NO_COLOR",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "TERM",
  "TZ",
]);
export const harmlessPrefix = /^(?:LC_|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$)/;

/** Where the value is one of these, nothing else is found or run; `$` stands for an expansion, never for a character. */
export const harmlessValues: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^GIT_(?:CURL_VERBOSE|TRACE)/, /^(?:[012]|true|false)?$/],
  [/^GIT_DIR$/, /^\.git$/],
  [/^GIT_WORK_TREE$/, /^\.$/],
  [/^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/, /^(?:\/dev\/null|1|true)$/],
  [/^HOME$/, /^\$(?:HOME|\{HOME\})$/],
  [/^LESS$/, /^-?[A-Za-z]*$/],
  [/^MAKEFLAGS$/, /^-?j\d*$/],
  [/^NODE_OPTIONS$/, /^(?:--(?:max-old-space-size=\d+|no-warnings|no-deprecation|enable-source-maps) ?)*$/],
  [/^npm_config_/i, /^(?:true|false|\d+|silent|error|warn)?$/],
  [/^SHELL$/, /^(?:\/usr)?\/bin\/(?:ba|da|z)?sh$/],
  // What there is keeps its place before what is added, but for the system's directories and those of tools in a home.
  [
    /^PATH$/,
    /^(?:(?:\/(?:usr\/(?:local\/)?)?s?bin|\$(?:HOME|\{HOME\})\/\.\w[\w-]*(?:\/[\w-]+)*):)*\$(?:PATH|\{PATH\})(?::(?:\$(?:HOME|\{HOME\})\/)?[^$:]+)*$/,
  ],
];
