/**
 * How long the lists may become that somebody outside can make longer, where no plan says it (`account.ts` has those).
 * `docs/security.md` names each with what happens at it.
 */
export const BOUNDS = {
  /** Keys, users and accounts whose request rate a process remembers; the longest unused is forgotten first. */
  trackedCallers: 100_000,
  /** Requests of an account that wait for their turn, over all processes: each has its part. */
  waitingRequests: 1_000,
  /** Connections to one process: whoever holds the most of a kind makes room for whoever comes. */
  connections: 8_192,
  /** Event streams of an account, over all processes. */
  openStreams: 50,
  /** Programs that listen to an account. */
  listeners: 10,
  /** What happened in an account that somebody listens to, and not every listener has acknowledged. */
  listenedEvents: 10_000,
  listenedBytes: 64 * 1_048_576,
  /** Pairings of an account that wait for a phone. */
  openPairings: 20,
  /** The same, counted for a request that makes a sandbox number: it waits for no phone. */
  openSandboxPairings: 100,
  /** Pairings of an account that are over and still shown. */
  endedPairingsKept: 200,
  /** Browsers that a user may be signed in with at once. */
  portalSessions: 20,
  /** Keys of an account that were revoked, kept for the record. */
  revokedKeysKept: 100,
  /** Requests that wait for a number's worker at once: react, typing, read, subscribe, check, restart. */
  waitingSessionRequests: 100,
  /** What a person brings for a pairing and its worker has not taken yet: a passkey's word, a yes, the wish for a new code. */
  waitingPairingAnswers: 10,
  /** Bodies of received items of a number that were given up and are kept sealed; the oldest go first. */
  poisonKept: 500,
  editsOfMessage: 20,
  revokesOfMessage: 5,
  /** Contacts whose presence a number follows. */
  presenceSubscriptions: 1_000,
  /** Configs of an account whose numbers are gone. */
  inactiveWebhooks: 200,
  /** Replays of an account that run at once: each costs the dispatchers a slice of work in every round. */
  runningReplays: 5,
  /** Replays of an account that are over and still shown. */
  finishedReplaysKept: 100,
  /** Entries of an account's delivery history (specification, Delivery history 3): the newest go over the oldest. */
  historyEntries: 500,
  /** Requests of an account that its API log keeps: the oldest go. */
  loggedRequests: 100_000,
  /** Dead letters of an account, whatever its plan keeps. */
  deadLetters: 100_000,
  /** Of those whose event was sent again in vain, what is kept for whoever knows their ids; the oldest go. */
  replacedLetters: 1_000,
  /** Payloads of dead letters of an account; only those of more than 8 KiB count. */
  payloadBytes: 1_073_741_824,
  /** Received messages of a number that are dealt with, kept so that none is told twice. */
  doneInboxRows: 100_000,
  /** Messages to a number that replies and votes can refer to. */
  seenMessages: 200_000,
  /** Receipts of one message that are remembered, so that none is told twice: a status post has as many readers as contacts. */
  receiptsOfMessage: 100_000,
  /** Those that its record shows: delivered, read and played of everybody in a group of more than a thousand. */
  receiptsShown: 4_096,
  /** Addresses, networks and emails of which a process remembers how often somebody tried to sign in, each. */
  trackedSignIns: 100_000,
  /** Contacts of the sandbox, of all numbers together: the account that made the most loses its oldest. */
  sandboxContacts: 20_000,
  /** What the sandbox's phones hold, together: the account that has the most loses its oldest. */
  sandboxMessageBytes: 128 * 1_048_576,
  /** Groups that one sandbox number is in. */
  sandboxGroups: 200,
  membersOfSandboxGroup: 1_024,
  /** Channels that one sandbox number follows or manages. */
  sandboxChannels: 100,
  /** What waits for a sandbox number that is not connected. */
  sandboxWaiting: 10_000,
  /** Files that an account has uploaded for its sandbox numbers, those that are still coming with what they may become. */
  uploads: 200,
  uploadBytes: 256 * 1_048_576,
  /** Faults that are planned for a sandbox number. */
  sandboxFaults: 1_000,
} as const
