/** What a client and a Pod may say to each other. Pure: sockets are in `./node`. */
export { backoffMs } from "./client/backoff.ts";
export type { ClientHello, PodClientOptions } from "./client/open-pod-client.ts";
export { openPodClient } from "./client/open-pod-client.ts";
export type { PodClient, StreamListener } from "./client/pod-client.ts";
export { ConnectionLost, RequestRefused } from "./client/pod-client.ts";
export { submitOnce } from "./client/submit-once.ts";
export type { Connection, Listen, Listener } from "./connection.ts";
export { encodeEntryLine, encodeLine } from "./encode-line.ts";
export type {
  BlockEventKind,
  CompactionWork,
  Live,
  Rotation,
  RunDenial,
  RunEnd,
  RunEnded,
  StreamEvent,
} from "./event.ts";
export {
  approvalReasonCharsMax,
  clientBytesMax,
  clientEventsMax,
  clientNameCharsMax,
  clientRequestsMax,
  commandBytesMax,
  completionsMax,
  connectionsMax,
  frameBytesMax,
  halfLinesBytesMax,
  helloBytesMax,
  helloMs,
  idCharsMax,
  inFlightCharsMax,
  largeRecordsMax,
  lastLinesMs,
  pathCharsMax,
  pingCharsMax,
  podNameCharsMax,
  entryIdCharsMax,
  queueMax,
  requestsMax,
  requestValuesMax,
  rewindTargetsMax,
  skillOfferCharsMax,
  skillsOfferedMax,
  titleCharsMax,
  untakenMs,
} from "./limits.ts";
export { LineReader, LineTooLong } from "./line-reader.ts";
export type {
  AcceptedResult,
  AnswerApprovalParams,
  ChildEvent,
  CompactResult,
  CompletePathParams,
  CompletePathResult,
  Empty,
  HelloParams,
  HelloResult,
  MethodName,
  Methods,
  NotifyParams,
  PathEntry,
  PingParams,
  PodEventParams,
  ProtocolError,
  ProtocolErrorCode,
  QueueParams,
  RegisterPeerParams,
  Request,
  Response,
  RestorePodParams,
  RestorePodResult,
  ResumeParams,
  RunCommandParams,
  RunLimitsParams,
  SetTitleParams,
  StopCommandParams,
  StopParams,
  SubmitParams,
  UndoCompactionResult,
  UnqueueParams,
  UnqueueResult,
} from "./method.ts";
export { childEvents, protocolErrorCodes, protocolVersion, protocolVersions } from "./method.ts";
export type { Answer, PodLine, UnknownEvent } from "./read-pod-line.ts";
export { BadPodLine, readPodLine } from "./read-pod-line.ts";
export type { Call } from "./read-request.ts";
export { BadRequest, readHello, readRequest } from "./read-request.ts";
export { readResult } from "./read-result.ts";
export type {
  FileOutcome,
  FileView,
  ListRewindTargetsParams,
  ListRewindTargetsResult,
  RewindParams,
  RewindResult,
  RewindSide,
  RewindTargetView,
} from "./rewind.ts";
export type { Role } from "./role.ts";
export { mayCall, methodsOfRole, roles, streamRoles } from "./role.ts";
export type {
  ChildNow,
  ContextNow,
  Cursor,
  InFlight,
  InFlightBlock,
  InFlightCall,
  PendingApproval,
  PodAbout,
  PodView,
  QueuedInput,
  RunningCommand,
  SkillOffer,
  SpentNow,
} from "./snapshot.ts";
export type { PodState, StateCell } from "./state-table.ts";
export { podStates, stateTable } from "./state-table.ts";
