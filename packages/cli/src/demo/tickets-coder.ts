/** What the coder of the demo of tickets says and calls. */
import { about } from "./tickets-about.ts";
import { fixed, fixedAgain, testOfNoLines } from "./tickets-project.ts";
import {
  bash,
  call,
  cloneOf,
  commitTitles,
  type Reaction,
  type TicketsPlaces,
  untilThere,
  word,
} from "./tickets-steps.ts";

export function coderSays(places: TicketsPlaces): readonly Reaction[] {
  const { ticket } = places;
  const clone = cloneOf(places);
  const commit = (title: string) =>
    bash(
      `cd ${word(clone)} && node --test > /dev/null && git add . && git -c user.name="$YOI_POD" -c user.email="$YOI_POD@localhost" commit --quiet -m ${word(title)} && git log --oneline -1 && git status --short`,
    );
  const report = (body: string) => call("TicketComment", { ticket, kind: "implementation_report", body });
  const [first, second] = commitTitles;
  return [
    {
      to: [`Do ticket ${ticket}`],
      once: true,
      steps: [
        {
          text: "I read how a ticket is done, and the ticket.",
          tool_calls: [
            call("Skill", { name: "ticket-implementation" }),
            call("TicketShow", { ticket, events_after: "start" }),
          ],
        },
        {
          text: "What fails now?",
          tool_calls: [bash(`${untilThere(places, "work")}cd ${word(clone)} && node --test`)],
        },
        {
          text: "The pieces are not counted.",
          tool_calls: [
            call("Read", { file_path: `${clone}/total.js` }),
            call("Write", { file_path: `${clone}/total.js`, content: fixed }),
          ],
        },
        { name: "commit", text: "The tests, and a commit.", tool_calls: [commit(first)] },
        {
          text: "I would call it done, and put it where everybody has it.",
          tool_calls: [
            call("TicketTransition", { ticket, to: "done" }),
            call("Write", { file_path: `${places.workspace}/by-coder.js`, content: fixed }),
          ],
        },
        {
          text: "Neither is mine, so I report.",
          tool_calls: [
            report(
              `## Done\n${about.firstReport}: total.js.\n\n## Checked\nnode --test passes on the last commit, "${first}".`,
            ),
          ],
        },
        { text: "It is reported." },
      ],
    },
    {
      to: [about.changes],
      once: true,
      steps: [
        { text: "What does it ask for?", tool_calls: [call("TicketShow", { ticket })] },
        {
          text: "A test for it first, then the change.",
          tool_calls: [
            call("Write", { file_path: `${clone}/none.test.js`, content: testOfNoLines }),
            call("Read", { file_path: `${clone}/total.js` }),
            call("Write", { file_path: `${clone}/total.js`, content: fixedAgain }),
          ],
        },
        { text: "The tests, and a commit behind the first.", tool_calls: [commit(second)] },
        {
          text: "I report again.",
          tool_calls: [
            report(
              `## Done\n1. ${about.secondReport}: total.js, tested in none.test.js.\n\n## Checked\nnode --test passes on the last commit, "${second}".`,
            ),
          ],
        },
        { text: "It is reported." },
      ],
    },
    // It hears of it from the ticket and from the orchestrator, in either order.
    { to: [about.changes], steps: [{ text: "I know, from the ticket." }] },
    { to: [about.goOn], steps: [{ text: "I am where I was." }] },
  ];
}
