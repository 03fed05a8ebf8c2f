import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request as ask, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

const PACKAGES = ['s3rver@3.7.1', 'aws4@1.13.2']
export const BUCKET = 'postern-media'
const KEY = 'S3RVER'

/**
 * An S3 server that this project did not write, from the registry. It knows no signatures of version 4, so a relay in front
 * of it checks them, with a library that this project did not write either.
 */
export interface S3Server {
  /** The settings of a gateway that stores its files there. */
  env: Record<string, string>
  /** The names of the objects. */
  objects(): string[]
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-s3-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(folder, 'package.json'), '{}')
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES]
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${PACKAGES.join()} cannot be installed: ${stderr}`)
  const port = await freePort()
  const program = join(folder, 'node_modules/s3rver/bin/s3rver.js')
  let running = run()
  function run() {
    const args = [program, '-d', data, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', BUCKET, '--silent']
    return spawn(process.execPath, ['--no-deprecation', ...args], { stdio: 'ignore' })
  }
  const stop = async (): Promise<void> => {
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  const relay = await startRelay(createRequire(join(folder, 'x.js'))('aws4') as Aws4, port)
  const answers = () =>
    until(() =>
      fetch(`http://127.0.0.1:${port}/`)
        .then(({ status: code }) => code > 0)
        .catch(() => false),
    )
  await answers()
  return {
    env: {
      POSTERN_MEDIA_S3_ENDPOINT: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
      POSTERN_MEDIA_S3_BUCKET: BUCKET,
      POSTERN_MEDIA_S3_REGION: 'us-east-1',
      POSTERN_MEDIA_S3_ACCESS_KEY_ID: KEY,
      POSTERN_MEDIA_S3_SECRET_ACCESS_KEY: KEY,
    },
    objects: () =>
      readdirSync(join(data, BUCKET), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('_object'))
        .map(name => name.replace(/\._S3rver_object$/, '').replace(/^media\//, '')),
    stop,
    start: async () => {
      running = run()
      await answers()
    },
    close: async () => {
      relay.closeAllConnections()
      relay.close()
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Aws4 {
  RequestSigner: new (
    request: object,
    credentials: object,
  ) => { datetime: string; sign(): { headers: { Authorization: string } } }
}

/** Passes a request on if its signature is right, and breaks off if the server behind it is away. */
async function startRelay(aws4: Aws4, port: number): Promise<Server> {
  const relay = createHttpServer((request, response) => {
    if (!isSignedRight(aws4, request)) {
      request.resume()
      const code = '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>wrong</Message></Error>'
      return void response.writeHead(403, { 'content-type': 'application/xml' }).end(code)
    }
    const { method, url: path, headers } = request
    const asked = ask({ host: '127.0.0.1', port, method, path, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => request.destroy())
    request.pipe(asked)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  return relay
}

function isSignedRight(aws4: Aws4, { method, url: path, headers }: IncomingMessage): boolean {
  const given = headers.authorization ?? ''
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(names.map(name => [name, headers[name]]))
  const request = {
    service: 's3',
    region: 'us-east-1',
    method,
    path,
    headers: signed,
    doNotModifyHeaders: true,
    extraHeadersToInclude: { range: true },
  }
  const signer = new aws4.RequestSigner(request, { accessKeyId: KEY, secretAccessKey: KEY })
  signer.datetime = String(headers['x-amz-date'])
  const { Authorization: expected } = signer.sign().headers
  return given.split('Signature=')[1] === expected.split('Signature=')[1]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
