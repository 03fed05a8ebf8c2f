/** `socks5h` is what some programs call SOCKS5 with names that the proxy resolves; here the proxy always does. */
export const PROXY_SCHEMES = ['socks5', 'socks5h', 'http', 'https'] as const
export type ProxyScheme = (typeof PROXY_SCHEMES)[number]

/** A proxy server through which a number reaches its network. */
export interface Proxy {
  scheme: ProxyScheme
  /** A name or an address, without brackets. */
  host: string
  port: number
  credentials: { username: string; password: string } | null
}

/** The proxy without its credentials, for people: `socks5://proxy.example.com:1080`. */
export const proxyName = ({ scheme, host, port }: Proxy): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`

/** `proxy_failed`: the proxy is at fault. `platform_failed`: the proxy answers, and does not reach the platform. */
export const PROXY_OUTCOMES = ['reached', 'proxy_failed', 'platform_failed'] as const

export interface ProxyTest {
  outcome: (typeof PROXY_OUTCOMES)[number]
  ms: number
  /** For people; `null` if the platform was reached. */
  error: string | null
}
