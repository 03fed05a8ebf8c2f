import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refetchChanged } from '../api/refetch-changed.ts'

const SOON_MS = 400

/** Refetches a query once for all updates that arrive together. */
export function useRefetchSoon(): (key: readonly string[]) => void {
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
      void refetchChanged(queries, { queryKey: [...key] })
    }
    waiting.current.set(name, setTimeout(ask, SOON_MS))
  }
}
