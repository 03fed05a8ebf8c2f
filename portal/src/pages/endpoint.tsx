import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Activity, Pencil, Send } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { api, take } from '../api/client.ts'
import { deliveriesQuery, matches } from '../api/deliveries.ts'
import {
  DIRECTION_WORDS,
  endpointsQuery,
  INCLUDE_WORDS,
  nameOfEndpoint,
  RETRY_WORDS,
  SIGNATURE_WORDS,
  TYPE_WORDS,
} from '../api/endpoints.ts'
import { pagedList } from '../api/list-source.ts'
import { CATEGORIES, type Category, type DeliveryStatus, type Endpoint } from '../api/records.ts'
import { useLiveRows } from '../api/use-live-rows.ts'
import { useNumberNames } from '../api/use-number-names.ts'
import { CATEGORY_WORDS } from '../api/webhooks.ts'
import { EditEndpoint } from '../dialogs/edit-endpoint.tsx'
import { Replay } from '../dialogs/replay.tsx'
import { RotateSecret } from '../dialogs/rotate-secret.tsx'
import { lookUp } from '../look-up.ts'
import { EndpointStatus } from '../records/status-marks.tsx'
import { TestAnswer } from '../records/test-results.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyId } from '../ui/copy.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { SelectField, Switch } from '../ui/field.tsx'
import { List } from '../ui/list.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Empty, ErrorNote, Facts, Notice, Page, Section } from '../ui/page.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { ExactTime } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { deliveryColumns } from './deliveries.tsx'
import { VerifySnippets } from './verify-snippets.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

export function EndpointPage() {
  const { id } = useParams({ from: '/inside/endpoints/$id' })
  const query = useQuery(endpointsQuery)
  const endpoint = query.data?.find(each => each.id === id)
  return (
    <Page
      title={endpoint ? nameOfEndpoint(endpoint) : t('Endpoint')}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <CopyId id={id} className="-ml-1" />
          {endpoint && <EndpointStatus endpoint={endpoint} />}
        </span>
      }
      action={endpoint && <Actions endpoint={endpoint} />}
    >
      <Loaded query={query} skeleton={<div aria-hidden className="skeleton h-96" />}>
        {() =>
          endpoint ? (
            <Details key={id} endpoint={endpoint} />
          ) : (
            <ErrorNote error={new Error(t('This account has no such endpoint. It may have been deleted.'))} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Details({ endpoint }: { endpoint: Endpoint }) {
  return (
    <div className="space-y-4">
      <StateNotice endpoint={endpoint} />
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <Section title={t('Settings')}>
          <Facts facts={useFacts(endpoint)} />
        </Section>
        {endpoint.type === 'pull' ? <HowToRead endpoint={endpoint} /> : <EndpointTest endpoint={endpoint} />}
      </div>
      {endpoint.type === 'webhook' && <LatestDeliveries endpoint={endpoint} />}
      {endpoint.signature === 'postern' && <VerifySnippets webhookId={endpoint.id} />}
      {endpoint.signature === 'standard' && <VerifyStandard />}
    </div>
  )
}

function useFacts(endpoint: Endpoint): [string, ReactNode][] {
  const nameOfNumber = useNumberNames()
  const { type, url, keep_hours, kinds, session_ids, direction, include, headers, signature, retry, reply } = endpoint
  const target: [string, ReactNode][] =
    type === 'pull'
      ? [
          [t('Kind'), TYPE_WORDS.pull],
          [t('Kept for'), t('{hours} hours', { hours: keep_hours! })],
        ]
      : [
          [
            'URL',
            <span key="url" className="font-mono text-[12px] break-all">
              {url}
            </span>,
          ],
        ]
  const posted: [string, ReactNode][] =
    signature === null || retry === null
      ? []
      : [
          [t('Own headers'), headers.join(', ') || '–'],
          [t('Signature'), SIGNATURE_WORDS[signature]],
          [t('Retries'), RETRY_WORDS[retry]],
          ...(reply === true ? [[t('Answers'), t('Sent to the chat')] satisfies [string, ReactNode]] : []),
        ]
  return [
    ...target,
    [t('Events'), kinds?.join(', ') ?? t('Everything that a webhook gets, except typing and presence.')],
    [t('Direction'), DIRECTION_WORDS[direction ?? '']],
    [t('Numbers'), session_ids?.map(nameOfNumber).join(', ') ?? t('All')],
    [t('Also sent'), include.map(word => lookUp(INCLUDE_WORDS, word)?.title ?? word).join(', ') || '–'],
    ...posted,
    [t('Created'), <ExactTime key="created" at={endpoint.created_at} />],
  ]
}

/** What is wrong with the endpoint, and what to do. */
function StateNotice({ endpoint }: { endpoint: Endpoint }) {
  const { active, failing_since, switched_off_at, retry } = endpoint
  if (active && failing_since === null) return null
  if (active)
    return (
      <Notice tone="bad">
        {rich('It has been failing since {time}. {retries} After three days the gateway switches it off.', {
          time: <ExactTime at={failing_since!} />,
          retries:
            retry === 'eager'
              ? t('As soon as it accepts a delivery, everything that waits follows in order.')
              : t('Each delivery becomes a dead letter after its fourth attempt.'),
        })}
      </Notice>
    )
  return (
    <Notice tone={switched_off_at === null ? 'waiting' : 'bad'}>
      <p className="mb-2">
        {switched_off_at === null
          ? t('This endpoint is inactive: it gets no events.')
          : rich(
              'The gateway switched it off {time}, after three days of failures. Switch it on, then replay its dead letters.',
              {
                time: <ExactTime at={switched_off_at} />,
              },
            )}
      </p>
      <SwitchOn id={endpoint.id} />
    </Notice>
  )
}

function SwitchOn({ id }: { id: string }) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: () => take(api.PATCH('/v1/endpoints/{id}', { params: { path: { id } }, body: { active: true } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: endpointsQuery.queryKey }),
    onError: toast.failed,
  })
  return (
    <Button small busy={save.isPending} onClick={() => save.mutate()}>
      {t('Switch it on')}
    </Button>
  )
}

/** How a program reads the events, with the id of this endpoint. */
function HowToRead({ endpoint: { id } }: { endpoint: Endpoint }) {
  return (
    <Section title={t('Read the events')}>
      <p className="mb-3 leading-relaxed text-muted">
        {t(
          'Your program reads the events and acknowledges them; it gets none again that it has acknowledged. One program should read an endpoint.',
        )}
      </p>
      <div className="space-y-3">
        <CodeBlock label={t('Terminal')} code={`postern listen --endpoint ${id}`} />
        <CodeBlock
          label="Node"
          code={`for await (const event of postern.pull('${id}'))\n  console.log(event.kind, event.payload)`}
        />
        <CodeBlock
          label="Python"
          code={`for event in postern.pull("${id}"):\n    print(event["kind"], event["payload"])`}
        />
      </div>
    </Section>
  )
}

/** Sends a sample and shows the response. */
function EndpointTest({ endpoint: { id } }: { endpoint: Endpoint }) {
  const [category, setCategory] = useState<Category>('messages')
  const [sign, setSign] = useState(true)
  const test = useMutation({
    mutationFn: () => take(api.POST('/v1/endpoints/{id}/test', { params: { path: { id } }, body: { category, sign } })),
  })
  return (
    <Section title={t('Test')}>
      <div className="space-y-4">
        <div className="flex items-end gap-2">
          <SelectField
            label={t('Sample event')}
            className="flex-1"
            value={category}
            onChange={event => setCategory(event.target.value as Category)}
            choices={CATEGORIES.map(value => ({ value, label: CATEGORY_WORDS[value].title }))}
          />
          <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
            {t('Send a test')}
          </Button>
        </div>
        <Switch
          label={t('Sign with the real secret')}
          hint={t('Off: your endpoint should answer 401.')}
          checked={sign}
          onChange={setSign}
        />
        {test.error && <ErrorNote error={test.error} />}
        <div aria-live="polite">{test.data && <TestAnswer result={test.data} />}</div>
      </div>
    </Section>
  )
}

const SHOWN = 10
const RESULTS: readonly { value: DeliveryStatus | 'all'; label: string }[] = [
  { value: 'all', label: t('All') },
  { value: 'failed', label: t('Retrying') },
  { value: 'dead', label: t('Dead letters') },
]

/** The newest deliveries of the endpoint. Each opens where it can be resent. */
function LatestDeliveries({ endpoint: { id } }: { endpoint: Endpoint }) {
  const [status, setStatus] = useState<DeliveryStatus | 'all'>('all')
  const navigate = useNavigate()
  const filter = useMemo(() => ({ endpoint: id, ...(status !== 'all' && { status }) }), [id, status])
  const query = deliveriesQuery(filter)
  const { rows, error, retry } = pagedList(useInfiniteQuery(query))
  useLiveRows('delivery', query.queryKey, delivery => matches(filter, delivery))
  const nameOfNumber = useNumberNames()
  const columns = useMemo(() => deliveryColumns(nameOfNumber, undefined, filter), [nameOfNumber, filter])
  return (
    <section aria-labelledby="latest">
      <header className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id="latest" className="mr-auto font-semibold">
          {t('Latest deliveries')}
        </h2>
        <Segmented label={t('Result')} value={status} choices={RESULTS} onChange={setStatus} />
        <ButtonLink small to="/deliveries" search={filter}>
          {t('Show all')}
        </ButtonLink>
      </header>
      <List
        label={t('Latest deliveries')}
        source={{ rows: rows?.slice(0, SHOWN), error, retry }}
        columns={columns}
        rowKey={row => row.id}
        onOpen={row => void navigate({ to: '/deliveries/$id', params: { id: row.id }, search: filter })}
        expected={3}
        empty={
          <Empty icon={Activity} title={status === 'dead' ? t('No dead letters') : t('No delivery yet')}>
            {status === 'all'
              ? t('The next event that this endpoint wants appears here within a second.')
              : t('Every event has reached your endpoint, or is still being tried.')}
          </Empty>
        }
      />
    </section>
  )
}

function VerifyStandard() {
  return (
    <Section title={t('Verify the signature')}>
      <p className="mb-3 leading-relaxed text-muted">
        {t(
          'The libraries of Standard Webhooks verify each POST, in many languages. Use webhook-id to remove duplicates: it is the same for every attempt.',
        )}
      </p>
      <CodeBlock label="Node" code={VERIFY_STANDARD} />
    </Section>
  )
}

const VERIFY_STANDARD = `import { Webhook } from 'standardwebhooks'

const event = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, request.headers)`

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { id } = endpoint
  const [open, setOpen] = useState<'edit' | 'rotate' | 'replay' | 'delete' | null>(null)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const close = () => setOpen(null)
  const name = nameOfEndpoint(endpoint)
  const path = { id }
  const rotate = (overlap_seconds: number) =>
    take(api.POST('/v1/endpoints/{id}/rotate-secret', { params: { path }, body: { overlap_seconds } }))
  const remove = async () => {
    await take(api.DELETE('/v1/endpoints/{id}', { params: { path } }))
    await navigate({ to: '/endpoints' })
    await queries.invalidateQueries({ queryKey: endpointsQuery.queryKey })
    toast.done(t('Endpoint {name} is deleted.', { name }))
  }
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        {t('Edit')}
      </Button>
      {endpoint.type === 'webhook' && (
        <>
          <Button onClick={() => setOpen('replay')}>{t('Replay')}</Button>
          <Button onClick={() => setOpen('rotate')}>{t('Rotate the secret')}</Button>
        </>
      )}
      <Button look="quiet-danger" onClick={() => setOpen('delete')}>
        {t('Delete')}
      </Button>
      {open === 'edit' && <EditEndpoint endpoint={endpoint} onClose={close} />}
      {open === 'rotate' && <RotateSecret name={name} rotate={rotate} onClose={close} />}
      {open === 'replay' && <Replay receivers={[{ id, name }]} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t('Delete endpoint {name}?', { name })}
          action={t('Delete the endpoint')}
          danger
          onConfirm={remove}
          onClose={close}
        >
          <p>
            {endpoint.type === 'pull'
              ? t('The gateway deletes the events that your program has not read. This cannot be undone.')
              : t('The gateway posts no more events to it, and waiting deliveries become dead letters.')}
          </p>
          {endpoint.type === 'webhook' && <p>{t('The secret is deleted permanently. This cannot be undone.')}</p>}
        </Confirm>
      )}
    </>
  )
}
