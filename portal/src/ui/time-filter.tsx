import { CalendarRange, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { RangePicker, rangeName, type Times } from './range-picker.tsx'
import { t } from '../t.ts'

/** The time range of a list, behind a button that says it. */
export function TimeFilter({ since, until, onChange }: Times & { onChange: (times: Times) => void }) {
  const name = rangeName({ since, until })
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={t('Time: {range}', { range: name })}
        className="input flex items-center gap-2 text-left sm:w-auto sm:min-w-48"
      >
        <CalendarRange size={15} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={t('Time range')}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          onKeyDown={event => event.stopPropagation()}
          className="z-40 w-80 max-w-[calc(100vw-24px)] rounded-xl border bg-surface p-3 shadow-lg"
        >
          <RangePicker since={since} until={until} onChange={onChange} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
