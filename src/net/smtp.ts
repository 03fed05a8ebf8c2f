import type { Transporter } from 'nodemailer'

/** The mail server of the operator. */
export interface SmtpSettings {
  host: string
  port: number
  /** TLS from the start; otherwise STARTTLS, where the server has it. */
  isTls: boolean
  /** Without TLS from the start: whether STARTTLS is a must. */
  requiresTls: boolean
  user: string | null
  password: string | null
  /** The sender of every mail. */
  from: string
}

export interface Mail {
  /** The same each time that the mail is sent, so that a mail program shows it once. */
  id: string
  to: string[]
  subject: string
  text: string
}

const CONNECT_MS = 10_000
const ANSWER_MS = 30_000
/** Shorter than the claim of a mail, after which another process sends it. */
const SEND_MS = 120_000

/** Loaded when it is used: most gateways send no mails. */
async function connect({ host, port, isTls, requiresTls, user, password }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: isTls,
    requireTLS: requiresTls,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Resolves when the server has taken the mail for at least one address; rejects if that takes too long. */
export async function sendMail(
  settings: SmtpSettings,
  { id, to, subject, text }: Mail,
  withinMs = SEND_MS,
): Promise<void> {
  const transport = await connect(settings)
  const domain = settings.from.replace(/^.*@/s, '').replace(/>.*$/s, '')
  try {
    await transport.sendMail({
      from: settings.from,
      to,
      subject,
      text,
      messageId: `<${id}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(withinMs),
    })
  } finally {
    transport.close()
  }
}

/** Connects and signs in, and sends nothing. */
export async function probeSmtp(settings: SmtpSettings): Promise<void> {
  const transport = await connect(settings)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** What a failure says without the texts of the server, which may repeat an address: `EAUTH 535`. */
export function smtpFailure(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  return [code, responseCode].filter(each => typeof each === 'string' || typeof each === 'number').join(' ') || 'failed'
}
