import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { api, take } from '../api/client.ts'
import type { Session } from '../api/records.ts'
import { nameAndPhone, nameOf } from '../api/sessions.ts'
import { formErrors } from '../form-errors.ts'
import { lookUp } from '../look-up.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextArea, TextField } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { MediaSource } from './media-source.tsx'
import { CONTENTS, type ContentKind, type ContentValues, fieldsFor } from './send-body.ts'
import { useDraft } from './use-draft.ts'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** Sends any content from any number, and shows the same as a curl. */
export function SendDialog({ session: first, onClose }: { session: Session; onClose: () => void }) {
  const queries = useQueryClient()
  const form = useId()
  const draft = useDraft(first)
  const { session, awaits } = draft
  const [isPressed, setIsPressed] = useState(false)
  const send = useMutation({
    mutationFn: () => take(api.POST('/v1/messages', { body: draft.body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['messages'] })
      void queries.invalidateQueries({ queryKey: ['first'] })
    },
  })
  const fields = ['session_id', 'to', ...fieldsFor(draft.kind).map(({ name }) => name)]
  const errors = formErrors(send.error, fields)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsPressed(true)
    if (awaits === null) send.mutate()
  }
  const choose = (next: ContentKind) => {
    send.reset()
    setIsPressed(false)
    draft.choose(next)
  }
  return (
    <Dialog
      title={t('Send a message from {name}', { name: nameOf(session) })}
      onClose={onClose}
      footer={
        <Answers
          form={form}
          sent={send.data?.message_id}
          busy={send.isPending || awaits === 'arrival'}
          onClose={onClose}
        />
      }
      wide
    >
      <form id={form} onSubmit={submit} className="space-y-4">
        <Fields draft={draft} isPressed={isPressed} onChoose={choose} errorOf={errors.of} />
        {errors.rest && <FormError>{errors.rest}</FormError>}
        <CodeBlock label={t('The same with curl')} code={draft.curl} />
      </form>
    </Dialog>
  )
}

interface FieldsProps {
  draft: ReturnType<typeof useDraft>
  /** Whether the form was submitted: then it names the missing fields. */
  isPressed: boolean
  onChoose: (kind: ContentKind) => void
  /** Why the gateway rejected a field. */
  errorOf: (field: string) => string | null
}

function Fields({ draft, isPressed, onChoose, errorOf }: FieldsProps) {
  const { session, kind, file, awaits } = draft
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FromField
          sessions={draft.sessions}
          value={session.id}
          onChange={draft.setFrom}
          error={errorOf('session_id')}
        />
        <SelectField
          label={t('Content')}
          value={kind}
          onChange={event => onChoose(event.target.value as ContentKind)}
          choices={CONTENTS}
        />
      </div>
      <TextField
        label={t('To')}
        value={draft.to}
        onChange={event => draft.setTo(event.target.value)}
        required
        autoFocus
        hint={session.platform === 'sandbox' ? ANY_NUMBER : t('A number with its country code, or a JID.')}
        error={errorOf('to')}
      />
      {file && <MediaSource kind={kind} file={file} isMissing={isPressed && awaits === 'choice'} />}
      <ContentFields
        kind={kind}
        hasUrl={file?.source !== 'upload'}
        values={draft.values}
        onChange={draft.setValues}
        errorOf={errorOf}
      />
    </>
  )
}

const ANY_NUMBER = t('In the sandbox any number answers: it receives, and reads after a second.')

interface FromFieldProps {
  sessions: readonly Session[]
  value: string
  onChange: (id: string) => void
  error: string | null
}

function FromField({ sessions, value, onChange, error }: FromFieldProps) {
  return (
    <SelectField
      label={t('From')}
      value={value}
      onChange={event => onChange(event.target.value)}
      choices={sessions.map(each => ({ value: each.id, label: nameAndPhone(each) }))}
      error={error}
    />
  )
}

interface ContentFieldsProps {
  kind: ContentKind
  /** Its file, where it has one, comes from a URL. */
  hasUrl: boolean
  values: ContentValues
  onChange: (values: ContentValues) => void
  errorOf: FieldsProps['errorOf']
}

function ContentFields({ kind, hasUrl, values, onChange, errorOf }: ContentFieldsProps) {
  const fields = fieldsFor(kind).filter(({ name }) => hasUrl || name !== 'media_url')
  return fields.map(({ name, label, long, optional, hint }) => {
    const Input = long ? TextArea : TextField
    return (
      <Input
        key={`${kind} ${name}`}
        label={optional ? t('{label} (optional)', { label }) : label}
        hint={hint}
        error={errorOf(name)}
        value={lookUp(values, name) ?? ''}
        required={!optional}
        maxLength={65_536}
        onChange={event => onChange({ ...values, [name]: event.target.value })}
      />
    )
  })
}

interface AnswersProps {
  /** What is sent by it. */
  form: string
  sent: string | undefined
  busy: boolean
  onClose: () => void
}

function Answers({ form, sent, busy, onClose }: AnswersProps) {
  return (
    <>
      {sent !== undefined && <Accepted messageId={sent} onLeave={onClose} />}
      <Button onClick={onClose}>{sent === undefined ? t('Cancel') : t('Close')}</Button>
      <Button look="primary" type="submit" form={form} busy={busy}>
        {t('Send')}
      </Button>
    </>
  )
}

function Accepted({ messageId, onLeave }: { messageId: string; onLeave: () => void }) {
  return (
    <p role="status" className="mr-auto min-w-0 self-center max-sm:w-full">
      {rich('Accepted. {link}', {
        link: (
          <Link
            to="/messages/$id"
            params={{ id: messageId }}
            onClick={onLeave}
            className="font-medium text-accent underline underline-offset-2"
          >
            {t('Follow its delivery')}
          </Link>
        ),
      })}
    </p>
  )
}
