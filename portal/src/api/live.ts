import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { refetchChanged } from './refetch-changed.ts'
import { probe } from './reach.ts'
import type { LiveEvents } from './records.ts'

type LiveType = keyof LiveEvents
type Listener<T extends LiveType> = (data: LiveEvents[T]) => void

export type LiveState = 'connecting' | 'up' | 'down'

const TYPES: readonly LiveType[] = ['delivery', 'session', 'message', 'pairing', 'request']
/** The stream pings every 15 s; three missed pings mean that it hangs. */
const SILENCE_MS = 45_000
const RETRY_MS = 2_000
/** A stream begins with what changed in its last 5 s; one that opened later than this has missed something. */
const OPENED_LATE_MS = 3_000

const listeners: { [T in LiveType]: Set<Listener<T>> } = {
  delivery: new Set(),
  session: new Set(),
  message: new Set(),
  pairing: new Set(),
  request: new Set(),
}
const watchers = new Set<() => void>()
/** Reconnects at once; does nothing while the stream is up. */
let tryNow = () => {}
let state: LiveState = 'connecting'

function setState(next: LiveState): void {
  if (next === state) return
  state = next
  for (const watch of watchers) watch()
}

/** Keeps one stream open until the returned function is called, and refetches the queries that may have missed events. */
export function openLiveStream(queries: QueryClient): () => void {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasUp = false

  const restartSilenceTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(restart, SILENCE_MS)
  }
  const restart = () => {
    source?.close()
    setState('down')
    void probe()
    clearTimeout(timer)
    timer = setTimeout(connect, RETRY_MS)
  }
  const connect = () => {
    const begunAt = Date.now()
    const stream = new EventSource('/portal/api/live')
    source = stream
    stream.onopen = () => {
      setState('up')
      restartSilenceTimer()
      if (wasUp || Date.now() - begunAt > OPENED_LATE_MS) void refetchChanged(queries)
      wasUp = true
    }
    stream.onerror = restart
    stream.addEventListener('ping', restartSilenceTimer)
    for (const type of TYPES) {
      stream.addEventListener(type, event => {
        restartSilenceTimer()
        publish(type, JSON.parse((event as MessageEvent<string>).data))
      })
    }
  }
  tryNow = () => {
    if (state !== 'down') return
    clearTimeout(timer)
    source?.close()
    connect()
    void probe()
    void refetchChanged(queries)
  }
  window.addEventListener('offline', restart)
  connect()
  return () => {
    window.removeEventListener('offline', restart)
    tryNow = () => {}
    clearTimeout(timer)
    source?.close()
    state = 'connecting'
  }
}

function publish<T extends LiveType>(type: T, data: LiveEvents[T]): void {
  for (const listener of listeners[type]) listener(data)
}

/** Calls `listener` with everything of one type that the stream brings while the component is shown. */
export function useLive<T extends LiveType>(type: T, listener: Listener<T>): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const relay: Listener<T> = data => latest.current(data)
    listeners[type].add(relay as never)
    return () => void listeners[type].delete(relay as never)
  }, [type])
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Refetches everything and reconnects the stream. */
export const retryLive = (): void => tryNow()

export const useLiveState = (): LiveState => useSyncExternalStore(watch, () => state)
