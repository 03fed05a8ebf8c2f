import type { SessionState } from '../domain/session.ts'
import type { FromHost } from './host-protocol.ts'
import type { HostMetrics } from './parts.ts'

const FLUSH_MS = 500

/** Counts in a thread and tells the sums twice a second: a message for each would cost more than the counting. */
export function createRelay(post: (message: FromHost) => void): { metrics: HostMetrics; flush(): void } {
  let stanzas = new Map<string, [...Parameters<HostMetrics['stanza']>, number]>()
  let commands = new Map<string, [...Parameters<HostMetrics['command']>, number]>()
  let sessions: Record<SessionState, number> | undefined
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    post({ stanzas: [...stanzas.values()], commands: [...commands.values()], sessions: sessions ?? null })
    stanzas = new Map()
    commands = new Map()
    sessions = undefined
  }
  const soon = (): void => {
    timer ??= setTimeout(flush, FLUSH_MS)
  }
  return {
    flush,
    metrics: {
      stanza: (outcome, reason) => {
        const sum = stanzas.get(`${outcome} ${reason}`)
        if (sum === undefined) stanzas.set(`${outcome} ${reason}`, [outcome, reason, 1])
        else sum[2]++
        soon()
      },
      command: (kind, outcome) => {
        const sum = commands.get(`${kind} ${outcome}`)
        if (sum === undefined) commands.set(`${kind} ${outcome}`, [kind, outcome, 1])
        else sum[2]++
        soon()
      },
      sessions: counts => {
        sessions = counts
        soon()
      },
    },
  }
}
