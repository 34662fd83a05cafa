/** What the orchestrator of the demo of tickets says and calls, as answers to what it is told. */
import { about, saidByLead } from "./tickets-about.ts";
import {
  bash,
  branchOf,
  call,
  cloneOf,
  type Reaction,
  ticketPods,
  type TicketsPlaces,
  untilThere,
} from "./tickets-steps.ts";

const { coder, reviewer } = ticketPods;

export function leadSays(places: TicketsPlaces): readonly Reaction[] {
  const { workspace, ticket, closes } = places;
  const clone = cloneOf(places);
  const branch = branchOf(ticket);
  const read = { target: workspace, permission: "read" };
  // Under its name only when it is whole, and made once however often this runs.
  const part = `.yoi-work/${ticket}.part`;
  const made = `[ -e .yoi-work/${ticket} ] || { ${[
    `rm -rf ${part} && mkdir -p .yoi-work && printf '*\\n' > .yoi-work/.gitignore`,
    `git clone --quiet --local --no-hardlinks . ${part}`,
    `git -C ${part} sparse-checkout set --no-cone '/*' '!/.yoi/tickets/'`,
    `git -C ${part} switch --quiet --create ${branch}; ${untilThere(places, "clone")}mv ${part} .yoi-work/${ticket}`,
  ].join(" && ")}; }`;
  const again = `The review of ticket ${ticket} asks for changes. Answer each point by a change or by a reason, run the tests, and report again. ${about.changes}.`;
  const newReport = `There is a new report of ticket ${ticket}: review again, the points that you made first. ${about.secondReport}.`;
  const tasks = {
    [coder]: `Do ticket ${ticket} in ${clone}, on its branch ${branch}. Load the skill ticket-implementation first. The tests have to pass: node --test.`,
    [reviewer]: `Review ticket ${ticket}: the branch ${branch} in ${clone}, against the ticket and its last implementation report. Load the skill ticket-review first. Decide with TicketReview.`,
  } as const;
  const starts = {
    [coder]: call("SpawnPod", {
      name: coder,
      profile: `user:${coder}`,
      task: tasks[coder],
      scope: [read, { target: clone, permission: "write" }],
    }),
    [reviewer]: call("SpawnPod", {
      name: reviewer,
      profile: `user:${reviewer}`,
      task: tasks[reviewer],
      scope: [read],
    }),
  } as const;
  // It may have died before it had its task.
  const back = (name: typeof coder | typeof reviewer): readonly Reaction[] => [
    {
      to: [`The child ${name} never began`],
      steps: [
        { text: `${name} never began. It gets its task now.`, tool_calls: [starts[name]] },
        { text: "It works." },
      ],
    },
    {
      to: [`The child ${name} is gone`],
      steps: [
        {
          text: `${name} is gone. I start it again, with what it held.`,
          tool_calls: [call("RestorePod", { name })],
        },
        {
          text: "It goes on where it was.",
          tool_calls: [
            call("SendToPod", {
              name,
              message: `${about.goOn}, and you were restored. Look what is there of your task, and go on from there: ${tasks[name]}`,
            }),
          ],
        },
        { text: `${name} is back.` },
      ],
    },
  ];
  return [
    {
      to: [ticket, "ready to queued"],
      steps: [
        {
          text: "A person has queued a ticket. I read how it is done.",
          tool_calls: [
            call("Skill", { name: "ticket-orchestration" }),
            call("TicketShow", { ticket, events_after: "start" }),
          ],
        },
        {
          text: "It can be done as it is written. I take it before anything else happens.",
          tool_calls: [call("TicketTransition", { ticket, to: "inprogress" })],
        },
        {
          name: "clone",
          text: "A private clone for the coder.",
          tool_calls: [bash(made)],
        },
        {
          text: "Is it whole?",
          tool_calls: [bash(`${made}; git -C .yoi-work/${ticket} status --short --branch`)],
        },
        {
          name: "spawn coder",
          text: "The coder gets it on loan.",
          tool_calls: [starts[coder]],
        },
        { text: `${saidByLead.coderWorks} I am told when it reports.` },
      ],
    },
    // What came together is answered by what came last.
    {
      to: ["review", "approve", about.approval],
      steps: [
        {
          text: "It is approved. Both are done, and what was lent comes back.",
          tool_calls: [call("StopPod", { name: reviewer }), call("StopPod", { name: coder })],
        },
        {
          name: "fetch",
          text: "The branch comes into the repository.",
          tool_calls: [
            bash(
              `git fetch --quiet .yoi-work/${ticket} ${branch} && test -z "$(git diff --name-only HEAD...FETCH_HEAD -- ':(icase).yoi')" && git fetch --quiet .yoi-work/${ticket} ${branch}:${branch} && git log --oneline --no-decorate HEAD..${branch}`,
            ),
          ],
        },
        {
          text: "It holds what was reported.",
          tool_calls: [call("TicketTransition", { ticket, to: "done" })],
        },
        ...(closes
          ? [
              {
                text: "The close is delegated to me.",
                tool_calls: [
                  call("TicketTransition", {
                    ticket,
                    to: "closed",
                    resolution: `Done on ${branch}, reviewed; the merge is a person's.`,
                  }),
                ],
              },
            ]
          : []),
        {
          text: closes
            ? `${saidByLead.left} git merge ${branch}. The ticket is closed, as you delegated.`
            : `${saidByLead.left} git merge ${branch}, then yoi ticket close ${ticket}.`,
        },
      ],
    },
    {
      to: ["implementation_report", about.secondReport],
      steps: [
        {
          text: "The reviewer looks again.",
          tool_calls: [call("SendToPod", { name: reviewer, message: newReport })],
        },
        { text: "The reviewer works again." },
      ],
    },
    {
      to: ["review", "request_changes", about.changes],
      steps: [
        {
          name: "pass on the review",
          text: "The review goes to the coder.",
          tool_calls: [call("SendToPod", { name: coder, message: again })],
        },
        { text: "The coder works again." },
      ],
    },
    {
      to: ["implementation_report", about.firstReport],
      steps: [
        {
          text: "There is a report. Somebody else reviews it, and is lent nothing to write.",
          tool_calls: [starts[reviewer]],
        },
        { text: "The reviewer works." },
      ],
    },
    ...back(coder),
    ...back(reviewer),
  ];
}
