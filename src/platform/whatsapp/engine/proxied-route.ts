import { Agent as HttpAgent, type ClientRequestArgs, request } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { Agent as Dispatcher } from 'undici'
import { type Proxy, proxyName, type ProxyTest } from '../../../domain/proxy.ts'
import { type OpenTunnel, ProxyError } from '../../../net/proxy.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { WhatsAppNetwork } from './library.ts'
import type { MediaRoute, Route } from './socket-config.ts'

/** Less than the worker gives a request, so that the customer learns what failed. */
const TEST_MS = 8_000

export interface ProxiedRouteDeps {
  clock: Pick<Clock, 'monotonicMs'>
  network: WhatsAppNetwork
  media: MediaRoute
  openTunnel: OpenTunnel
}

export function proxiedRoute({ clock, network, media, openTunnel }: ProxiedRouteDeps, proxy: Proxy): Route {
  const closing = new AbortController()
  const url = new URL(network.kind === 'sandbox' ? network.url : DEFAULT_CONNECTION_CONFIG.waWebSocketUrl)
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(network.kind === 'sandbox' && { ca: network.mediaCa }),
  })
  const tunnel = (host: string, port: number, isSecure: boolean, signal = closing.signal): Promise<Socket> =>
    openTunnel(proxy, { host, port, secureContext: isSecure ? secureContext : undefined }, signal)
  const isSecure = url.protocol === 'wss:'
  const toSocket = (signal?: AbortSignal): Promise<Socket> =>
    tunnel(url.hostname, url.port === '' ? (isSecure ? 443 : 80) : Number(url.port), isSecure, signal)
  const agent = through(isSecure ? new HttpsAgent() : new HttpAgent(), () => toSocket())
  const upload = through(new HttpsAgent({ keepAlive: true }), ({ host, port }) =>
    tunnel(host ?? '', Number(port), true),
  )
  const download = new Dispatcher({
    connect: ({ hostname, port }, callback) => {
      tunnel(hostname, port === '' ? 443 : Number(port), true).then(
        socket => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      )
    },
  })
  return {
    media: { ...media, upload, download },
    agent,
    proxyName: proxyName(proxy),
    test: signal =>
      testRoute(clock, url, toSocket, AbortSignal.any([signal, closing.signal, AbortSignal.timeout(TEST_MS)])),
    close() {
      closing.abort()
      agent.destroy()
      upload.destroy()
      void download.destroy()
    },
  }
}

/** Any HTTP answer shows that the platform is reached. */
async function testRoute(
  clock: Pick<Clock, 'monotonicMs'>,
  url: URL,
  open: (signal: AbortSignal) => Promise<Socket>,
  signal: AbortSignal,
): Promise<ProxyTest> {
  const begunMs = clock.monotonicMs()
  const done = (outcome: ProxyTest['outcome'], error: string | null): ProxyTest => ({
    outcome,
    ms: Math.round(clock.monotonicMs() - begunMs),
    error,
  })
  try {
    await firstAnswer(await open(signal), url, signal)
    return done('reached', null)
  } catch (error) {
    if (!(error instanceof ProxyError)) return done('platform_failed', 'the platform does not answer')
    return done(error.at === 'proxy' ? 'proxy_failed' : 'platform_failed', error.message)
  }
}

function firstAnswer(socket: Socket, { host, pathname }: URL, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { host, connection: 'close' }
    const client = request({ createConnection: () => socket, path: pathname, headers, signal })
    client.once('response', answer => {
      answer.destroy()
      resolve()
    })
    client.once('close', () => reject(new Error('the connection was closed')))
    client.on('error', reject)
    client.end()
  })
}

/** Makes the agent open every connection with `open`. */
function through<A extends HttpAgent>(agent: A, open: (options: ClientRequestArgs) => Promise<Socket>): A {
  agent.createConnection = (options, callback) => {
    open(options).then(
      socket => callback?.(null, socket),
      (error: unknown) => callback?.(error as Error, undefined as never),
    )
    return undefined
  }
  return agent
}
