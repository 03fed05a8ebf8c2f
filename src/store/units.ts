import { acceptMessages } from './units/accept-messages.ts'
import { countAccounts, createAccount, getAccount, listAccounts, updateAccount } from './units/accounts.ts'
import { answerCall, enqueueCall, readAnswer } from './units/calls.ts'
import { publishEvents } from './units/events.ts'
import { createKey, findKeyByHash, getKey, listKeys, revokeKey, touchKeys } from './units/keys.ts'
import { addLeases, listLeases, releaseLeases, renewLeases, takeLeases } from './units/leases.ts'
import {
  cancelMessage,
  enqueueFollowUp,
  findReplay,
  getMessage,
  listMessages,
  readMessageContent,
  readMessageStates,
} from './units/messages.ts'
import { announceNode, forgetNode, listNodes, readQueueDepth, settleSetting } from './units/nodes.ts'
import { getSession, listSessions, registerSession, updateSession } from './units/sessions.ts'
import { foldUsage, readUsage } from './units/usage.ts'
import {
  changePassword,
  createPortalSession,
  createSignInLink,
  endPortalSession,
  endPortalSessions,
  findPortalSession,
  findUserByEmail,
  getUser,
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
  announceNode,
  answerCall,
  cancelMessage,
  changePassword,
  createAccount,
  createKey,
  createPortalSession,
  createSignInLink,
  createWebhook,
  deleteWebhook,
  endPortalSession,
  endPortalSessions,
  enqueueCall,
  enqueueFollowUp,
  foldUsage,
  forgetNode,
  publishEvents,
  registerSession,
  releaseLeases,
  renewLeases,
  revokeKey,
  rotateWebhookSecret,
  settleSetting,
  takeLeases,
  takeSignInLink,
  touchKeys,
  updateAccount,
  updateSession,
  updateWebhook,
}

/** Units that take many items at once; the store gathers single calls into one commit. */
export const batches = {
  acceptMessage: 'acceptMessages',
  publishEvent: 'publishEvents',
} as const

/** Units that only read. */
export const reads = {
  countAccounts,
  findKeyByHash,
  findPortalSession,
  findReplay,
  findUserByEmail,
  getAccount,
  getKey,
  getMessage,
  getSession,
  getUser,
  getWebhook,
  getWebhookSecrets,
  listAccounts,
  listKeys,
  listLeases,
  listMessages,
  listNodes,
  listSessions,
  listWebhooks,
  readAnswer,
  readMessageContent,
  readMessageStates,
  readQueueDepth,
  readUsage,
}

export type Writes = typeof writes
export type Reads = typeof reads
export type Batches = { [Name in keyof typeof batches]: Writes[(typeof batches)[Name]] }
