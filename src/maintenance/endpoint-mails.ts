import type { Context } from '../context.ts'
import { NOTICE_AFTER_MS, SWITCH_OFF_AFTER_MS } from '../domain/endpoint.ts'
import { type Mail, sendMail, type SmtpSettings, smtpFailure } from '../net/smtp.ts'
import { RepeatingTask } from '../runtime/repeating-task.ts'
import type { EndpointMail } from '../store/endpoints/endpoint-mails.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 5_000
/** Waits after failures; the last one repeats until the mail is a day old. */
const AGAIN_MS = [60_000, 300_000, 900_000, 3_600_000]
const HOURS = NOTICE_AFTER_MS / 3_600_000
const DAYS = SWITCH_OFF_AFTER_MS / 86_400_000

type Deps = Pick<Context, 'config' | 'clock' | 'log' | 'metrics'> & { store: Pick<Store, 'endpoints'> }

/**
 * Mails the user of an account when an endpoint has been failing for an hour, and when it is switched off. Every process
 * runs this. One of them claims a due mail in the row of the endpoint, and sends it.
 */
export async function mailAboutEndpoints(deps: Deps, signal: AbortSignal): Promise<void> {
  const { smtp } = deps.config
  if (smtp === null) return
  await new RepeatingTask(deps, 'endpoint.mail', async () => {
    const mail = await deps.store.endpoints.takeEndpointMail()
    if (mail === undefined) return EVERY_MS
    if (mail !== null) await send(deps, smtp, mail)
    return 0
  }).run(signal)
}

async function send({ config, store, log, metrics }: Deps, smtp: SmtpSettings, mail: EndpointMail): Promise<void> {
  const about = { endpoint_id: mail.id, account: mail.accountId, event: mail.event }
  const { id, dueAt, tries } = mail
  try {
    await sendMail(smtp, mailOf(mail, config.publicUrl))
  } catch (error) {
    const againInMs = AGAIN_MS[Math.min(tries, AGAIN_MS.length) - 1]!
    await store.endpoints.endEndpointMail({ id, dueAt, againInMs })
    metrics.mails.inc({ outcome: 'failed' })
    log.warn({ ...about, reason: smtpFailure(error), tries }, 'endpoint.mail_failed')
    return
  }
  await store.endpoints.endEndpointMail({ id, dueAt, againInMs: null })
  metrics.mails.inc({ outcome: 'sent' })
  log.info(about, 'endpoint.mailed')
}

/** Paths and parameters of a URL may be secret, so the mail has only its host. */
function mailOf({ id, url, event, failingSince, since, to }: EndpointMail, publicUrl: string | null): Mail {
  const host = URL.canParse(url) ? new URL(url).host : ''
  const isOff = event === 'switched_off'
  const lines = [
    isOff
      ? `Postern has switched off the endpoint ${id} at ${host}, because every delivery to it has failed for ${DAYS} days.`
      : `Every delivery to the endpoint ${id} at ${host} has failed for more than ${HOURS === 1 ? 'an hour' : `${HOURS} hours`}.`,
    `The first failure was at ${new Date(failingSince).toISOString()}.`,
    '',
    isOff
      ? 'Its waiting deliveries are dead letters now. Repair the endpoint, switch it on, and replay them.'
      : `Postern keeps trying and loses no event. If the endpoint fails for ${DAYS} days, it is switched off.`,
    ...(publicUrl === null ? [] : ['', `${publicUrl}/endpoints`]),
  ]
  const subject = isOff ? `Postern switched off the endpoint ${id}` : `The endpoint ${id} is failing`
  return { id: `${id}.${event}.${since}`, to, subject, text: `${lines.join('\n')}\n` }
}
