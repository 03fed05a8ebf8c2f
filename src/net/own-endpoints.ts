import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** An address without zone or brackets, and a port, on which a part of the gateway listens. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** The endpoints of the gateway, from all sources. No customer can make it connect to them. */
export interface OwnEndpoints {
  /** Replaces the endpoints that one source has reported. An endpoint may have a wildcard address of the machine. */
  set(source: string, endpoints: readonly Endpoint[]): void
  all(): readonly Endpoint[]
  /** The endpoints of this process for the other nodes, with every address of this machine in place of a wildcard. */
  own(): Endpoint[]
  /** Called when the process's own endpoints change. */
  onChange(listener: () => void): void
}

/** The source of what the other nodes have reported. */
export const FROM_NODES = 'nodes'

export function createOwnEndpoints(): OwnEndpoints {
  const sources = new Map<string, readonly Endpoint[]>()
  let all: readonly Endpoint[] = []
  const listeners: Array<() => void> = []
  return {
    set(source, endpoints) {
      sources.set(source, endpoints.map(normalizedEndpoint))
      all = [...sources.values()].flat()
      if (source === FROM_NODES) return
      for (const listener of listeners) listener()
    },
    all: () => all,
    own: () =>
      [...sources].flatMap(([source, endpoints]) => (source === FROM_NODES ? [] : endpoints.flatMap(expandWildcard))),
    onChange: listener => void listeners.push(listener),
  }
}

function expandWildcard(endpoint: Endpoint): Endpoint[] {
  if (endpoint.address !== '0.0.0.0' && endpoint.address !== '::') return [endpoint]
  return interfaceAddresses().map(address => ({ address, port: endpoint.port }))
}

const normalizedEndpoint = ({ address, port }: Endpoint): Endpoint => ({ address: normalized(address), port })

/** Without a zone; an IPv4 address that is mapped into IPv6 as IPv4. */
function normalized(address: string): string {
  const [bare = ''] = address.split('%', 1)
  return isIP(bare) === 0 ? address : ipaddr.process(bare).toString()
}

/** The addresses of this machine, normalized. */
export function interfaceAddresses(): string[] {
  const entries = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  return entries.map(entry => normalized(entry.address))
}

/** Serializes endpoints, each once and in one order; leaves out what is not an address. */
export function writeEndpoints(endpoints: readonly Endpoint[]): string {
  const addresses = endpoints.filter(({ address }) => isIP(address) !== 0)
  return JSON.stringify([...new Set(addresses.map(({ address, port }) => `${address} ${port}`))].sort())
}

export const readEndpoints = (text: string): Endpoint[] =>
  (JSON.parse(text) as string[]).map(entry => {
    const [address = '', port = ''] = entry.split(' ')
    return { address, port: Number(port) }
  })
