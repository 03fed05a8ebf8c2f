import type { Outgoing } from './message.ts'

export interface SendCommand {
  kind: 'send'
  messageId: string
  platformId: string
  to: string
  outgoing: Outgoing
}

/** A change to a message that was sent, or is about to be. */
export type FollowUpCommand =
  | { kind: 'edit'; messageId: string; platformId: string; targetPlatformId: string; to: string; text: string }
  | { kind: 'revoke'; messageId: string; platformId: string; targetPlatformId: string; to: string }

/** What an API request asks a number's worker for; it awaits the answer. */
export type SessionRequest =
  | { kind: 'typing'; chatJid: string; typing: boolean; media: 'text' | 'audio' }
  | { kind: 'read'; chatJid: string; messageIds: string[] }
  /** `unlessMade`: only where the device does not follow the contact already. */
  | { kind: 'presence_subscribe'; contactJid: string; unlessMade?: true }
  | { kind: 'newsletter_react'; newsletterJid: string; serverId: number; messageId: string; emoji: string }
  | { kind: 'contact_check'; phone: string }
  | { kind: 'restart' }
  | { kind: 'unlink' }

/** What a worker does for a session. The value that is queued is the value that is executed. */
export type Command = SendCommand | FollowUpCommand | SessionRequest

export type CommandKind = Command['kind']

/** What the platform's session itself is asked for; the link as a whole is its host's affair. */
export type SessionCommand = Exclude<Command, { kind: 'restart' | 'unlink' }>

/** What a command leaves behind; `serverId` only for a channel that the number manages. */
export type CommandResult =
  | { kind: 'sent'; atMs: number; serverId: number | null }
  | { kind: 'done' }
  | { kind: 'contact'; exists: boolean; jid: string | null }
