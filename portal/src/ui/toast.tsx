import { CheckCircle2, XCircle } from 'lucide-react'
import { useSyncExternalStore } from 'react'

interface Toast {
  id: number
  tone: 'good' | 'bad'
  text: string
}

const SHOWN_MS = 5_000
const watchers = new Set<() => void>()
let toasts: readonly Toast[] = []
let lastId = 0

function set(next: readonly Toast[]): void {
  toasts = next
  for (const watch of watchers) watch()
}

function show(tone: Toast['tone'], text: string): void {
  const id = ++lastId
  set([...toasts.slice(-2), { id, tone, text }])
  setTimeout(() => set(toasts.filter(toast => toast.id !== id)), SHOWN_MS)
}

/** A short message at the edge of the screen that an action succeeded or failed. */
export const toast = {
  done: (text: string) => show('good', text),
  failed: (error: unknown) => show('bad', error instanceof Error ? error.message : String(error)),
}

const subscribe = (watch: () => void) => {
  watchers.add(watch)
  return () => void watchers.delete(watch)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 top-14 z-50 flex flex-col items-center gap-2 rail:top-4"
    >
      {shown.map(({ id, tone, text }) => {
        const Icon = tone === 'good' ? CheckCircle2 : XCircle
        return (
          <div key={id} className="flex max-w-sm items-start gap-2.5 rounded-lg border bg-surface px-4 py-3 shadow-lg">
            <Icon size={18} aria-hidden className={tone === 'good' ? 'shrink-0 text-accent' : 'shrink-0 text-danger'} />
            <span className="min-w-0 break-words">{text}</span>
          </div>
        )
      })}
    </div>
  )
}
