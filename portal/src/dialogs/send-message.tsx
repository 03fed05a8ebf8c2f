import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { nameAndPhone, nameOf, sessionsQuery } from '../api/sessions.ts'
import { errorText } from '../error-text.ts'
import { lookUp } from '../look-up.ts'
import { FIRST_CONTACT } from '../phone/chats.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextArea, TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { CONTENT_FIELDS, CONTENTS, type ContentKind, type ContentValues, contentOf, firstValues } from './send-body.ts'
import { curlOf } from './send-curl.ts'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** Sends any content from any number, and shows the same as a curl. */
export function SendMessage({ session: first, onClose }: { session: Session; onClose: () => void }) {
  const queries = useQueryClient()
  const sessions = useQuery(sessionsQuery).data ?? [first]
  const [from, setFrom] = useState(first.id)
  const session = sessions.find(({ id }) => id === from) ?? first
  const [to, setTo] = useState(first.platform === 'sandbox' ? FIRST_CONTACT : '')
  const [kind, setKind] = useState<ContentKind>('text')
  const [values, setValues] = useState(firstValues('text'))
  const body = { session_id: session.id, to, ...contentOf(kind, values) }
  const send = useMutation({
    mutationFn: () => take(api.POST('/v1/messages', { body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      void queries.invalidateQueries({ queryKey: ['first'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate()
  }
  const choose = (next: ContentKind) => {
    send.reset()
    setKind(next)
    setValues(firstValues(next))
  }
  return (
    <Dialog title={t('Send a message from {name}', { name: nameOf(session) })} onClose={onClose} wide>
      <form onSubmit={submit} className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <FromField sessions={sessions} value={session.id} onChange={setFrom} />
          <SelectField
            label={t('Content')}
            value={kind}
            onChange={event => choose(event.target.value as ContentKind)}
            choices={CONTENTS}
          />
        </div>
        <TextField
          label={t('To')}
          value={to}
          onChange={event => setTo(event.target.value)}
          required
          autoFocus
          hint={session.platform === 'sandbox' ? ANYBODY : t('A number with its country code, or a JID.')}
        />
        <ContentFields kind={kind} values={values} onChange={setValues} />
        {send.error && <FormError>{errorText(send.error)}</FormError>}
        <CodeBlock label={t('The same with curl')} code={curlOf({ ...body, to: to || `+${FIRST_CONTACT}` })} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          {send.data && <Accepted messageId={send.data.message_id} onLeave={onClose} />}
          <Button onClick={onClose}>{send.data ? t('Close') : t('Cancel')}</Button>
          <Button look="primary" type="submit" busy={send.isPending}>
            {t('Send')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const ANYBODY = t('In the sandbox any number answers: it receives, and reads after a second.')

interface FromFieldProps {
  sessions: readonly Session[]
  value: string
  onChange: (id: string) => void
}

function FromField({ sessions, value, onChange }: FromFieldProps) {
  return (
    <SelectField
      label={t('From')}
      value={value}
      onChange={event => onChange(event.target.value)}
      choices={sessions.map(each => ({ value: each.id, label: nameAndPhone(each) }))}
    />
  )
}

interface ContentFieldsProps {
  kind: ContentKind
  values: ContentValues
  onChange: (values: ContentValues) => void
}

function ContentFields({ kind, values, onChange }: ContentFieldsProps) {
  return CONTENT_FIELDS[kind].map(({ name, label, long, optional, hint }) => {
    const Input = long ? TextArea : TextField
    return (
      <Input
        key={`${kind} ${name}`}
        label={optional ? t('{label} (optional)', { label }) : label}
        hint={hint}
        value={lookUp(values, name) ?? ''}
        required={!optional}
        maxLength={65_536}
        onChange={event => onChange({ ...values, [name]: event.target.value })}
      />
    )
  })
}

function Accepted({ messageId, onLeave }: { messageId: string; onLeave: () => void }) {
  return (
    <p role="status" className="mr-auto min-w-0">
      {rich('Accepted. {link}', {
        link: (
          <Link
            to="/messages/$id"
            params={{ id: messageId }}
            onClick={onLeave}
            className="font-medium text-accent underline underline-offset-2"
          >
            {t('Watch where it goes')}
          </Link>
        ),
      })}
    </p>
  )
}
