import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import { getOwn } from '../runtime/get-own.ts'

/** The settings whose value may be in a file that `<NAME>_FILE` names. */
export const SECRETS = [
  'POSTERN_SECRET_KEY',
  'POSTERN_OPERATOR_TOKEN',
  'POSTERN_METRICS_TOKEN',
  'POSTERN_DATABASE_URL',
  'POSTERN_DATABASE_DIRECT_URL',
  'POSTERN_MEDIA_S3_ACCESS_KEY_ID',
  'POSTERN_MEDIA_S3_SECRET_ACCESS_KEY',
  'POSTERN_SMTP_URL',
  'POSTERN_API_KEY',
  'POSTERN_PASSPHRASE',
] as const

type Env = Record<string, string | undefined>

/** The same settings, with the contents of the secret files of the gateway. */
export function withSecretFiles(env: Env): Env {
  const found = SECRETS.filter(name => name !== 'POSTERN_API_KEY' && name !== 'POSTERN_PASSPHRASE').map(name => [
    name,
    secretOf(env, name),
  ])
  return { ...env, ...Object.fromEntries(found) }
}

/** The value of a secret, from the variable or from its file. Error messages never contain it. */
export function secretOf(env: Env, name: (typeof SECRETS)[number] | 'CHATWOOT_TOKEN'): string | undefined {
  const path = getOwn(env, `${name}_FILE`)
  if (!path) return getOwn(env, name)
  if (getOwn(env, name)) throw new ConfigError(`${name} and ${name}_FILE are both set. Keep one of them.`)
  const value = readSecret(`${name}_FILE`, path).replace(/[\r\n]+$/, '')
  if (value === '') throw new ConfigError(`${name}_FILE: ${path} is empty. Write the secret into it, or unset this.`)
  return value
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') {
      throw new ConfigError(
        `${name}: ${path} does not exist. Put the secret there, or set the path of the file that has it.`,
      )
    }
    throw new ConfigError(
      `${name}: ${path} cannot be read (${code}). Name a file that the user who runs Postern may read.`,
    )
  }
}
