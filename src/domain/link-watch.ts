import type { ConnectionEvent } from './event.ts'
import type { SessionState } from './session.ts'

type LinkEvent = ConnectionEvent['event']

/** The durable state of a session's link: its state, since when it is down, and the last connection event. */
export interface LinkMemory {
  state: SessionState
  downSince: number | null
  reported: LinkEvent | null
}

/** Why the link of a paused number is down. */
export const PAUSED = 'the number is paused'

/** Why a link is down, in words for people, and when that ends, if the platform says so. */
export interface LinkTrouble {
  reason: string
  until: number | null
  /** The platform has banned the number. */
  isBan?: boolean
}

export const isSameTrouble = (one: LinkTrouble | null, other: LinkTrouble | null): boolean =>
  one?.reason === other?.reason && one?.until === other?.until

export type LinkStep =
  | { kind: 'opened' }
  | { kind: 'closed' }
  | { kind: 'logged_out' }
  /** Time has passed. */
  | { kind: 'waited' }

export interface AfterLink {
  memory: LinkMemory
  /** The connection event that this step causes, if any. */
  report: LinkEvent | null
  changed: boolean
}

/**
 * `connected` follows a pairing (no event so far) or a `disconnected` event; `disconnected` follows only when a link that
 * was up stays down for the grace; `logged_out` follows at once and is final (specification, kind `connection`).
 */
export function afterLink(memory: LinkMemory, step: LinkStep, nowMs: number, graceMs: number): AfterLink {
  if (memory.state === 'logged_out') return unchanged(memory)
  switch (step.kind) {
    case 'opened':
      return withEvent({ state: 'connected', downSince: null, reported: memory.reported }, 'connected', memory)
    case 'closed':
      if (memory.downSince !== null) return unchanged(memory)
      return { memory: { ...memory, state: 'connecting', downSince: nowMs }, report: null, changed: true }
    case 'logged_out':
      return withEvent(
        { state: 'logged_out', downSince: memory.downSince ?? nowMs, reported: memory.reported },
        'logged_out',
        memory,
      )
    case 'waited':
      if (msToDisconnected(memory, nowMs, graceMs) !== 0) return unchanged(memory)
      if (memory.reported === null) return { memory: { ...memory, state: 'disconnected' }, report: null, changed: true }
      return withEvent({ ...memory, state: 'disconnected' }, 'disconnected', memory)
    default: {
      const never: never = step
      return never
    }
  }
}

/** How long until the link counts as disconnected; `null` while it is up or counts as disconnected already. */
export function msToDisconnected(memory: LinkMemory, nowMs: number, graceMs: number): number | null {
  if (memory.downSince === null || memory.state === 'logged_out' || memory.state === 'disconnected') return null
  return Math.max(0, memory.downSince + graceMs - nowMs)
}

function withEvent(next: LinkMemory, event: LinkEvent, before: LinkMemory): AfterLink {
  const report = before.reported === event ? null : event
  const memory = { ...next, reported: event }
  const changed = report !== null || memory.state !== before.state || memory.downSince !== before.downSince
  return { memory, report, changed }
}

const unchanged = (memory: LinkMemory): AfterLink => ({ memory, report: null, changed: false })
