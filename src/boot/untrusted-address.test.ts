import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ConfigError } from './config-error.ts'
import { tracingSettings } from '../observability/tracing/settings.ts'
import { withDotEnv } from './dot-env.ts'
import { findTarget, openClient } from '../cli/gateway-client.ts'
import { start } from '../cli/start.ts'
import { doctor } from '../cli/doctor.ts'
import { mcp } from '../cli/mcp.ts'
import { findGateway } from '../cli/operator-client.ts'
import { readConfig } from '../config.ts'
import { rejectUntrustedCollector, Secret } from './untrusted-address.ts'

const ELSEWHERE = 'https://elsewhere.example'
const KEY = { POSTERN_API_KEY: 'ptn_of_the_environment' }

describe('a key of the environment', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-untrusted-'))
    writeFileSync(join(folder, 'key'), 'ptn_of_a_file')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const inFolder = (text: string): string => text.replace('FOLDER', folder)
  const open = (lines: string, env: NodeJS.ProcessEnv, options = {}) => {
    writeFileSync(join(folder, '.env'), `POSTERN_DATA_DIR=${join(folder, 'none')}\n${lines}`)
    return openClient(options, withDotEnv(env, folder))
  }

  it.each([
    ['to an address of .env', `POSTERN_PUBLIC_URL=${ELSEWHERE}`, KEY],
    ['to a gateway that .env names', `POSTERN_URL=${ELSEWHERE}`, KEY],
    ['to a host of .env', 'POSTERN_HOST=192.0.2.7', KEY],
    ['out of a file that .env names', `POSTERN_PUBLIC_URL=${ELSEWHERE}\nPOSTERN_API_KEY_FILE=FOLDER/key`, {}],
    [
      'out of a file that .env names beside an empty key',
      `POSTERN_URL=${ELSEWHERE}\nPOSTERN_API_KEY=\nPOSTERN_API_KEY_FILE=FOLDER/key`,
      {},
    ],
    [
      'out of a file of the environment, if .env has an empty key',
      `POSTERN_URL=${ELSEWHERE}\nPOSTERN_API_KEY=`,
      { POSTERN_API_KEY_FILE: 'FOLDER/key' },
    ],
  ])('is not sent %s', async (_name, lines, env) => {
    const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inFolder(value)]))
    await expect(open(inFolder(lines), named)).rejects.toThrow(
      /of this folder is http.*, but POSTERN_API_KEY is not in its \.env\. .* Give --url/,
    )
  })

  it('is not sent to an address of .env if it was typed, nor is the key of a caller', async () => {
    const refused = `POSTERN_URL of this folder is ${ELSEWHERE}, but --key is not in its .env.`
    await expect(open(`POSTERN_URL=${ELSEWHERE}`, {}, { key: 'ptn_x' })).rejects.toThrow(refused)
    await expect(mcp({ http: true, port: '0' }, withDotEnv({}, folder))).rejects.toThrow(refused)
  })

  it.each([undefined, '', 'data', './data'])('is not sent to an address of the data folder %j', dataDir => {
    const env = dataDir === undefined ? {} : { POSTERN_DATA_DIR: dataDir }
    const key = Secret.of({ ...KEY, ...env }, 'POSTERN_API_KEY')!
    expect(() => key.for({ url: ELSEWHERE, from: 'POSTERN_DATA_DIR' })).toThrow('POSTERN_DATA_DIR of this folder is')
    expect(key.for({ url: 'http://127.0.0.1:1', from: 'POSTERN_DATA_DIR' })).toBe(KEY.POSTERN_API_KEY)
  })

  it.each([
    ['a key that .env has too', `POSTERN_PUBLIC_URL=${ELSEWHERE}\nPOSTERN_API_KEY=ptn_x`, {}, {}],
    ['a gateway and a key of .env', `POSTERN_URL=${ELSEWHERE}\nPOSTERN_API_KEY=ptn_x`, {}, {}],
    [
      'a gateway of the environment, whatever .env says',
      `POSTERN_URL=https://other.example\nPOSTERN_PUBLIC_URL=https://other.example`,
      { ...KEY, POSTERN_URL: `${ELSEWHERE}/` },
      {},
    ],
    ['--url, whatever the variable says', '', { ...KEY, POSTERN_URL: 'https://other.example' }, { url: ELSEWHERE }],
    ['an address of the environment', 'POSTERN_HOST=192.0.2.7', { ...KEY, POSTERN_PUBLIC_URL: ELSEWHERE }, {}],
    ['--url', 'POSTERN_PUBLIC_URL=https://other.example', KEY, { url: ELSEWHERE }],
    ['--url and --key', 'POSTERN_PUBLIC_URL=https://other.example', {}, { url: ELSEWHERE, key: 'ptn_x' }],
  ])('is sent to another machine with %s', async (_name, lines, env, options) => {
    expect((await open(lines, env, options)).url).toBe(ELSEWHERE)
  })

  it('is sent to the gateway of an absolute data folder of the environment', () => {
    const key = Secret.of({ ...KEY, POSTERN_DATA_DIR: '/var/lib/postern' }, 'POSTERN_API_KEY')!
    expect(key.for({ url: ELSEWHERE, from: 'POSTERN_DATA_DIR' })).toBe(KEY.POSTERN_API_KEY)
  })

  it('is sent to this machine with any port in .env', async () => {
    expect((await open('POSTERN_PORT=8181', KEY)).url).toBe('http://127.0.0.1:8181')
  })

  it('is not sent to another machine that a data folder of the working folder names', async () => {
    const server = createServer((_request, response) => response.end('{}')).listen(0, '0.0.0.0')
    await new Promise(resolve => server.once('listening', resolve))
    const url = `http://0.0.0.0:${(server.address() as AddressInfo).port}`
    mkdirSync(join(folder, 'data', 'running'), { recursive: true })
    const access = { url, token: 'ptl_x', host: hostname(), pid: process.pid }
    writeFileSync(join(folder, 'data', 'running', 'n.json'), JSON.stringify(access))
    const opening = open(`POSTERN_DATA_DIR=${join(folder, 'data')}`, KEY)
    await expect(opening).rejects.toThrow(`POSTERN_DATA_DIR of this folder is ${url}`)
    await new Promise(resolve => server.close(resolve))
  })
})

describe('an operator token of the environment', () => {
  let folder = ''
  let port = 0
  const authorized: string[] = []
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) authorized.push(request.url!)
    response.end('{"checks":{"database":true}}')
  })
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postern-operator-'))
    server.listen(0, '0.0.0.0')
    await new Promise(resolve => server.once('listening', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await new Promise(resolve => server.close(resolve))
  })
  const TOKEN = 'token-of-the-environment'
  const settings = (lines: string, env: NodeJS.ProcessEnv) => {
    writeFileSync(join(folder, '.env'), lines)
    writeFileSync(join(folder, 'token'), TOKEN)
    return withDotEnv({ POSTERN_DATA_DIR: join(folder, 'data'), ...env }, folder)
  }

  it('is not sent to an address of .env, nor out of a file, nor by `doctor`', async () => {
    // `0` is no loopback address by its name, and leads to this machine.
    const inFile = { POSTERN_OPERATOR_TOKEN_FILE: join(folder, 'token') }
    for (const [lines, given] of [
      [`POSTERN_URL=http://0:${port}`, { POSTERN_OPERATOR_TOKEN: TOKEN }],
      [`POSTERN_URL=http://0:${port}\nPOSTERN_OPERATOR_TOKEN=`, inFile],
      [`POSTERN_HOST=0\nPOSTERN_PORT=${port}\nPOSTERN_OPERATOR_TOKEN=`, inFile],
    ] as const) {
      const env = settings(lines, given)
      await expect(findGateway(readConfig(env), undefined, env)).rejects.toThrow(
        /of this folder is http:\/\/0\.0\.0\.0:\d+, but POSTERN_OPERATOR_TOKEN is not in its \.env/,
      )
    }
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    await doctor({ json: true }, settings(`POSTERN_HOST=0\nPOSTERN_PORT=${port}`, { POSTERN_OPERATOR_TOKEN: TOKEN }))
    expect(printed.mock.calls.join()).toContain('POSTERN_HOST of this folder is')
    printed.mockRestore()
    process.exitCode = undefined
    expect(authorized).toEqual([])
  })
})

describe('a gateway that runs with the data folder', () => {
  let folder = ''
  let url = ''
  const server = createServer((_request, response) => response.end('{}'))
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postern-beside-'))
    server.listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    mkdirSync(join(folder, 'running'))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await new Promise(resolve => server.close(resolve))
  })
  const leave = (more: object) =>
    writeFileSync(
      join(folder, 'running', 'n.json'),
      JSON.stringify({ url, token: 'ptl_x', host: hostname(), pid: process.pid, ...more }),
    )
  const target = (env: NodeJS.ProcessEnv, options = {}) => findTarget(options, { POSTERN_DATA_DIR: folder, ...env })

  it('is used if neither an option nor a variable names another, and an option takes precedence over a variable', async () => {
    leave({})
    const other = 'http://127.0.0.1:9'
    expect(await target({})).toMatchObject({ url, token: 'ptl_x', hasKey: false })
    expect(await target(KEY)).toEqual({ url, token: KEY.POSTERN_API_KEY, hasKey: true })
    expect(await target({ ...KEY, POSTERN_URL: other })).toMatchObject({ url: other, token: KEY.POSTERN_API_KEY })
    expect(await target({ ...KEY, POSTERN_URL: other }, { url, key: 'ptn_y' })).toMatchObject({ url, token: 'ptn_y' })
    expect(await target({ ...KEY, POSTERN_URL: url }, { account: 'acc_1' })).toMatchObject({ url, token: 'ptl_x' })
    await expect(target({ POSTERN_URL: other })).rejects.toThrow('--key is missing')
    await expect(target({ ...KEY, POSTERN_URL: other }, { account: 'acc_1' })).rejects.toThrow(
      '--account needs the gateway of this data folder',
    )
    await expect(target({ POSTERN_URL: '127.0.0.1:8080' })).rejects.toThrow('POSTERN_URL is not an address such as')
  })

  it('is recognised by its public address and by localhost if it listens on this machine', async () => {
    leave({ publicUrl: 'https://gateway.example' })
    for (const POSTERN_URL of ['https://gateway.example/', url.replace('127.0.0.1', 'localhost')])
      expect(await target({ POSTERN_URL })).toMatchObject({ url, token: 'ptl_x' })
    leave({ url: 'http://192.0.2.1:8080', publicUrl: 'https://gateway.example' })
    await expect(target({ POSTERN_URL: 'https://gateway.example' })).rejects.toThrow('--key is missing')
  })
})

describe('headers of the environment for a collector', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-collector-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const OTLP = 'OTEL_EXPORTER_OTLP'
  const HEADERS = { [`${OTLP}_HEADERS`]: 'authorization=sesame' }
  const settings = (lines: string, env: NodeJS.ProcessEnv) => {
    writeFileSync(join(folder, '.env'), lines)
    // If it is not refused, nothing comes up either.
    const nowhere = { POSTERN_DATABASE_URL: 'postgres://127.0.0.1:1/none', POSTERN_DATABASE_WAIT: '0' }
    return withDotEnv({ ...env, ...nowhere, POSTERN_DATA_DIR: folder }, folder)
  }

  it.each([
    ['the address of .env', `${OTLP}_ENDPOINT=${ELSEWHERE}`, HEADERS],
    [
      'its address for traces',
      `${OTLP}_TRACES_ENDPOINT=${ELSEWHERE}/x`,
      { ...HEADERS, [`${OTLP}_ENDPOINT`]: ELSEWHERE },
    ],
    ['it, those for traces too', `${OTLP}_ENDPOINT=${ELSEWHERE}`, { [`${OTLP}_TRACES_HEADERS`]: 'a=sesame' }],
  ])('are not sent to %s, and the gateway does not start', async (_name, lines, env) => {
    const refused = await start({}, settings(lines, env)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ConfigError)
    expect((refused as Error).message).toMatch(
      /ENDPOINT of this folder is https:\/\/elsewhere\.example, but \S+_HEADERS is not in its \.env\. .* Set both in one place\.$/,
    )
  })

  it.each([
    ['headers that .env has too', `${OTLP}_ENDPOINT=${ELSEWHERE}\n${OTLP}_HEADERS=a=b`, {}],
    ['no headers', `${OTLP}_ENDPOINT=${ELSEWHERE}`, {}],
    ['a collector on this machine', `${OTLP}_ENDPOINT=http://127.0.0.1:4318`, HEADERS],
    ['an address of the environment', '', { ...HEADERS, [`${OTLP}_ENDPOINT`]: ELSEWHERE }],
  ])('are accepted with %s', (_name, lines, env) => {
    const read = settings(lines, env)
    const collector = tracingSettings(read)
    expect(collector).not.toBeNull()
    expect(() => rejectUntrustedCollector(read, collector)).not.toThrow()
  })
})
