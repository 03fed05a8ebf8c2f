import { ConfigError } from './config-error.ts'
import { SECRETS } from './secret-files.ts'

const NAMES = [
  'MODE',
  'HOST',
  'PORT',
  'METRICS_HOST',
  'METRICS_PORT',
  'METRICS_TOKEN',
  'PUBLIC_URL',
  'DATA_DIR',
  'MEDIA_DIR',
  'MEDIA_S3_ENDPOINT',
  'MEDIA_S3_BUCKET',
  'MEDIA_S3_REGION',
  'MEDIA_S3_ACCESS_KEY_ID',
  'MEDIA_S3_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'SMTP_FROM',
  'FFMPEG',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_WAIT',
  'LISTEN',
  'ROLES',
  'SECRET_KEY',
  'OPERATOR_TOKEN',
  'TOS_VERSION',
  'RETRY_DELAYS',
  'DELIVERY_TIMEOUT',
  'ALLOWED_TARGETS',
  'SANDBOX',
  'SANDBOX_HOST',
  'WHATSAPP_VERSION',
  'PASSKEY',
  'DISCONNECT_GRACE',
  'LEASE_TTL',
  'DATABASE_OUTAGE',
  'MAX_SESSIONS',
  'HOST_THREADS',
  'ACK_TIMEOUT',
  'CHECKS_PER_DAY',
  'SEND_RETRY_DELAYS',
  'SIGNUP',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'RECORD',
  // Not settings of the gateway: commands and samples read them.
  'URL',
  'API_KEY',
  'PASSPHRASE',
  'SESSION',
]

const KNOWN = new Set([...NAMES.map(name => `POSTERN_${name}`), ...SECRETS.map(name => `${name}_FILE`)])

/** A misspelt variable would otherwise be ignored silently. */
export function rejectUnknown(env: Record<string, string | undefined>): void {
  const unknown = Object.keys(env).find(name => name.startsWith('POSTERN_') && !KNOWN.has(name))
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not a setting of Postern. Remove it, or see .env.example for the names.`)
  }
}
