import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { afterResponse } from './after-response.ts'
import { useLive } from './live.ts'
import { holds, type Pages, putOnTop, replaceRow } from './paging.ts'
import type { Delivery, LoggedRequest, Message } from './records.ts'

interface Rows {
  delivery: Delivery
  message: Message
  request: LoggedRequest
}

const TOP_PX = 120

/**
 * Keeps a list fresh: rows that it holds change in place; new ones go on top at once, or wait behind a chip while the
 * user reads further down.
 */
export function useLiveRows<T extends keyof Rows>(type: T, queryKey: QueryKey, fits: (row: Rows[T]) => boolean) {
  const queries = useQueryClient()
  const buffer = useRef<Rows[T][]>([])
  const [count, setCount] = useState(0)
  const key = JSON.stringify(queryKey)
  const shownKey = useRef(key)
  if (shownKey.current !== key) {
    shownKey.current = key
    buffer.current = []
    if (count !== 0) setCount(0)
  }
  const put = (rows: Rows[T][]) => queries.setQueryData<Pages<Rows[T]>>(queryKey, pages => putOnTop(pages, rows))
  const take = (row: Rows[T]) => {
    const at = buffer.current.findIndex(old => old.id === row.id)
    if (holds(queries.getQueryData<Pages<Rows[T]>>(queryKey), row.id)) {
      queries.setQueryData<Pages<Rows[T]>>(queryKey, pages => replaceRow(pages, row))
      if (at !== -1) buffer.current.splice(at, 1)
    } else if (at !== -1) buffer.current[at] = row
    else if (!fits(row)) return
    else if (window.scrollY < TOP_PX) put([row])
    else buffer.current.unshift(row)
    setCount(buffer.current.length)
  }
  useLive(type, data => {
    const row = data as Rows[T]
    take(row)
    // A pending response may be older than the row, and will replace the list.
    afterResponse(queries, queryKey, () => shownKey.current === key && take(row))
  })
  const show = () => {
    put(buffer.current)
    buffer.current = []
    setCount(0)
    window.scrollTo({ top: 0 })
  }
  return { count, show }
}
