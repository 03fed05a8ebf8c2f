import { useEffect, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { ListenedEvent } from '../api/records.ts'

const WAIT_S = 20
const PAUSE_MS = 2_000
const KEPT = 60

interface Listened {
  events: ListenedEvent[]
  /** Why the listener could not be opened. */
  error: unknown
}

/** The events of the account while the page is open, newest first, as `postern listen` reads them. */
export function useListened(): Listened {
  const [listened, setListened] = useState<Listened>({ events: [], error: null })
  useEffect(() => {
    const ending = new AbortController()
    listen(ending.signal, events =>
      setListened(({ events: old }) => ({ events: [...events.toReversed(), ...old].slice(0, KEPT), error: null })),
    ).catch((error: unknown) => {
      if (!ending.signal.aborted) setListened(({ events }) => ({ events, error }))
    })
    const end = () => ending.abort()
    window.addEventListener('pagehide', end)
    return () => {
      window.removeEventListener('pagehide', end)
      end()
    }
  }, [])
  return listened
}

async function listen(signal: AbortSignal, onEvents: (events: ListenedEvent[]) => void): Promise<void> {
  const { id, cursor: first } = await take(api.POST('/v1/listeners', { body: {} }))
  const path = { id }
  // The gateway would keep events for a page that is closed.
  const stop = () => void api.DELETE('/v1/listeners/{id}', { params: { path }, keepalive: true }).catch(() => undefined)
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop, { once: true })
  for (let cursor = first; !signal.aborted; ) {
    try {
      const query = { after: cursor, wait: WAIT_S }
      const page = await take(api.GET('/v1/listeners/{id}/events', { params: { path, query }, signal }))
      cursor = page.cursor
      if (page.data.length > 0) onEvents(page.data)
    } catch (error) {
      if (signal.aborted) return
      if ((error as { status?: number }).status === 404) throw error
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }
}
