import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { nameOf } from '../api/sessions.ts'
import { errorText } from '../error-text.ts'
import { FIRST_CONTACT } from '../phone/chats.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { sendCurl } from './send-curl.ts'

/** Sends a text from a number, and shows the same as a curl. */
export function SendMessage({ session, onClose }: { session: Session; onClose: () => void }) {
  const queries = useQueryClient()
  const [to, setTo] = useState(session.platform === 'sandbox' ? FIRST_CONTACT : '')
  const [text, setText] = useState('Hello from Postern')
  const send = useMutation({
    mutationFn: () => take(api.POST('/v1/messages', { body: { session_id: session.id, to, text } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      void queries.invalidateQueries({ queryKey: ['first'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate()
  }
  return (
    <Dialog title={`Send a message from ${nameOf(session)}`} onClose={onClose} wide>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="To"
          value={to}
          onChange={event => setTo(event.target.value)}
          required
          autoFocus
          hint={
            session.platform === 'sandbox'
              ? 'In the sandbox any number answers: it receives, and reads after a second.'
              : 'A number with its country code, or a JID.'
          }
        />
        <TextArea
          label="Text"
          value={text}
          onChange={event => setText(event.target.value)}
          required
          maxLength={65_536}
          error={send.error ? errorText(send.error) : null}
        />
        <CodeBlock label="The same with curl" code={sendCurl(session.id, to || `+${FIRST_CONTACT}`, text)} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          {send.data && <Accepted messageId={send.data.message_id} onLeave={onClose} />}
          <Button onClick={onClose}>{send.data ? 'Close' : 'Cancel'}</Button>
          <Button look="primary" type="submit" busy={send.isPending}>
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Accepted({ messageId, onLeave }: { messageId: string; onLeave: () => void }) {
  return (
    <p role="status" className="mr-auto min-w-0">
      Accepted.{' '}
      <Link
        to="/messages/$id"
        params={{ id: messageId }}
        onClick={onLeave}
        className="font-medium text-accent underline underline-offset-2"
      >
        Watch where it goes
      </Link>
    </p>
  )
}
