import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDotEnv } from './dot-env.ts'
import { openClient } from './gateway-client.ts'

const ELSEWHERE = 'https://elsewhere.example'
const KEY = { POSTERN_API_KEY: 'ptn_of_the_environment' }

describe('a key of the environment', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-strange-'))
    writeFileSync(join(folder, 'key'), 'ptn_of_a_file')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const open = (lines: string, env: NodeJS.ProcessEnv, options = {}) => {
    writeFileSync(join(folder, '.env'), `POSTERN_DATA_DIR=${join(folder, 'none')}\n${lines}`)
    return openClient(options, withDotEnv(env, folder))
  }

  it.each([
    ['to an address of .env', `POSTERN_PUBLIC_URL=${ELSEWHERE}`, KEY],
    ['to a host of .env', 'POSTERN_HOST=192.0.2.7', KEY],
    ['out of a file that .env names', `POSTERN_PUBLIC_URL=${ELSEWHERE}\nPOSTERN_API_KEY_FILE=FOLDER/key`, {}],
  ])('is not sent %s', async (_name, lines, env) => {
    await expect(open(lines.replace('FOLDER', folder), env)).rejects.toThrow(
      /of this folder says http.*, and POSTERN_API_KEY is not in its \.env: .* Give --url/,
    )
  })

  it.each([
    ['a key that .env has too', `POSTERN_PUBLIC_URL=${ELSEWHERE}\nPOSTERN_API_KEY=ptn_x`, {}, {}],
    ['an address of the environment', 'POSTERN_HOST=192.0.2.7', { ...KEY, POSTERN_PUBLIC_URL: ELSEWHERE }, {}],
    ['--url', 'POSTERN_PUBLIC_URL=https://other.example', KEY, { url: ELSEWHERE }],
    ['--key', `POSTERN_PUBLIC_URL=${ELSEWHERE}`, {}, { key: 'ptn_x' }],
  ])('goes elsewhere with %s', async (_name, lines, env, options) => {
    expect((await open(lines, env, options)).url).toBe(ELSEWHERE)
  })

  it('goes to this machine, whatever .env says of its port', async () => {
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
    await expect(opening).rejects.toThrow(`POSTERN_DATA_DIR of this folder says ${url}`)
    await new Promise(resolve => server.close(resolve))
  })
})
