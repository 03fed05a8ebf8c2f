import type { Outgoing } from './message.ts'

export interface SendCommand {
  kind: 'send'
  messageId: string
  platformId: string
  to: string
  outgoing: Outgoing
}

/** A change to a message that was sent, or will be. */
export type FollowUpCommand =
  | { kind: 'edit'; messageId: string; platformId: string; targetPlatformId: string; to: string; text: string }
  | { kind: 'revoke'; messageId: string; platformId: string; targetPlatformId: string; to: string }

/** What an API request asks a number's worker to do; the API waits for the response. */
export type SessionRequest =
  | { kind: 'typing'; chatJid: string; typing: boolean; media: 'text' | 'audio' }
  | { kind: 'read'; chatJid: string; messageIds: string[] }
  /** `unlessMade`: only if the device does not subscribe to the contact yet. */
  | { kind: 'presence_subscribe'; contactJid: string; unlessMade?: true }
  | { kind: 'newsletter_react'; newsletterJid: string; serverId: number; messageId: string; emoji: string }
  | { kind: 'contact_check'; phone: string }
  | { kind: 'restart' }
  | { kind: 'unlink' }

/** The work of a worker for a session. The queued value is the executed value. */
export type Command = SendCommand | FollowUpCommand | SessionRequest

export type CommandKind = Command['kind']

/** Commands for the platform's session itself; the host handles those for the link. */
export type SessionCommand = Exclude<Command, { kind: 'restart' | 'unlink' }>

/** The result of a command; `serverId` only for a channel that the number manages. */
export type CommandResult =
  | { kind: 'sent'; atMs: number; serverId: number | null }
  | { kind: 'done' }
  | { kind: 'contact'; exists: boolean; jid: string | null }

interface Queued {
  id: string
  sessionId: string
  /** Commands of one queue run in order. */
  queue: string
  attempt: number
  dueAt: number
}

/** A command to send a message. */
export interface DueSend extends Queued {
  kind: 'send'
  messageId: string
  accountId: string
  requestId: string
  recipient: string
  platformId: string
  /** The sealed message; `null` if it was deleted. */
  content: Uint8Array | null
}

/** An edit or a revoke. */
export interface DueFollowUp extends Queued {
  kind: FollowUpCommand['kind']
  messageId: string
  /** The account of the message; `null` if its record was deleted. */
  accountId: string | null
  /** The sealed command. */
  sealed: Uint8Array
}

/** A command with all data to run it; columns that its kind does not use are null. */
export type DueCommand = DueSend | DueFollowUp
