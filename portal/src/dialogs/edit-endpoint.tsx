import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { api, take } from '../api/client.ts'
import {
  DIRECTION_WORDS,
  endpointsQuery,
  INCLUDE_WORDS,
  KIND_WORDS,
  KINDS,
  nameOfEndpoint,
  RETRY_WORDS,
  SIGNATURE_WORDS,
  TYPE_WORDS,
  USUAL_KINDS,
} from '../api/endpoints.ts'
import type { Endpoint, EndpointKind } from '../api/records.ts'
import { formErrors } from '../form-errors.ts'
import { lookUp } from '../look-up.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField, Switch, TextField } from '../ui/field.tsx'
import { FormActions } from '../ui/form-actions.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { toast } from '../ui/toast.tsx'
import { NumberChoice, toggled } from './number-choice.tsx'
import { ShowSecret } from './show-secret.tsx'
import { t } from '../t.ts'

interface Header {
  name: string
  value: string
}

/** An endpoint as the form shows it. */
interface Draft {
  type: Endpoint['type']
  url: string
  keep_hours: string
  description: string
  kinds: EndpointKind[] | null
  session_ids: string[]
  direction: '' | 'in' | 'out'
  include: string[]
  /** `null`: the stored headers stay, whose values the gateway does not show. */
  headers: Header[] | null
  signature: NonNullable<Endpoint['signature']>
  retry: NonNullable<Endpoint['retry']>
  reply: boolean
  active: boolean
}

const FIELDS = ['url', 'keep_hours', 'description', 'kinds', 'session_ids', 'direction', 'include', 'headers']

const NEW: Draft = {
  type: 'webhook',
  url: '',
  keep_hours: '72',
  description: '',
  kinds: null,
  session_ids: [],
  direction: '',
  include: [],
  headers: [],
  signature: 'postern',
  retry: 'eager',
  reply: false,
  active: true,
}

const draftOf = (endpoint: Endpoint): Draft => ({
  ...endpoint,
  url: endpoint.url ?? '',
  keep_hours: String(endpoint.keep_hours ?? NEW.keep_hours),
  signature: endpoint.signature ?? NEW.signature,
  retry: endpoint.retry ?? NEW.retry,
  reply: endpoint.reply ?? NEW.reply,
  session_ids: endpoint.session_ids ?? [],
  direction: endpoint.direction ?? '',
  headers: endpoint.headers.length === 0 ? [] : null,
})

/** The draft as the API takes it. */
const bodyOf = ({ type, description, session_ids, direction, ...draft }: Draft) => ({
  description: description.trim(),
  kinds: draft.kinds,
  session_ids: session_ids.length === 0 ? null : session_ids,
  direction: direction || null,
  include: draft.include,
  active: draft.active,
  ...(type === 'pull' ? { keep_hours: Number(draft.keep_hours) } : postedOf(draft)),
})

/** What only an endpoint with a URL has. */
const postedOf = ({
  url,
  signature,
  retry,
  reply,
  headers,
}: Pick<Draft, 'url' | 'signature' | 'retry' | 'reply' | 'headers'>) => ({
  url: url.trim(),
  signature,
  retry,
  reply,
  ...(headers && {
    headers: Object.fromEntries(
      headers.filter(({ name }) => name.trim() !== '').map(h => [h.name.trim(), h.value.trim()]),
    ),
  }),
})

/** What the draft changes: a field that stays as it is may name a number that is no longer linked. */
function changesOf(draft: Draft, before: Draft): Partial<ReturnType<typeof bodyOf>> {
  const old: Record<string, unknown> = bodyOf(before)
  return Object.fromEntries(
    Object.entries(bodyOf(draft)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(lookUp(old, name)),
    ),
  )
}

/** Creates an endpoint and shows its secret once. A program that reads its events needs no secret. */
export function CreateEndpoint({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(NEW)
  const leave = async (id: string) => {
    await queries.invalidateQueries({ queryKey: endpointsQuery.queryKey })
    onCreated(id)
  }
  const create = useMutation({
    mutationFn: () => take(api.POST('/v1/endpoints', { body: { type: draft.type, ...bodyOf(draft) } })),
    onSuccess: ({ id, type }) => (type === 'pull' ? leave(id) : undefined),
  })
  if (create.data?.type === 'webhook') {
    const { id, secret } = create.data
    return (
      <ShowSecret title={t('The secret of the endpoint')} kind="secret" value={secret} onClose={() => void leave(id)}>
        <p className="mb-3 leading-relaxed">
          {t('Verify every POST with it: only you and the gateway know the secret.')}
        </p>
      </ShowSecret>
    )
  }
  return (
    <EndpointDialog
      title={t('Create an endpoint')}
      isNew
      action={t('Create the endpoint')}
      draft={draft}
      onChange={setDraft}
      save={create}
      onClose={onClose}
    />
  )
}

export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const queries = useQueryClient()
  const [before] = useState(() => draftOf(endpoint))
  const [draft, setDraft] = useState(before)
  const save = useMutation({
    mutationFn: () =>
      take(api.PATCH('/v1/endpoints/{id}', { params: { path: { id: endpoint.id } }, body: changesOf(draft, before) })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: endpointsQuery.queryKey })
      toast.done(t('The endpoint is saved.'))
      onClose()
    },
  })
  return (
    <EndpointDialog
      title={t('Edit {name}', { name: nameOfEndpoint(endpoint) })}
      action={t('Save')}
      draft={draft}
      onChange={setDraft}
      stored={endpoint.headers}
      save={save}
      onClose={onClose}
    />
  )
}

interface EndpointDialogProps {
  title: string
  action: string
  /** Whether its type can still be chosen. */
  isNew?: boolean
  draft: Draft
  onChange: (draft: Draft) => void
  /** The names of the headers that are stored. */
  stored?: readonly string[]
  save: { mutate: () => void; reset: () => void; isPending: boolean; error: unknown }
  onClose: () => void
}

const choicesOf = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }))

function EndpointDialog(props: EndpointDialogProps) {
  const { title, action, isNew = false, draft, onChange, stored = [], save, onClose } = props
  const isPull = draft.type === 'pull'
  const set = (change: Partial<Draft>) => {
    save.reset()
    onChange({ ...draft, ...change })
  }
  const form = useId()
  const errors = formErrors(save.error, FIELDS)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      footer={
        <FormActions form={form} onClose={onClose} busy={save.isPending}>
          {action}
        </FormActions>
      }
    >
      <form id={form} noValidate onSubmit={submit} className="space-y-5">
        {isNew && (
          <SelectField
            label={t('Kind')}
            value={draft.type}
            onChange={event => set({ type: event.target.value as Draft['type'] })}
            choices={choicesOf(TYPE_WORDS)}
          />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          {isPull ? (
            <TextField
              label={t('Hours to keep')}
              inputMode="numeric"
              value={draft.keep_hours}
              onChange={event => set({ keep_hours: event.target.value })}
              hint={t('For how long the gateway keeps an event that your program has not read, up to a week (168).')}
              error={errors.of('keep_hours')}
            />
          ) : (
            <TextField
              label="URL"
              inputMode="url"
              autoComplete="url"
              spellCheck={false}
              value={draft.url}
              onChange={event => set({ url: event.target.value })}
              placeholder="https://example.com/events"
              error={errors.of('url')?.replace(/^(ErrHTTPSRequired: )?url\b/i, 'It')}
            />
          )}
          <TextField
            label={t('Description')}
            value={draft.description}
            maxLength={200}
            onChange={event => set({ description: event.target.value })}
            placeholder={t('Orders')}
            error={errors.of('description')}
          />
        </div>
        <Group title={t('Events')} error={errors.of('kinds') ?? errors.of('direction')}>
          <KindChoice kinds={draft.kinds} onChange={kinds => set({ kinds })} />
        </Group>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('Direction')}
            value={draft.direction}
            onChange={event => set({ direction: event.target.value as Draft['direction'] })}
            choices={choicesOf(DIRECTION_WORDS)}
          />
          <Group title={t('Numbers')} error={errors.of('session_ids')}>
            <NumberChoice chosen={draft.session_ids} onChange={session_ids => set({ session_ids })} />
            <p className="text-[13px] text-muted">
              {draft.session_ids.length === 0 && t('It also gets the events of numbers that you add later.')}
            </p>
          </Group>
        </div>
        <Group title={t('Also send')} error={errors.of('include')}>
          {[...new Set([...Object.keys(INCLUDE_WORDS), ...draft.include])].map(word => (
            <CheckField
              key={word}
              label={lookUp(INCLUDE_WORDS, word)?.title ?? word}
              hint={lookUp(INCLUDE_WORDS, word)?.what ?? ''}
              checked={draft.include.includes(word)}
              onChange={() => set({ include: toggled(draft.include, word) })}
            />
          ))}
        </Group>
        {!isPull && <Posting draft={draft} set={set} stored={stored} error={errors.of('headers')} />}
        <Switch
          label={t('Active')}
          hint={
            isPull
              ? t('Off: it gets no events.')
              : t('Off: it gets no events, and waiting deliveries become dead letters.')
          }
          checked={draft.active}
          onChange={active => set({ active })}
        />
        {errors.rest && <FormError>{errors.rest}</FormError>}
      </form>
    </Dialog>
  )
}

interface PostingProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
  stored: readonly string[]
  /** What is wrong with the headers. */
  error: string | null
}

/** How the gateway posts to the endpoint. */
function Posting({ draft, set, stored, error }: PostingProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Signature')}
          value={draft.signature}
          onChange={event => set({ signature: event.target.value as Draft['signature'] })}
          choices={choicesOf(SIGNATURE_WORDS)}
          hint={
            draft.signature === 'standard'
              ? t('The libraries of Standard Webhooks verify it.')
              : t('The same headers as a webhook, with the id of the endpoint.')
          }
        />
        <SelectField
          label={t('Retries')}
          value={draft.retry}
          onChange={event => set({ retry: event.target.value as Draft['retry'] })}
          choices={choicesOf(RETRY_WORDS)}
          hint={
            draft.retry === 'eager'
              ? t('While it fails, the gateway tries one delivery every few seconds.')
              : t('Four attempts for each delivery, like webhooks.')
          }
        />
      </div>
      <Switch
        label={t('Send its answers')}
        hint={t('What it answers a message with is sent to the chat.')}
        checked={draft.reply}
        onChange={reply => set({ reply })}
      />
      <Group title={t('Own headers')} error={error}>
        <HeaderFields headers={draft.headers} stored={stored} onChange={headers => set({ headers })} />
      </Group>
    </>
  )
}

function Group({ title, error, children }: { title: string; error: string | null; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">{title}</legend>
      {children}
      {error && <FormError className="mt-1.5 text-[13px]">{error}</FormError>}
    </fieldset>
  )
}

interface KindChoiceProps {
  kinds: EndpointKind[] | null
  onChange: (kinds: EndpointKind[] | null) => void
}

/** The usual kinds, or a choice among all of them. */
function KindChoice({ kinds, onChange }: KindChoiceProps) {
  const needsPresence = kinds?.some(kind => kind === 'typing' || kind === 'presence')
  return (
    <>
      <Segmented
        label={t('Events')}
        value={kinds === null ? 'usual' : 'chosen'}
        choices={[
          { value: 'usual', label: t('The usual ones') },
          { value: 'chosen', label: t('Choose') },
        ]}
        onChange={choice => onChange(choice === 'usual' ? null : (kinds ?? USUAL_KINDS))}
      />
      {kinds === null ? (
        <p className="mt-1.5 text-[13px] text-muted">
          {t('Everything that a webhook gets, except typing and presence.')}
        </p>
      ) : (
        <div className="mt-2 grid gap-x-6 sm:grid-cols-2">
          {KINDS.map(kind => (
            <CheckField
              key={kind}
              label={kind}
              hint={KIND_WORDS[kind]}
              checked={kinds.includes(kind)}
              onChange={() => onChange(toggled(kinds, kind))}
            />
          ))}
        </div>
      )}
      {needsPresence && (
        <p className="mt-1.5 text-[13px] text-waiting">
          {t('With typing or presence, your numbers appear online, and their phones show no notifications.')}
        </p>
      )}
    </>
  )
}

interface HeaderFieldsProps {
  headers: Header[] | null
  stored: readonly string[]
  onChange: (headers: Header[] | null) => void
}

/** Headers of the customer's own. The gateway never shows their values, so a change replaces all of them. */
function HeaderFields({ headers, stored, onChange }: HeaderFieldsProps) {
  if (headers === null)
    return (
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 font-mono text-[13px] break-all">{stored.join(', ')}</code>
        <Button small onClick={() => onChange(stored.map(name => ({ name, value: '' })))}>
          {t('Replace the headers')}
        </Button>
      </div>
    )
  const put = (at: number, change: Partial<Header>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...change } : header)))
  return (
    <div className="space-y-2">
      <p className="text-[13px] text-muted">
        {t('Each POST has them, such as a token for your proxy. Their values are never shown again.')}
      </p>
      {headers.map((header, at) => (
        // oxlint-disable-next-line react/no-array-index-key: two new rows are equal
        <div key={at} className="flex items-start gap-2">
          <TextField
            label={t('Name of header {n}', { n: at + 1 })}
            hideLabel
            className="flex-1"
            autoComplete="off"
            spellCheck={false}
            placeholder="x-token"
            value={header.name}
            onChange={event => put(at, { name: event.target.value })}
          />
          <TextField
            label={t('Value of header {n}', { n: at + 1 })}
            hideLabel
            className="flex-2"
            autoComplete="off"
            spellCheck={false}
            placeholder={stored.includes(header.name) ? t('Enter the value again') : t('Value')}
            value={header.value}
            onChange={event => put(at, { value: event.target.value })}
          />
          <IconButton
            label={t('Remove header {n}', { n: at + 1 })}
            icon={X}
            className="mt-0.5"
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button small icon={Plus} onClick={() => onChange([...headers, { name: '', value: '' }])}>
          {t('Add a header')}
        </Button>
        {stored.length > 0 && (
          <Button small look="quiet" onClick={() => onChange(null)}>
            {t('Keep the stored headers')}
          </Button>
        )}
      </div>
    </div>
  )
}
