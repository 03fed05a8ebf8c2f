import { Check, CheckCheck } from 'lucide-react'
import type { SandboxMessage } from '../api/records.ts'
import { classes } from '../ui/classes.ts'
import { BubbleContent } from './bubble-content.tsx'
import { BubbleMenu } from './bubble-menu.tsx'
import { preview } from './chats.ts'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'
import { locale } from '../language.ts'

interface BubbleProps {
  message: SandboxMessage
  reactions: readonly string[]
  quoted: SandboxMessage | undefined
  sandbox: Sandbox
  onReply: () => void
}

const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })

export function Bubble({ message, reactions, quoted, sandbox, onReply }: BubbleProps) {
  const mine = message.from_me
  return (
    <article
      className={classes(
        'group flex items-start gap-1',
        mine ? 'flex-row-reverse' : '',
        reactions.length > 0 && 'mb-3',
      )}
    >
      <div
        className={classes(
          'relative max-w-[82%] rounded-xl px-2.5 py-1.5 text-[13px] shadow-xs',
          mine ? 'rounded-tr-sm bg-bubble' : 'rounded-tl-sm bg-bubble-other',
        )}
      >
        {message.quoted_message_id && (
          <p className="mb-1 truncate rounded border-l-2 border-accent bg-ink/5 px-2 py-1 text-[12px] text-ink/80">
            {quoted ? preview(quoted) : t('A message that this phone does not have')}
          </p>
        )}
        <BubbleContent message={message} sandbox={sandbox} />
        <p className="mt-0.5 flex items-center justify-end gap-1 text-[11px] text-ink/80">
          {message.copies > 1 && (
            <span title={t('The gateway sent it more than once; the phone shows it once')}>×{message.copies}</span>
          )}
          {hour.format(new Date(message.timestamp_unix * 1000))}
          {mine && <Ticks status={message.status} />}
        </p>
        {reactions.length > 0 && (
          <span className="absolute -bottom-3 left-2 rounded-full border bg-surface px-1.5 text-[13px]">
            {reactions.join('')}
          </span>
        )}
      </div>
      <BubbleMenu message={message} sandbox={sandbox} onReply={onReply} />
    </article>
  )
}

/** The true receipts: one tick sent, two delivered, coloured read. */
function Ticks({ status }: { status: SandboxMessage['status'] }) {
  if (status === 'sent') return <Check size={14} aria-label={t('Sent')} />
  if (status === 'delivered') return <CheckCheck size={14} aria-label={t('Delivered')} />
  return <CheckCheck size={14} aria-label={status === 'read' ? t('Read') : t('Played')} className="text-tick" />
}
