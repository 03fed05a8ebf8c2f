import type { Context } from '../context.ts'
import { NOTICE_AFTER_MS, SWITCH_OFF_AFTER_MS } from '../domain/endpoint.ts'
import { type Mail, sendMail, type SmtpSettings, smtpFailure } from '../net/smtp.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { EndpointMail, MailedEndpoint } from '../store/endpoints/endpoint-mails.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 6_000
/** Waits after failures; the last one repeats until the mail is a day old. */
const AGAIN_MS = [60_000, 300_000, 900_000, 3_600_000]
const HOURS = NOTICE_AFTER_MS / 3_600_000
const DAYS = SWITCH_OFF_AFTER_MS / 86_400_000

type Deps = Pick<Context, 'config' | 'clock' | 'log' | 'metrics'> & { store: Pick<Store, 'endpoints'> }

/**
 * Mails the user of an account when endpoints have been failing for an hour, and when they are switched off. Every process
 * runs this. One of them claims the due mail of an account, and sends it.
 */
export async function mailAboutEndpoints(deps: Deps, signal: AbortSignal): Promise<void> {
  const { config, clock, store } = deps
  const { smtp } = config
  if (smtp === null) return
  await new RepeatingTask(deps, 'endpoint.find_mail', async () => {
    const accountId = await store.endpoints.findEndpointMail(clock.now().getTime())
    const mail = accountId === undefined ? undefined : await store.endpoints.takeEndpointMail(accountId)
    if (mail === undefined) return EVERY_MS
    if (mail !== null) await send(deps, smtp, mail)
    return 0
  }).run(signal)
}

async function send({ config, store, log, metrics }: Deps, smtp: SmtpSettings, mail: EndpointMail): Promise<void> {
  const { accountId, endpoints, dueAt, tries } = mail
  const about = { account: accountId, endpoint_ids: endpoints.map(({ id }) => id) }
  try {
    await sendMail(smtp, mailOf(mail, config.publicUrl))
  } catch (error) {
    const againInMs = AGAIN_MS[Math.min(tries, AGAIN_MS.length) - 1]!
    await store.endpoints.endEndpointMail({ accountId, endpoints, dueAt, againInMs })
    metrics.mails.inc({ outcome: 'failed' })
    log.warn({ ...about, reason: smtpFailure(error), tries }, 'endpoint.mail_failed')
    return
  }
  await store.endpoints.endEndpointMail({ accountId, endpoints, dueAt, againInMs: null })
  metrics.mails.inc({ outcome: 'sent' })
  log.info(about, 'endpoint.mailed')
}

/** The mail has ids only: a customer chooses the URL and the description, and a mail program would make a link of a host. */
function mailOf({ endpoints, to }: EndpointMail, publicUrl: string | null): Mail {
  const off = endpoints.filter(({ event }) => event === 'switched_off')
  const failing = endpoints.filter(({ event }) => event === 'failing')
  const lines = [
    ...(failing.length === 0
      ? []
      : [
          `Every delivery to these endpoints has failed for more than ${HOURS === 1 ? 'an hour' : `${HOURS} hours`}:`,
          ...failing.map(toLine),
          `Postern keeps trying and loses no event. If an endpoint fails for ${DAYS} days, it is switched off.`,
          '',
        ]),
    ...(off.length === 0
      ? []
      : [
          `Postern has switched off these endpoints, because every delivery to them has failed for ${DAYS} days:`,
          ...off.map(toLine),
          'Their waiting deliveries are dead letters now. Repair each endpoint, switch it on, and replay them.',
          '',
        ]),
    ...(publicUrl === null ? [] : [`${publicUrl}/endpoints`]),
  ]
  const newest = endpoints[0]!
  const id = `${newest.id}.${newest.event}.${newest.since}`
  return { id, to, subject: subjectOf(endpoints), text: `${lines.join('\n').trimEnd()}\n` }
}

const toLine = ({ id, failingSince }: MailedEndpoint): string =>
  `- ${id}, first failure at ${new Date(failingSince).toISOString()}`

function subjectOf(endpoints: MailedEndpoint[]): string {
  const [{ id, event }] = endpoints as [MailedEndpoint]
  if (endpoints.length > 1) return `${endpoints.length} of your endpoints fail or are switched off`
  return event === 'switched_off' ? `Postern switched off the endpoint ${id}` : `The endpoint ${id} is failing`
}
