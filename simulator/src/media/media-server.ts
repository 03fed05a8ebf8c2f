import { createHash, createPrivateKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { SimulatorOptions } from '../options.ts'
import type { MediaFault } from '../server/fault-plan.ts'
import type { VersionPage, Versions } from '../server/versions.ts'
import type { Network } from '../world/network.ts'
import type { LargeFile, LargeFiles } from './large-files.ts'
import type { MediaStore } from './media-store.ts'
import { type Certificate, createServerCertificate } from './x509.ts'

type MediaPlaces = Pick<Network, 'media' | 'faults' | 'clock' | 'versions'>

const LOOPBACK = '127.0.0.1'

/** What the platform takes, and what encryption adds. */
const MAX_UPLOAD_BYTES = 2 * 1024 * 1024 * 1024 + 64
/** Larger files are on disk if there is a folder for them. Otherwise they are checked like all others, but no phone can open them. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024

interface Uploaded {
  /** `undefined` if it is too large to be kept in memory. */
  readonly file: Buffer | undefined
  /** Where a file is that is too large for memory. */
  readonly large: LargeFile | undefined
  readonly hash: string
}

async function readBody(request: IncomingMessage, folder: LargeFiles | undefined): Promise<Uploaded> {
  const hash = createHash('sha256')
  let chunks: Buffer[] = []
  let size = 0
  let large: LargeFile | undefined
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_UPLOAD_BYTES) throw new Error('the file is too large')
      hash.update(chunk)
      chunks.push(chunk)
      if (size <= MAX_KEPT_BYTES) continue
      large ??= await folder?.create()
      for (const held of chunks) await large?.add(held)
      chunks = []
    }
  } catch (error) {
    await large?.discard()
    throw error
  }
  const file = size > MAX_KEPT_BYTES ? undefined : Buffer.concat(chunks)
  return { file, large, hash: hash.digest('base64url') }
}

function answer(response: ServerResponse, status: number, body: string | Uint8Array = ''): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

async function upload(store: MediaStore, request: IncomingMessage, url: URL, response: ServerResponse): Promise<void> {
  const { file, large, hash } = await readBody(request, store.large)
  const owner = store.ownerBy(url.searchParams.get('auth') ?? '')
  // Clients name the file by its hash.
  const isNamedRight = url.searchParams.get('token')?.replace(/=+$/, '') === hash
  if (owner === undefined || !isNamedRight) {
    await large?.discard()
    return answer(response, owner === undefined ? 401 : 400)
  }
  const channelType = CHANNEL_PLACE.exec(url.pathname)?.[1]
  const path = file === undefined ? store.newPath(owner, channelType) : store.put(file, owner, channelType)
  await large?.keep(path)
  const handle = store.channelUpload(path)?.handle
  answer(response, 200, JSON.stringify({ url: store.url(path), direct_path: path, handle }))
}

/** Files of channels have places of their own. */
const CHANNEL_PLACE = /^\/newsletter\/newsletter-([a-z]+)\//

/** Changes only bytes at the beginning: the file still decrypts, to other content. */
function corrupted(file: Uint8Array): Uint8Array {
  const copy = Buffer.from(file)
  for (let index = 0; index < 16; index += 1) copy[index]! ^= 0x5a
  return copy
}

/** The first byte, and the one after the last. */
function rangeOf(request: IncomingMessage): { readonly start: number; readonly end: number | undefined } | undefined {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  return range === null ? undefined : { start: Number(range[1]), end: range[2] ? Number(range[2]) + 1 : undefined }
}

function withRange(request: IncomingMessage, file: Uint8Array): Uint8Array {
  const range = rangeOf(request)
  return range ? file.subarray(range.start, range.end) : file
}

function downloadLarge(large: LargeFiles, request: IncomingMessage, path: string, response: ServerResponse): void {
  const bytes = large.bytesOf(path)!
  const { start = 0, end = bytes } = rangeOf(request) ?? {}
  response.writeHead(end - start === bytes ? 200 : 206, { 'content-length': end - start })
  pipeline(large.read(path, { start, end: end - 1 }), response, () => {})
}

function download(
  store: MediaStore,
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
  fault?: MediaFault,
): void {
  const file = store.get(path)
  const isLarge = store.large?.bytesOf(path) !== undefined
  const status = fault?.kind === 'status' ? fault.status : store.withdrawal(path)
  if (typeof status === 'number') return answer(response, status)
  if (isLarge) return downloadLarge(store.large!, request, path, response)
  if (!file) return answer(response, 404)
  if (fault?.kind === 'cut') {
    response.writeHead(200, { 'content-length': file.length })
    response.write(file.subarray(0, fault.afterBytes), () => response.destroy())
    return
  }
  const isCorrupt = fault?.kind === 'corrupt' || status === 'corrupt'
  const body = withRange(request, isCorrupt ? corrupted(file) : file)
  answer(response, body === file || isCorrupt ? 200 : 206, body)
}

async function handle(
  { media: store, faults, versions }: MediaPlaces,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `https://${store.host}`)
  const broken = faults.brokenMediaHosts.get(request.headers.host ?? '')
  if (broken !== undefined) return answer(response, broken)
  if (request.method === 'POST') return upload(store, request, url, response)
  const versionPage = versionPageAt(url.pathname)
  if (versionPage !== undefined) return answerVersionPage(versions, versionPage, request, response)
  const fault = faults.media.shift()
  if (fault?.kind === 'hold') {
    await fault.until
    return download(store, request, url.pathname, response)
  }
  if (fault?.kind !== 'delay') return download(store, request, url.pathname, response, fault)
  const timer = setTimeout(() => download(store, request, url.pathname, response), fault.delayMs)
  response.on('close', () => clearTimeout(timer))
}

/** Serves the store over HTTPS on a separate port. */
export async function startMediaServer(
  network: MediaPlaces,
  authority: Certificate,
  { host, port, onVisit }: { host: string; port: number; onVisit: SimulatorOptions['onVisit'] },
): Promise<Server> {
  const hosts = [...new Set([host, LOOPBACK, 'localhost'])]
  const certificate = createServerCertificate(authority, createPrivateKey(authority.privateKey), hosts, network.clock)
  const tls = { cert: certificate.certificate, key: certificate.privateKey }
  const server = createServer(tls, (request, response) => {
    const to = versionPageAt(request.url ?? '') === undefined ? 'media' : 'version'
    onVisit?.({ to, address: request.socket.remoteAddress ?? '' })
    handle(network, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  network.media.host = `${host}:${bound}`
  if (host === LOOPBACK) network.media.otherHost = `localhost:${bound}`
  return server
}

const PAGES: ReadonlyMap<string, VersionPage> = new Map([
  ['/sw.js', 'page'],
  ['/wa-version/versions.json', 'list'],
])

const versionPageAt = (path: string): VersionPage | undefined => PAGES.get(path)

/** Serves the platform's own page, which only browsers get, and the version list that third parties publish. */
function answerVersionPage(
  versions: Versions,
  which: VersionPage,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  versions.requests[which] += 1
  const fault = versions.faults.get(which)
  if (fault?.kind === 'silence') return
  if (fault?.kind === 'status') return void response.writeHead(fault.status).end()
  if (fault?.kind === 'garbage') return void response.end('<!doctype html><title>Try again later</title>')
  if (which === 'page' && !isBrowser(request)) return void response.writeHead(400).end()
  const revision = fault?.kind === 'older' ? versions.older : versions.published
  response.end(which === 'page' ? page(revision) : list(revision))
}

const isBrowser = ({ headers }: IncomingMessage): boolean =>
  (headers['user-agent'] ?? '').startsWith('Mozilla/') && headers['sec-fetch-site'] === 'none'

/** The version is configuration inside a string inside a script. */
const page = (revision: number): string =>
  `/*sw*/self.__swData=JSON.parse(${JSON.stringify(JSON.stringify({ dynamic_data: { client_revision: revision } }))});`

const list = (revision: number): string =>
  JSON.stringify({ currentBeta: null, currentVersion: `2.3000.${revision}-alpha`, versions: [] })
