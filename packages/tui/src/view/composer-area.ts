/** What is typed in, with what an empty composer says there. */
import { lookingForModel, type OpenPod, type UiState } from "../app/state.ts";
import { nextOfEnter } from "../app/next-of-enter.ts";
import { searchShown } from "../composer/search.ts";
import { shortHelpLines } from "./help.ts";
import { composerLines, type ComposerView, completionRowsMax } from "./composer.ts";

export function composerArea(state: UiState, rowsMax: number): ComposerView {
  const { look, size, search, completion } = state;
  const composer = search === null ? state.composer : searchShown(search, state.history);
  const options = {
    columns: size.columns,
    theme: look.theme,
    placeholder: placeholderOf(state),
    completion,
    search,
  };
  if (asksForKeys(state)) {
    const alone = composerLines(composer, { ...options, completion: null, rowsMax: 1 });
    const below = shortHelpLines(state.keys, Math.min(rowsMax - 1, size.rows - 5), options);
    return { ...alone, lines: [...alone.lines, ...below] };
  }
  const whole = composerLines(composer, { ...options, rowsMax });
  if (whole.lines.length <= rowsMax + completionRowsMax && whole.lines.length <= size.rows - 3) return whole;
  // Where there is no room for both, the list is left out.
  return composerLines(composer, { ...options, completion: null, rowsMax });
}

/** A question mark stands alone: whatever is typed next is what is meant, and the keys are gone. */
function asksForKeys({ composer, search }: UiState): boolean {
  return search === null && composer.text === "?" && composer.cursor === composer.text.length;
}

function placeholderOf(state: UiState): string {
  const { open } = state;
  if (open === null && state.looksForModel) return lookingForModel;
  if (open === null)
    return state.waitingFor?.text ?? "Ask for something: that starts a Pod. ? shows the keys.";
  const { approvals, queue } = open.session;
  switch (nextOfEnter(state)) {
    case "restores":
      return `The process of ${open.name} has ended: Enter restores it, Alt-P shows the others.`;
    case "shows_calls":
      return approvals.length === 1
        ? "A call waits for you: Enter shows it."
        : `${approvals.length} calls wait for you: Enter shows the first.`;
    case "resumes":
      return "Paused: Enter goes on, or write what is to be done instead.";
    case "gives_queue":
      return `${queue.length} held: Enter goes on, Alt-Up takes back.`;
    case "nothing":
      return otherwise(open);
  }
}

/** Enter does nothing there. */
function otherwise(open: OpenPod): string {
  switch (open.session.link) {
    case "connecting":
    case "catching_up":
      return `Reading what ${open.name} did ...`;
    case "lost":
      return `The connection is lost: waiting for ${open.name} ...`;
    case "ended":
      return `${open.name} has ended: Alt-P shows the others.`;
    case "up":
      break;
  }
  return open.session.state === "running"
    ? "Enter sends it with the next request, Alt-Enter behind the run; Esc stops it."
    : "? shows the keys.";
}
