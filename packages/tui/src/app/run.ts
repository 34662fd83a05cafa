/** runTerminalUi: the loop of the terminal. Events make states, effects are carried out, and what is to be seen is painted. */
import { messageOf } from "@yoi/base";
import type { UiHost } from "../host.ts";
import { keyMapOf } from "../keys/key-map.ts";
import type { TerminalSettings } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { loadHighlighter } from "../view/highlight.ts";
import { themeNamed } from "../view/themes.ts";
import { nextPollMs, nextTickMs } from "./clockwork.ts";
import type { UiEventBody } from "./event.ts";
import { type Look, lookOf } from "./look.ts";
import type { UiOpen } from "./open.ts";
import { Painter } from "./painter.ts";
import { Performer } from "./perform.ts";
import { firstState, type UiEnd, type UiState } from "./state.ts";
import { note, noticesMax, type Step } from "./step.ts";
import { update } from "./update.ts";
import { begin } from "./update/begin.ts";

export interface TerminalUiOptions {
  readonly host: UiHost;
  readonly settings: TerminalSettings;
  readonly open: UiOpen;
  readonly io: {
    /** Takes the terminal; it is given back by the end. */
    readonly terminal: () => Terminal;
    /** How blocks are drawn; absent: as they are. */
    readonly lookOf?: typeof lookOf;
  };
}

/** Between two paints of what a Pod tells; a key is painted at once. */
const paintMs = 33;

/** What a paint takes is at most one part of so many of the time. */
const paintShare = 4;

/** Resolves when the terminal is left, and given back as it was. Never rejects. */
export async function runTerminalUi(options: TerminalUiOptions): Promise<UiEnd> {
  let terminal: Terminal;
  try {
    terminal = options.io.terminal();
  } catch (error) {
    return { kind: "failed", message: `The terminal could not be taken: ${messageOf(error)}` };
  }
  const ui = new TerminalUi(terminal, options);
  try {
    return await ui.run();
  } finally {
    terminal.close();
  }
}

class TerminalUi {
  readonly #terminal: Terminal;
  readonly #options: TerminalUiOptions;
  readonly #painter: Painter;
  readonly #performer: Performer;
  readonly #ended = Promise.withResolvers<UiEnd>();
  #state: UiState;
  /** What was painted last; null: something is to be painted whatever the state is. */
  #painted: UiState | null = null;
  #paintedMs = 0;
  /** How long the last one took. */
  #paintCostMs = 0;
  #isAway = false;
  #hasEnded = false;
  #cancelPaint: (() => void) | null = null;
  #cancelTick: (() => void) | null = null;
  #cancelPoll: (() => void) | null = null;
  #pollMs = 0;

  constructor(terminal: Terminal, options: TerminalUiOptions) {
    const { host } = options;
    this.#terminal = terminal;
    this.#options = options;
    this.#painter = new Painter(terminal);
    this.#state = stateOf(terminal, options);
    this.#performer = new Performer({
      host,
      tell: (event) => this.#tell(event),
      stage: {
        away: () => this.#away(),
        back: () => this.#back(),
        redraw: () => this.#redraw(),
        copy: (text) => terminal.copy(text),
        notify: (text) => terminal.notify(text),
      },
    });
  }

  async run(): Promise<UiEnd> {
    const terminal = this.#terminal;
    terminal.onInput((input) => this.#tell({ type: "input", input }));
    terminal.onFocus((isFocused) => this.#tell({ type: "focus", isFocused }));
    terminal.onResize((size) => this.#resized(size));
    terminal.onContinue(() => this.#continued(terminal.size));
    terminal.onDrain(() => this.#guarded(() => this.#paintSoon(0)));
    terminal.onEnd(() => this.#finish({ kind: "left", pod: this.#state.open?.name ?? null }));
    this.#guarded(() => this.#take(begin(this.#state, this.#options.open)));
    this.#paintSoon(0);
    this.#poll();
    if (terminal.capabilities.colors)
      loadHighlighter().catch((error: unknown) => this.#withoutColours(error));
    const end = await this.#ended.promise;
    for (const cancel of [this.#cancelPaint, this.#cancelTick, this.#cancelPoll]) cancel?.();
    try {
      const untaken = await this.#performer.close();
      if (!this.#isAway) this.#painter.end(farewell(end, untaken + this.#state.unsent.length));
    } catch (error) {
      return { kind: "failed", message: messageOf(error) };
    }
    return end;
  }

  #withoutColours(error: unknown): void {
    this.#guarded(() => {
      this.#state = note(this.#state, "warn", `Code is shown without colours: ${messageOf(error)}`);
      this.#paintSoon(paintMs);
    });
  }

  #tell(event: UiEventBody): void {
    this.#guarded(() => {
      this.#take(update(this.#state, { ...event, now: this.#options.host.now() }));
      this.#paintSoon(event.type === "input" ? 0 : paintMs);
    });
  }

  #take({ state, effects }: Step): void {
    this.#state = state;
    for (const effect of effects) this.#performer.perform(effect);
    if (state.end !== null) return this.#finish(state.end);
    if (this.#cancelPoll === null || nextPollMs(state) === this.#pollMs) return;
    this.#cancelPoll();
    this.#poll();
  }

  /** @param ms after the paint before; 0: now. */
  #paintSoon(ms: number): void {
    if (this.#hasEnded || this.#isAway || this.#state === this.#painted) return;
    const { host } = this.#options;
    const wait = ms === 0 ? 0 : this.#paintedMs + Math.max(ms, this.#paintCostMs * paintShare) - host.now();
    if (wait <= 0) return this.#paint();
    this.#cancelPaint ??= host.timers.after(wait, () => this.#guarded(() => this.#paint()));
  }

  #paint(): void {
    this.#cancelPaint?.();
    this.#cancelPaint = null;
    // Whoever reads the terminal is slow: the next one shows what is then.
    if (!this.#terminal.isDrained) return;
    const { host } = this.#options;
    const begunMs = host.now();
    this.#painter.paint(this.#state);
    this.#painted = this.#state;
    this.#paintedMs = host.now();
    this.#paintCostMs = this.#paintedMs - begunMs;
    this.#tickLater();
  }

  #tickLater(): void {
    this.#cancelTick?.();
    const ms = nextTickMs(this.#state);
    this.#cancelTick =
      ms === null ? null : this.#options.host.timers.after(ms, () => this.#tell({ type: "tick" }));
  }

  #poll(): void {
    if (this.#hasEnded) return;
    this.#pollMs = nextPollMs(this.#state);
    this.#cancelPoll = this.#options.host.timers.after(this.#pollMs, () => {
      this.#performer.perform({ type: "list_pods" });
      this.#poll();
    });
  }

  #resized(size: Terminal["size"]): void {
    this.#guarded(() => {
      const now = this.#options.host.now();
      this.#take(update(this.#state, { type: "resize", size, now }));
      this.#painter.resize(size, this.#state);
      this.#painted = null;
      this.#paintSoon(0);
    });
  }

  #continued(size: Terminal["size"]): void {
    this.#guarded(() => {
      this.#take(update(this.#state, { type: "resize", size, now: this.#options.host.now() }));
      this.#painter.restart(this.#state);
      this.#painted = null;
      this.#paintSoon(0);
    });
  }

  #redraw(): void {
    this.#painter.redraw(this.#state);
    this.#painted = null;
    this.#paintSoon(0);
  }

  #away(): void {
    this.#painter.away();
    this.#terminal.suspend();
    this.#isAway = true;
  }

  #back(): void {
    this.#isAway = false;
    if (this.#hasEnded) return;
    this.#terminal.resume();
    this.#resized(this.#terminal.size);
  }

  #guarded(work: () => void): void {
    if (this.#hasEnded) return;
    try {
      work();
    } catch (error) {
      this.#finish({
        kind: "failed",
        message: `The terminal failed (${messageOf(error)}), and the Pod goes on.`,
      });
    }
  }

  #finish(end: UiEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ended.resolve(end);
  }
}

function stateOf(terminal: Terminal, { host, settings, io }: TerminalUiOptions): UiState {
  const { map, problems } = keyMapOf(settings.keys);
  const make = io.lookOf ?? lookOf;
  const { colors, isLight } = terminal.capabilities;
  const autoLook = make(themeNamed(!colors ? "none" : isLight ? "light" : "dark"));
  const chosen: Look = settings.theme === "auto" || !colors ? autoLook : make(themeNamed(settings.theme));
  const { workspace, version } = host;
  const first = {
    now: host.now(),
    size: terminal.size,
    look: chosen,
    autoLook,
    settings,
    keys: map,
    workspace,
    version,
  };
  return problemsShown(problems).reduce((state, problem) => note(state, "warn", problem), firstState(first));
}

/** As many as notices are shown at once. */
export function problemsShown(problems: readonly string[]): readonly string[] {
  if (problems.length <= noticesMax) return problems;
  const shown = problems.slice(0, noticesMax - 1);
  const more = problems.length - shown.length;
  return [...shown, `terminal.keys: ${more} more are wrong: \`yoi config check\` lists them.`];
}

function farewell(end: UiEnd, untaken: number): readonly string[] {
  if (end.kind === "failed") return [];
  const last =
    untaken === 1
      ? "What you sent last was not answered"
      : `The last ${untaken} that you sent were not answered`;
  return [
    ...(end.pod === null
      ? []
      : [`Left the Pod ${end.pod}, which goes on: \`yoi attach ${end.pod}\` comes back.`]),
    ...(untaken === 0 ? [] : [`${last}: whether that was taken is not known. The history (Up) has it.`]),
  ];
}
