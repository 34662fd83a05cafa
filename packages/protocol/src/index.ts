/** What a client and a Pod may say to each other. Pure: sockets are in `./node`. */
export type { PodClient, StreamListener } from "./client.ts";
export { ConnectionLost, RequestRefused } from "./client.ts";
export type { Connection, Listen, Listener } from "./connection.ts";
export type { BlockEventKind, Live, RunDenial, RunEnd, RunEnded, StreamEvent } from "./event.ts";
export {
  clientBytesMax,
  clientEventsMax,
  connectionsMax,
  frameBytesMax,
  helloBytesMax,
  helloMs,
  idCharsMax,
  inFlightCharsMax,
  lastLinesMs,
  requestsMax,
} from "./limits.ts";
export type {
  AcceptedResult,
  AnswerApprovalParams,
  Empty,
  HelloParams,
  HelloResult,
  MethodName,
  Methods,
  NotifyParams,
  PingParams,
  ProtocolError,
  ProtocolErrorCode,
  Request,
  Response,
  ResumeParams,
  RunLimitsParams,
  StopParams,
  SubmitParams,
} from "./method.ts";
export { protocolErrorCodes, protocolVersion, protocolVersions } from "./method.ts";
export type { Role } from "./role.ts";
export { mayCall, methodsOfRole, roles, streamRoles } from "./role.ts";
export type {
  Cursor,
  InFlight,
  InFlightBlock,
  InFlightCall,
  PendingApproval,
  PodAbout,
  PodView,
} from "./snapshot.ts";
export { nothingInFlight } from "./snapshot.ts";
export type { PodState, StateCell } from "./state-table.ts";
export { podStates, stateTable } from "./state-table.ts";
