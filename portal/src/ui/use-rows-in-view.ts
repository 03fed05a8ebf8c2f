import { type RefObject, useEffect, useState } from 'react'

/** Every row of a list is this high, so the position of a row is known without measuring it. */
export const ROW_PX = 40
/** Rows beyond the edges that are drawn ahead, so that scrolling shows no gaps. */
const AHEAD = 16
/** Scrolling less than this many rows draws nothing new. */
const STEP = 3

export interface Span {
  from: number
  to: number
}

/** Which rows of a long list are in the window, or near it. Only those are drawn. */
export function useRowsInView(body: RefObject<HTMLElement | null>, count: number): Span {
  const [span, setSpan] = useState<Span>({ from: 0, to: 2 * AHEAD })
  useEffect(() => {
    let frame = 0
    const look = () => {
      frame = 0
      const top = body.current?.getBoundingClientRect().top ?? 0
      const first = Math.floor(-top / ROW_PX)
      const next = { from: Math.max(0, first - AHEAD), to: first + Math.ceil(window.innerHeight / ROW_PX) + AHEAD }
      setSpan(old => (Math.abs(old.from - next.from) < STEP && Math.abs(old.to - next.to) < STEP ? old : next))
    }
    const soon = () => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    window.addEventListener('scroll', soon, { passive: true })
    window.addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', soon)
      window.removeEventListener('resize', soon)
    }
  }, [body, count])
  return { from: Math.min(span.from, count), to: Math.min(Math.max(span.to, 0), count) }
}
