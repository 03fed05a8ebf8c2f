/**
 * The limits on what clients and contacts can make grow, if no plan sets them (`account.ts` has those).
 * `docs/security.md` lists each with what happens at the limit.
 */
export const BOUNDS = {
  /** Keys, users and accounts whose request rate a process tracks; it evicts the longest unused first. */
  trackedCallers: 100_000,
  /** Requests of an account that wait for a slot, over all processes: each process has its share. */
  waitingRequests: 1_000,
  /** Bytes of request bodies that a process keeps in memory until they are answered: of one account, and of all callers. */
  bodyBytesOfAccount: 32 * 1_048_576,
  bodyBytes: 256 * 1_048_576,
  /** Connections to one process; at the limit the kind with the most connections loses one. */
  connections: 8_192,
  /** Event streams of an account, over all processes. */
  openStreams: 50,
  /** Listeners of an account. */
  listeners: 10,
  /** Events of an account with listeners that not every listener has acknowledged. */
  listenedEvents: 10_000,
  listenedBytes: 64 * 1_048_576,
  /** Pairings of an account that wait for a phone. */
  openPairings: 20,
  /** The same, checked for a request that creates a sandbox number: it waits for no phone. */
  openSandboxPairings: 100,
  /** Pairings of an account that have ended and are still shown. */
  endedPairingsKept: 200,
  /** Portal sessions of a user. */
  portalSessions: 20,
  /** Revoked keys of an account, kept for the record. */
  revokedKeysKept: 100,
  /** Requests that wait for a number's worker: react, typing, read, subscribe, check, restart. */
  waitingSessionRequests: 100,
  /** Answers of a person that wait for a pairing's worker: a passkey's assertion, a confirmation, a request for a new code. */
  waitingPairingAnswers: 10,
  /** Requests for older messages of a number that wait for its phone. */
  waitingHistory: 20,
  /** Sealed bodies of a number's received items that failed permanently; the oldest are dropped first. */
  poisonKept: 500,
  editsOfMessage: 20,
  revokesOfMessage: 5,
  /** Contacts whose presence a number subscribes to. */
  presenceSubscriptions: 1_000,
  /** Webhook configs of an account whose numbers were removed. */
  inactiveWebhooks: 200,
  /** Endpoints of an account: each event is delivered to all of them that want it. */
  endpoints: 50,
  /** Those of type `pull`: each has its own copy of its events. */
  pullEndpoints: 10,
  /** Events of a pull endpoint that are not acknowledged; the oldest are deleted first. */
  pulledEvents: 100_000,
  pulledBytes: 256 * 1_048_576,
  /** Files that the gateway keeps for an account, whatever their size. */
  mediaFiles: 1_000_000,
  /** Files of an account that a process receives or sends at the same time. */
  fileTransfers: 32,
  /** Replays of an account that run at the same time: each costs the dispatchers one batch per round. */
  runningReplays: 5,
  /** Erasures of people that run at the same time in an account. */
  runningErasures: 5,
  /** Replays of an account that have ended and are still shown. */
  finishedReplaysKept: 100,
  /** Entries of an account's delivery history (specification, Delivery history 3): new entries replace the oldest. */
  historyEntries: 500,
  /** Entries of an account's API log; the oldest are dropped. */
  loggedRequests: 100_000,
  /** Dead letters of an account, whatever its plan. */
  deadLetters: 100_000,
  /** Dead letters whose event was sent again and failed again: kept for callers that know their ids; the oldest are dropped. */
  replacedLetters: 1_000,
  /** Payloads of dead letters of an account; only those of more than 8 KiB count. */
  payloadBytes: 1_073_741_824,
  /** Processed messages of a number, kept so that none is published twice. */
  doneInboxRows: 100_000,
  /** Messages to a number that replies and votes can refer to. */
  seenMessages: 200_000,
  /** Receipts stored for one message, so that none is published twice: a status post has as many readers as contacts. */
  receiptsOfMessage: 100_000,
  /** Receipts that a message's record shows: delivered, read and played of all members of a group of more than a thousand. */
  receiptsShown: 4_096,

  /** Entries of lists in a response; the rest is left out. */
  membersShown: 10_000,
  orderedProducts: 1_000,
  reactionsShown: 100,
  websitesShown: 10,
  openingHoursShown: 50,
  labelsOfChat: 100,
  refusalCodes: 100,
  leasesShown: 1_000,
  nodesShown: 1_000,
  /** Addresses, networks and emails whose sign-in attempts a process tracks, of each kind. */
  trackedSignIns: 100_000,
  /** Contacts of the sandbox, of all numbers together: the account with the most loses its oldest. */
  sandboxContacts: 20_000,
  /** Messages on the sandbox's simulated phones, together: the account with the most loses its oldest. */
  sandboxMessageBytes: 128 * 1_048_576,
  /** Groups that one sandbox number is in. */
  sandboxGroups: 200,
  membersOfSandboxGroup: 1_024,
  /** Channels that one sandbox number follows or manages. */
  sandboxChannels: 100,
  /** Items that wait for a sandbox number that is not connected. */
  sandboxWaiting: 10_000,
  /** Files that an account has uploaded for its sandbox numbers; an upload in progress counts with its maximum size. */
  uploads: 200,
  uploadBytes: 256 * 1_048_576,
  /** Faults that are planned for a sandbox number. */
  sandboxFaults: 1_000,
} as const
