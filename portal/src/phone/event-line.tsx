import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { locale } from '../language.ts'

const exact = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

interface EventLineProps {
  /** Such as `receipt.read`. */
  type: string
  at: string
  /** The id that the endpoint receives. */
  id: string
  /** The contact or chat. */
  who: string | undefined
  /** The result of the delivery. */
  result?: ReactNode
  link?: ReactNode
  children: ReactNode
}

/** An event as `postern listen` prints it: its type, time and id. It opens to show its body. */
export function EventLine({ type, at, id, who, result, link, children }: EventLineProps) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-start gap-2.5 rounded-lg px-2 py-2 text-left text-[13px] hover:bg-raised"
        >
          <ChevronRight size={14} aria-hidden className={open ? 'mt-0.5 shrink-0 rotate-90' : 'mt-0.5 shrink-0'} />
          <span className="min-w-0 flex-1">
            <span className="flex items-center gap-3">
              <code aria-hidden className="min-w-0 flex-1 truncate font-mono font-medium">
                {type}
              </code>
              <span className="sr-only">{type.replace('.', ' ')} </span>
              {result}
            </span>
            <span className="flex gap-3 font-mono text-[12px] text-muted">
              <time dateTime={at}>{exact.format(new Date(at))}</time>
              <span className="min-w-0 flex-1 truncate">{id}</span>
              {who && <span className="min-w-0 truncate max-sm:hidden">{who}</span>}
            </span>
          </span>
        </button>
        {link}
      </div>
      {open && <div className="space-y-2 px-2 pb-3 pl-8">{children}</div>}
    </li>
  )
}
