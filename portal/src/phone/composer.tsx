import { SendHorizontal, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { SandboxMessage } from '../api/records.ts'
import { IconButton } from '../ui/button.tsx'
import { Attach } from './attach.tsx'
import { preview } from './chats.ts'
import type { Sandbox } from './use-sandbox.ts'
import { t } from '../t.ts'

/** A contact that pauses this long is not typing any more. */
const PAUSE_MS = 3_000

interface ComposerProps {
  sandbox: Sandbox
  quoted: SandboxMessage | null
  /** Whether it takes the focus, as it does when the user opens a chat. */
  takesFocus: boolean
  onUnquote: () => void
}

/** The input of the contact. The number receives typing events as they happen. */
export function Composer({ sandbox, quoted, takesFocus, onUnquote }: ComposerProps) {
  const [text, setText] = useState('')
  const typing = useTyping(sandbox)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (quoted || takesFocus) field.current?.focus({ preventScroll: true })
  }, [quoted, takesFocus])
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    typing.stop()
    setText('')
    onUnquote()
    const sent = await sandbox.write({ type: 'text', text, ...(quoted && { quoted_message_id: quoted.message_id }) })
    if (sent === null) setText(text)
  }
  return (
    <div className="border-t bg-surface">
      {quoted && (
        <p className="flex items-center gap-2 border-b px-3 py-1 text-[12px] text-muted">
          <span className="min-w-0 flex-1 truncate">{t('Reply to: {quoted}', { quoted: preview(quoted) })}</span>
          <IconButton label={t('Do not reply')} icon={X} onClick={onUnquote} />
        </p>
      )}
      <div className="flex items-center gap-1 p-2">
        <Attach sandbox={sandbox} />
        <form onSubmit={event => void send(event)} className="flex min-w-0 flex-1 items-center gap-1">
          <input
            ref={field}
            aria-label={t('Message')}
            placeholder={t('Write as the contact')}
            autoComplete="off"
            value={text}
            onChange={event => {
              setText(event.target.value)
              typing.go()
            }}
            className="h-9 min-w-0 flex-1 rounded-full border border-line-strong bg-surface px-3.5 placeholder:text-muted"
          />
          <button
            type="submit"
            aria-label={t('Send')}
            disabled={text.trim() === ''}
            className="grid size-9 shrink-0 place-items-center rounded-full bg-accent text-on-accent disabled:opacity-50"
          >
            <SendHorizontal size={16} aria-hidden />
          </button>
        </form>
      </div>
    </div>
  )
}

function useTyping(sandbox: Sandbox) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stop = () => {
    if (timer.current === undefined) return
    clearTimeout(timer.current)
    timer.current = undefined
    void sandbox.act({ action: 'typing', typing: false })
  }
  const go = () => {
    if (timer.current === undefined) void sandbox.act({ action: 'typing', typing: true })
    clearTimeout(timer.current)
    timer.current = setTimeout(stop, PAUSE_MS)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return { go, stop }
}
