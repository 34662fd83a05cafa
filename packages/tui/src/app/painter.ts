/** Painter: puts the state on the terminal, on its main screen or its second one, and remembers how far was printed. */
import { AlternateScreen } from "../terminal/alternate-screen.ts";
import { MainScreen } from "../terminal/main-screen.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { shownOf } from "../view/frame.ts";
import type { Line, ScreenSize } from "../view/line.ts";
import { nothingPrinted, type Printed } from "../view/printed.ts";
import { safeLine } from "../view/safe.ts";
import type { UiState } from "./state.ts";

export class Painter {
  readonly #terminal: Terminal;
  readonly #main: MainScreen;
  readonly #alternate: AlternateScreen;
  #printed: Printed = nothingPrinted;
  #screen: "main" | "alternate" = "main";
  #title: string | null = null;
  /** The size changed while the second screen was shown. */
  #mainSize: ScreenSize | null = null;

  constructor(terminal: Terminal) {
    const write = (bytes: string) => terminal.write(bytes);
    this.#terminal = terminal;
    this.#main = new MainScreen(write, terminal.size, terminal.capabilities.reflow);
    this.#alternate = new AlternateScreen(write, terminal.size);
    terminal.onAbandon(() => this.#main.erasing());
  }

  paint(state: UiState): void {
    const shown = shownOf(state, this.#printed);
    this.#entitle(state);
    if (shown.screen === "alternate") {
      this.#enter();
      this.#alternate.paint(shown.lines, shown.cursor);
      return;
    }
    this.#leave();
    this.#printed = shown.printed;
    this.#main.paint(shown.frame);
  }

  resize(size: ScreenSize, state: UiState): void {
    this.#alternate.resize(size);
    if (this.#screen === "alternate") this.#mainSize = size;
    else this.#main.resize(size, this.#tail(state, size), state.now);
  }

  /** Others wrote on the terminal: what they wrote stays, and all that is live stands below it. */
  restart(state: UiState): void {
    if (this.#screen === "alternate") this.resize(state.size, state);
    else this.#main.restart(state.size);
  }

  /** All is drawn again. */
  redraw(state: UiState): void {
    this.resize(state.size, state);
  }

  /** The terminal as it is without us, the cursor below what was printed. */
  away(): void {
    this.#leave();
    this.#main.erase();
  }

  /** What is said last stands below what was printed. */
  end(lines: readonly Line[]): void {
    this.away();
    if (lines.length > 0) this.#main.paint({ print: lines, live: [], cursor: { row: 0, column: 0 } });
  }

  /** The end of what was printed, for a terminal that does not break rows anew. */
  #tail({ open, look, isVerbose }: UiState, size: ScreenSize): readonly Line[] {
    let lines: readonly Line[] = [];
    const blocks = open?.session.blocks ?? [];
    for (let at = blocks.length - 1; at >= 0 && lines.length < size.rows; at -= 1) {
      const block = blocks[at];
      if (block === undefined || block.n >= this.#printed.next) continue;
      lines = [...look.linesOf(block, size.columns, isVerbose).slice(-size.rows), "", ...lines];
    }
    return lines.slice(-size.rows);
  }

  #enter(): void {
    if (this.#screen === "alternate") return;
    this.#main.erase();
    this.#screen = "alternate";
    this.#alternate.enter();
  }

  #leave(): void {
    if (this.#screen === "main") return;
    this.#screen = "main";
    this.#alternate.leave();
    if (this.#mainSize !== null) this.#main.restart(this.#mainSize);
    this.#mainSize = null;
  }

  #entitle({ open }: UiState): void {
    const title = open === null ? "yoi" : `yoi ${safeLine(open.name)}: ${standing(open.session)}`;
    if (title === this.#title) return;
    this.#title = title;
    this.#terminal.setTitle(title);
  }
}

function standing(session: NonNullable<UiState["open"]>["session"]): string {
  if (session.approvals.length > 0) return "waits for you";
  return session.link === "up" ? session.state : session.link.replace("_", " ");
}
