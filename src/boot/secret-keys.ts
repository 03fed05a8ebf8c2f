import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ConfigError } from './config-error.ts'

const KEY_BYTES = 32

/** The encryption keys, the newest first. */
export function secretKeys(listed: string | undefined, production: boolean, dataDir: string): Buffer[] {
  if (listed) return parseKeys(listed, 'POSTERN_SECRET_KEY')
  if (production) {
    throw new ConfigError(
      'POSTERN_SECRET_KEY is not set. In production set it to 32 random bytes in base64: `openssl rand -base64 32`.',
    )
  }
  return parseKeys(generatedKey(dataDir), join(dataDir, 'secret.key'))
}

/** In development the first start creates the key, beside the data that it encrypts. */
function generatedKey(dataDir: string): string {
  const path = join(dataDir, 'secret.key')
  try {
    if (existsSync(path)) return readFileSync(path, 'utf8').trim()
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const key = randomBytes(KEY_BYTES).toString('base64')
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
    return key
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && existsSync(path)) return readFileSync(path, 'utf8').trim()
    throw new ConfigError(
      `POSTERN_DATA_DIR: ${dataDir} cannot be written (${code}). Choose another folder or change its owner.`,
    )
  }
}

function parseKeys(list: string, where: string): Buffer[] {
  return list.split(',').map(text => {
    const key = Buffer.from(text.trim(), 'base64')
    if (key.length !== KEY_BYTES) {
      throw new ConfigError(
        `${where} must be 32 bytes in base64 (it has ${key.length}). Create one with \`openssl rand -base64 32\`; for rotation write new,old.`,
      )
    }
    return key
  })
}
