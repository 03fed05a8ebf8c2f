import { CLIENT_HELP, type ClientOptions, openClient } from './gateway-client.ts'
import { printResult, paint, printable, table, toJson } from './terminal.ts'
import { onlyWebhook } from './webhooks.ts'

export interface ShownDelivery {
  id: string
  kind: string
  status: string
  code: number | null
  created_at: string
  updated_at: string
  session_id: string
  reason: string | null
  origin: string
  next_attempt_at: string | null
  redelivered_at: string | null
  replayed_as: string | null
  replay_of: string | null
  attempts: Array<{
    attempt: number
    time: string
    status: string
    code: number | null
    latency_ms: number
    error: string | null
  }>
}

type Options<More = object> = ClientOptions & { json?: boolean } & More

const clientUsage = `[--json] [--url http://…] [--key ptn_…] [--account acc_…]`

export const listDeliveriesHelp = `postern deliveries list [--status pending|delivered|failed|dead] [--session ID]
                        [--limit N]
                   ${clientUsage}

Lists the latest deliveries, newest first.

  --status    only deliveries with this status
  --session   only deliveries of this number
  --limit     the maximum number, up to 100. Default: 20
  --json      print the response of the API
${CLIENT_HELP}`

export async function listDeliveries(
  options: Options<{ status?: string; session?: string; limit?: string }>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const client = await openClient(options, env)
  const query = new URLSearchParams({ limit: options.limit ?? '20' })
  if (options.status !== undefined) query.set('status', options.status)
  if (options.session !== undefined) query.set('session_id', options.session)
  const page = await client.call<{ data: ShownDelivery[] }>('GET', `/v1/deliveries?${query}`)
  printResult(options.json, page, ({ data }) => (data.length === 0 ? 'No deliveries.' : table(data.map(deliveryRow))))
}

export const deliveryRow = (delivery: ShownDelivery): string[] => [
  delivery.created_at,
  delivery.id,
  delivery.kind,
  delivery.status === 'delivered' ? paint('green', delivery.status) : paint('yellow', delivery.status),
  delivery.code === null ? printable(delivery.attempts.at(-1)?.error ?? '-') : String(delivery.code),
  delivery.session_id,
]

export const showDeliveryHelp = `postern deliveries show <id>
                   ${clientUsage}

Shows a delivery with its attempts and its payload without content.

  --json      print the response of the API
${CLIENT_HELP}`

export async function showDelivery(options: Options, env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const client = await openClient(options, env)
  const found = await client.call<unknown>('GET', `/v1/deliveries/${encodeURIComponent(id)}`)
  printResult(options.json, found as ShownDelivery & { payload: unknown }, delivery => {
    const attempts = delivery.attempts.map(each => [
      `  attempt ${each.attempt}`,
      each.time,
      each.status,
      each.code === null ? printable(each.error ?? '-') : String(each.code),
      `${each.latency_ms} ms`,
    ])
    const reason = delivery.reason === null ? '' : ` (${delivery.reason})`
    return [
      `${delivery.id} ${delivery.kind} ${delivery.status}${reason}`,
      ...replayLines(delivery),
      ...(attempts.length === 0 ? ['  no attempt yet'] : [table(attempts)]),
      toJson(delivery.payload, 2),
    ].join('\n')
  })
}

function replayLines({ replayed_as, replay_of, redelivered_at, origin }: ShownDelivery): string[] {
  const again = origin === 'resend' ? 'resend' : 'replay'
  return [
    ...(replay_of === null ? [] : [`  ${again} of ${replay_of}`]),
    ...(replayed_as === null ? [] : [`  replayed as ${replayed_as}`]),
    ...(redelivered_at === null ? [] : [`  delivered again at ${redelivered_at}`]),
  ]
}

export const resendDeliveryHelp = `postern deliveries resend <id>
                   ${clientUsage}

Delivers the same event again, with the same X-Message-ID.

  --json      print the new delivery as the API returns it
${CLIENT_HELP}`

export async function resendDelivery(options: Options, env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const client = await openClient(options, env)
  const made = await client.call<unknown>('POST', `/v1/deliveries/${encodeURIComponent(id)}/resend`, {})
  printResult(options.json, made as ShownDelivery, delivery => `${delivery.id} is queued.`)
}

export const giveUpDeliveryHelp = `postern deliveries give-up <id>
                   ${clientUsage}

Stops the retries of a delivery that waits for its next attempt: it becomes a
dead letter now. If a running attempt succeeds, the event is still delivered.

  --json      print the delivery as the API returns it
${CLIENT_HELP}`

export async function giveUpDelivery(options: Options, env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const client = await openClient(options, env)
  const ended = await client.call<unknown>('POST', `/v1/deliveries/${encodeURIComponent(id)}/give-up`, {})
  printResult(
    options.json,
    ended as ShownDelivery,
    delivery => `${delivery.id} becomes a dead letter. The gateway does not retry it.`,
  )
}

export const replayDeliveriesHelp = `postern deliveries replay [--webhook wh_…] [--status dead|failed] [--since TIME]
                        [--until TIME]
                   ${clientUsage}

Delivers the dead letters of a webhook again, or with --status failed the
deliveries that wait for their next attempt.

  --webhook   the webhook, if the account has several
  --since     only from this time on, such as 2026-01-31T12:00:00Z
  --until     only up to this time
  --json      print the replay as the API returns it
${CLIENT_HELP}`

export async function replayDeliveries(
  options: Options<{ webhook?: string; since?: string; until?: string; status?: string }>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const client = await openClient(options, env)
  const webhook = options.webhook ?? (await onlyWebhook(client, '--webhook'))
  const wanted = options.status === 'failed' ? 'waiting for its next attempt' : 'a dead letter'
  const body = {
    ...(options.since === undefined ? {} : { since: options.since }),
    ...(options.until === undefined ? {} : { until: options.until }),
    ...(options.status === undefined ? {} : { status: options.status }),
  }
  const replay = await client.call<unknown>('POST', `/v1/webhooks/${encodeURIComponent(webhook)}/replay`, body)
  printResult(options.json, replay as { id: string; total: number }, ({ id, total }) =>
    total === 0
      ? `There is nothing to send again: no delivery of ${webhook} is ${wanted}, or all of them were sent again already.`
      : `${id}: the gateway sends ${total} deliveries again.`,
  )
}
