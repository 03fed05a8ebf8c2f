import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { secretOf } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const TOKEN = 'operator-token-of-this-test'

function fileWith(text: string): string {
  const path = join(folder, 'secret')
  writeFileSync(path, text)
  return path
}

const read = (env: Record<string, string>) => readConfig({ POSTERN_DATA_DIR: folder, ...env })

describe('a secret in a file', () => {
  it.each([TOKEN, `${TOKEN}\n`, `${TOKEN}\r\n`])('is what the file holds, without the line break at its end', text => {
    expect(read({ POSTERN_OPERATOR_TOKEN_FILE: fileWith(text) }).operatorToken).toBe(TOKEN)
  })

  it('may be any secret of the gateway, and the key of commands', () => {
    const key = Buffer.alloc(32, 3)
    expect(read({ POSTERN_SECRET_KEY_FILE: fileWith(key.toString('base64')) }).secretKeys).toEqual([key])
    const address = 'postgres://postern:password@127.0.0.1:5432/postern'
    const both = { POSTERN_DATABASE_URL_FILE: fileWith(address), POSTERN_DATABASE_DIRECT_URL_FILE: fileWith(address) }
    expect(read(both)).toMatchObject({ databaseUrl: address, databaseDirectUrl: address })
    expect(read({ POSTERN_METRICS_TOKEN_FILE: fileWith(TOKEN) }).metricsToken).toBe(TOKEN)
    expect(secretOf({ POSTERN_API_KEY_FILE: fileWith('ptn_1\n') }, 'POSTERN_API_KEY')).toBe('ptn_1')
  })

  it('is not set twice; an empty variable counts as unset', () => {
    const path = fileWith(TOKEN)
    expect(() => read({ POSTERN_OPERATOR_TOKEN: TOKEN, POSTERN_OPERATOR_TOKEN_FILE: path })).toThrow(
      'POSTERN_OPERATOR_TOKEN and POSTERN_OPERATOR_TOKEN_FILE are both set. Keep one of them.',
    )
    expect(read({ POSTERN_OPERATOR_TOKEN: '', POSTERN_OPERATOR_TOKEN_FILE: path }).operatorToken).toBe(TOKEN)
    expect(read({ POSTERN_OPERATOR_TOKEN: TOKEN, POSTERN_OPERATOR_TOKEN_FILE: '' }).operatorToken).toBe(TOKEN)
  })

  it.each([
    [
      'missing',
      () => join(folder, 'nowhere'),
      /^POSTERN_SECRET_KEY_FILE: .*nowhere does not exist\. Put the secret there/,
    ],
    ['empty', () => fileWith('\n'), /^POSTERN_SECRET_KEY_FILE: .*secret is empty\. Write the secret into it/],
    ['no file', () => folder, /^POSTERN_SECRET_KEY_FILE: .* cannot be read \(EISDIR\)\. Name a file/],
  ])('that is %s is named with its cure', (_what, path, message) => {
    expect(() => read({ POSTERN_SECRET_KEY_FILE: path() })).toThrow(message)
  })

  it('that is wrong is never quoted', () => {
    const said = () => read({ POSTERN_SECRET_KEY_FILE: fileWith('hunter2') })
    expect(said).toThrow(/^POSTERN_SECRET_KEY must be 32 bytes/)
    expect(said).not.toThrow(/hunter2/)
  })

  it('exists for secrets alone', () => {
    expect(() => read({ POSTERN_PORT_FILE: fileWith('80') })).toThrow('POSTERN_PORT_FILE is not a setting of Postern.')
  })
})
