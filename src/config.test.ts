import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
const read = (env: Record<string, string> = {}) => readConfig({ POSTERN_DATA_DIR: folder, ...env })
const key = Buffer.alloc(32, 3).toString('base64')
const production = {
  POSTERN_MODE: 'production',
  POSTERN_SECRET_KEY: key,
  POSTERN_PUBLIC_URL: 'https://gateway.example.com/path',
}

describe('readConfig', () => {
  it('has the documented defaults', () => {
    expect(read()).toMatchObject({
      mode: 'development',
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      dataDir: folder,
      databaseUrl: null,
      roles: ['api', 'worker', 'dispatcher', 'simulator'],
      operatorToken: null,
      tosVersion: '2026-01',
      retryDelaysMs: [30_000, 300_000, 1_800_000],
      deliveryTimeoutMs: 10_000,
      allowedTargets: ['127.0.0.0/8', '::1/128'],
      sandbox: true,
      disconnectGraceMs: 15_000,
      leaseTtlMs: 10_000,
      ackTimeoutMs: 20_000,
      checksPerDay: 500,
      sendRetryDelaysMs: [1_000, 2_000, 4_000, 8_000],
      signup: 'open',
    })
  })

  it('leases of a database that other processes use end sooner', () => {
    expect(read({ POSTERN_DATABASE_URL: 'postgres://postern@localhost/postern' }).leaseTtlMs).toBe(10_000)
  })

  it('production is guarded: no sandbox, no private targets, closed sign-up', () => {
    expect(read(production)).toMatchObject({
      publicUrl: 'https://gateway.example.com',
      sandbox: false,
      allowedTargets: [],
      signup: 'closed',
      roles: ['api', 'worker', 'dispatcher'],
    })
    expect(read({ ...production, POSTERN_SANDBOX: 'on' }).roles).toContain('simulator')
  })

  it('finds ffmpeg on the search path unless the setting names another or none', () => {
    const folderOf = (name: string) => {
      const bin = join(folder, name)
      mkdirSync(bin)
      writeFileSync(join(bin, 'ffmpeg'), '', { mode: 0o755 })
      return bin
    }
    const [first, second] = [folderOf('first'), folderOf('second')]
    const PATH = `${join(folder, 'none')}:${first}:${second}`
    expect(read({}).ffmpeg).toBeNull()
    expect(read({ PATH }).ffmpeg).toBe(join(first, 'ffmpeg'))
    expect(read({ PATH, POSTERN_FFMPEG: join(second, 'ffmpeg') }).ffmpeg).toBe(join(second, 'ffmpeg'))
    expect(read({ PATH, POSTERN_FFMPEG: 'off' }).ffmpeg).toBeNull()
    for (const POSTERN_FFMPEG of ['ffmpeg', join(folder, 'none')])
      expect(() => read({ PATH, POSTERN_FFMPEG })).toThrow(/^POSTERN_FFMPEG is ".*". Set it to the absolute path/)
  })

  it('needs all settings of a bucket, or none, and shows no key', () => {
    const s3 = {
      POSTERN_MEDIA_S3_ENDPOINT: 'https://s3.example.com/',
      POSTERN_MEDIA_S3_BUCKET: 'media',
      POSTERN_MEDIA_S3_ACCESS_KEY_ID: 'id',
      POSTERN_MEDIA_S3_SECRET_ACCESS_KEY: 'very-secret',
    }
    expect(read().mediaS3).toBeNull()
    const expected = { bucket: 'media', region: 'auto', accessKeyId: 'id', secretAccessKey: 'very-secret' }
    expect(read(s3).mediaS3).toEqual({ endpoint: 'https://s3.example.com', ...expected })
    for (const name of Object.keys(s3)) {
      const wrong = () => read({ ...s3, [name]: '' })
      expect(wrong).toThrow(`${name} must be set too`)
      expect(wrong).not.toThrow(/very-secret/)
    }
    for (const endpoint of ['s3.example.com', 'ftp://s3.example.com', 'https://key@s3.example.com'])
      expect(() => read({ ...s3, POSTERN_MEDIA_S3_ENDPOINT: endpoint })).toThrow(/^POSTERN_MEDIA_S3_ENDPOINT must be/)
    expect(() => read({ ...s3, POSTERN_MEDIA_S3_BUCKET: 'a/b' })).toThrow(/^POSTERN_MEDIA_S3_BUCKET is "a\/b"/)
  })

  it.each(['0.0.0.0', '::', '192.168.1.5', 'gateway.internal'])(
    'development on %s, which others may reach, closes the sign-up and its own machine as a target unless they are set',
    host => {
      const onNetwork = { POSTERN_HOST: host }
      expect(read(onNetwork)).toMatchObject({ mode: 'development', signup: 'closed', allowedTargets: [] })
      const opened = { POSTERN_SIGNUP: 'open', POSTERN_ALLOWED_TARGETS: '127.0.0.0/8' }
      expect(read({ ...onNetwork, ...opened })).toMatchObject({ signup: 'open', allowedTargets: ['127.0.0.0/8'] })
    },
  )

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])('development on %s stays open', host => {
    expect(read({ POSTERN_HOST: host })).toMatchObject({ signup: 'open', allowedTargets: ['127.0.0.0/8', '::1/128'] })
  })

  it('a key is made at the first start of development, for its owner alone, and stays', () => {
    const path = join(folder, 'secret.key')
    const first = read().secretKeys[0]!
    expect(first).toHaveLength(32)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8').trim()).toBe(first.toString('base64'))
    expect(read().secretKeys[0]).toEqual(first)
  })

  it('a list of keys allows rotation', () => {
    const other = Buffer.alloc(32, 4).toString('base64')
    expect(read({ POSTERN_SECRET_KEY: `${other}, ${key}` }).secretKeys.map(each => each.toString('base64'))).toEqual([
      other,
      key,
    ])
    expect(() => read({ POSTERN_SECRET_KEY: `${other},` })).toThrow(ConfigError)
  })

  it('an empty variable counts as not set', () => {
    const names = [
      'MODE',
      'HOST',
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'ROLES',
      'OPERATOR_TOKEN',
      'METRICS_TOKEN',
      'TOS_VERSION',
      'RETRY_DELAYS',
      'LEASE_TTL',
      'SIGNUP',
      'SANDBOX',
    ]
    expect(read(Object.fromEntries(names.map(name => [`POSTERN_${name}`, ''])))).toEqual(read())
  })

  it.each([
    [undefined, undefined],
    ['none', null],
    ['postgres://direct/x', 'postgres://direct/x'],
  ])('a way past a pooler: %s', (given, databaseDirectUrl) => {
    const direct: Record<string, string> = given === undefined ? {} : { POSTERN_DATABASE_DIRECT_URL: given }
    const found = read({ POSTERN_DATABASE_URL: 'postgres://pooler/x', ...direct })
    expect(found).toMatchObject({ databaseUrl: 'postgres://pooler/x', databaseDirectUrl })
  })

  it('no message repeats a secret', () => {
    const wrong: Array<Record<string, string>> = [
      { POSTERN_SECRET_KEY: 'hunter2' },
      { POSTERN_OPERATOR_TOKEN: 'hunter2' },
      { POSTERN_METRICS_TOKEN: 'hunter2' },
      { POSTERN_OPERATOR_TOKEN: `hunter2${key}`, POSTERN_METRICS_TOKEN: `hunter2${key}` },
      { POSTERN_DATABASE_URL: 'mysql://u:hunter2@x' },
      { POSTERN_DATABASE_URL: 'postgres://x', POSTERN_DATABASE_DIRECT_URL: 'mysql://u:hunter2@x' },
      { POSTERN_DATABASE_DIRECT_URL: 'postgres://u:hunter2@x' },
    ]
    for (const env of wrong) {
      expect(() => read(env)).toThrow(ConfigError)
      expect(() => read(env)).not.toThrow(/hunter2/)
    }
  })

  it('refuses a misspelt variable and leaves the folder alone', () => {
    const other = join(folder, 'other')
    expect(() => readConfig({ POSTERN_DATADIR: 'x', POSTERN_DATA_DIR: other })).toThrow(
      'POSTERN_DATADIR is not a setting',
    )
    expect(existsSync(other)).toBe(false)
  })
})
