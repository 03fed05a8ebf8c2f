import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { askAgain } from '../api/ask-again.ts'

const SOON_MS = 400

/** Asks again for what many pieces of news are about: once for all that come together. */
export function useAskSoon(): (key: readonly string[]) => void {
  const queries = useQueryClient()
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const timers = waiting.current
    return () => {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    }
  }, [])
  return key => {
    const name = key.join(' ')
    if (waiting.current.has(name)) return
    const ask = () => {
      waiting.current.delete(name)
      void askAgain(queries, { queryKey: [...key] })
    }
    waiting.current.set(name, setTimeout(ask, SOON_MS))
  }
}
