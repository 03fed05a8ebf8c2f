import { acceptMessages } from './units/accept-messages.ts'
import { createAccount, getAccount, listAccounts, updateAccount } from './units/accounts.ts'
import { answerCall, enqueueCall, readAnswer } from './units/calls.ts'
import {
  beginAttempts,
  endCommands,
  readDueCalls,
  readDueCommands,
  readDueSessions,
  readStrandedCommands,
} from './units/command-queue.ts'
import {
  readDeliveryDepth,
  readDue,
  readLanes,
  readNextDue,
  readPayload,
  readRemains,
  readTarget,
} from './units/deliveries.ts'
import { recordAttempts } from './units/delivery-results.ts'
import { commitDeviceStates, readDeviceCreds, readDeviceKeys, readSentMessage } from './units/device-state.ts'
import { publishEvents } from './units/events.ts'
import { dropExpired } from './units/expiry.ts'
import { endFollowUp } from './units/follow-ups.ts'
import { forgetSession } from './units/forget-session.ts'
import { getDelivery, listDeliveries, sweepHistory } from './units/history.ts'
import { dropOutlived, readOutlived, sweepHosting } from './units/hosting-retention.ts'
import {
  endHost,
  hasFreeSession,
  readHosted,
  readWantedPlatforms,
  releaseSessions,
  renewHost,
  restrictSession,
  takeSessions,
} from './units/hosting.ts'
import {
  countInboxTry,
  forwardItems,
  hasWritten,
  readInbox,
  readKnownInboxKeys,
  readLastSeq,
  readSeenMessage,
} from './units/inbox.ts'
import { createKey, findKeyByHash, getKey, listKeys, revokeKey, touchKeys } from './units/keys.ts'
import { addLeases, listLeases, releaseLeases, renewLeases, takeLeases } from './units/leases.ts'
import { recordLink } from './units/link-state.ts'
import { readSentMessages, recordProgress } from './units/message-progress.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  findReplay,
  getMessage,
  listChangedMessages,
  listMessages,
  readMessageContent,
  readMessageStates,
} from './units/messages.ts'
import { announceNode, forgetNode, listListening, listNodes, readQueueDepth, settleSetting } from './units/nodes.ts'
import {
  claimPairings,
  completePairing,
  createPairing,
  endPairing,
  getPairing,
  hasFreePairing,
  listChangedPairings,
  recordPairingStep,
  renewPairings,
} from './units/pairings.ts'
import { readPoison } from './units/poison.ts'
import { advanceReplay, cancelReplay, createReplay, getReplay, listRunningReplays } from './units/replays.ts'
import { countApiNodes, settleRequests } from './units/request-meters.ts'
import { resendDelivery } from './units/resend.ts'
import { changeSetting, getSetting, readSealedUnder, replaceSealed } from './units/reseal.ts'
import { readSandboxPayload, watchSandbox } from './units/sandbox-payloads.ts'
import { countNumbers, getSession, listSessions, registerSession, updateSession } from './units/sessions.ts'
import { leaveShards, tendShards } from './units/shards.ts'
import { askSimulator, hasSimulatorRequests, takeSimulatorRequests } from './units/simulator-requests.ts'
import {
  freeAllLeases,
  publishSimulator,
  readSimulatorAddress,
  readSimulatorEntries,
  saveSimulatorEntries,
} from './units/simulator-state.ts'
import { readStats } from './units/stats.ts'
import { hasStrandedInbox, takeStrandedInboxes } from './units/stranded-inbox.ts'
import { addSubscription, readSubscriptions } from './units/subscriptions.ts'
import { countMessageTries, readMessageTries } from './units/unfinished-messages.ts'
import { foldUsage, readUsage } from './units/usage.ts'
import {
  changeEmail,
  changePassword,
  createPortalSession,
  createSignInLink,
  endPortalSession,
  endPortalSessions,
  findOperator,
  findPortalSession,
  findUserByEmail,
  takeSignInLink,
} from './units/users.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookSecrets,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './units/webhooks.ts'

/** Units that change something: each is one commit. */
export const writes = {
  acceptMessages,
  addLeases,
  addSubscription,
  advanceReplay,
  announceNode,
  answerCall,
  askSimulator,
  beginAttempts,
  cancelMessage,
  cancelReplay,
  changeEmail,
  changePassword,
  changeSetting,
  claimPairings,
  commitDeviceStates,
  completePairing,
  countInboxTry,
  countMessageTries,
  createAccount,
  createKey,
  createPairing,
  createPortalSession,
  createReplay,
  createSignInLink,
  createWebhook,
  deleteWebhook,
  dropExpired,
  dropOutlived,
  endCommands,
  endFollowUp,
  endHost,
  endPairing,
  endPortalSession,
  endPortalSessions,
  enqueueCall,
  enqueueFollowUp,
  foldUsage,
  forgetNode,
  watchSandbox,
  forgetSession,
  forwardItems,
  freeAllLeases,
  leaveShards,
  publishEvents,
  publishSimulator,
  recordAttempts,
  recordLink,
  recordPairingStep,
  recordProgress,
  registerSession,
  releaseLeases,
  releaseSessions,
  renewHost,
  renewLeases,
  renewPairings,
  replaceSealed,
  resendDelivery,
  restrictSession,
  revokeKey,
  rotateWebhookSecret,
  saveSimulatorEntries,
  settleRequests,
  settleSetting,
  sweepHistory,
  sweepHosting,
  takeLeases,
  takeSessions,
  takeSignInLink,
  takeSimulatorRequests,
  takeStrandedInboxes,
  tendShards,
  touchKeys,
  updateAccount,
  updateSession,
  updateWebhook,
}

/** Units that take many items at once; the store gathers single calls into one commit. */
export const batches = {
  acceptMessage: 'acceptMessages',
  beginAttempt: 'beginAttempts',
  commitDeviceState: 'commitDeviceStates',
  endCommand: 'endCommands',
  forwardItem: 'forwardItems',
  progress: 'recordProgress',
  publishEvent: 'publishEvents',
  recordAttempt: 'recordAttempts',
} as const

/** Units that only read. */
export const reads = {
  countApiNodes,
  countNumbers,
  findKeyByHash,
  findOperator,
  findPortalSession,
  findReplay,
  findUserByEmail,
  getAccount,
  getDelivery,
  getKey,
  getMessage,
  getPairing,
  getReplay,
  getSession,
  getSetting,
  getWebhook,
  getWebhookSecrets,
  hasFreePairing,
  hasFreeSession,
  hasStrandedInbox,
  hasSimulatorRequests,
  hasWritten,
  listAccounts,
  listChangedMessages,
  listChangedPairings,
  listDeliveries,
  listKeys,
  listLeases,
  listMessages,
  listListening,
  listNodes,
  listRunningReplays,
  listSessions,
  listWebhooks,
  readAnswer,
  readDeliveryDepth,
  readDeviceCreds,
  readDeviceKeys,
  readDue,
  readDueCalls,
  readDueCommands,
  readDueSessions,
  readHosted,
  readInbox,
  readKnownInboxKeys,
  readLanes,
  readLastSeq,
  readMessageContent,
  readMessageStates,
  readMessageTries,
  readNextDue,
  readOutlived,
  readPayload,
  readPoison,
  readQueueDepth,
  readRemains,
  readSandboxPayload,
  readSealedUnder,
  readSeenMessage,
  readSentMessage,
  readSentMessages,
  readSimulatorAddress,
  readSimulatorEntries,
  readStats,
  readStrandedCommands,
  readSubscriptions,
  readTarget,
  readUsage,
  readWantedPlatforms,
}

export type Writes = typeof writes
export type Reads = typeof reads
export type Batches = { [Name in keyof typeof batches]: Writes[(typeof batches)[Name]] }
