import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Where something of ours listens: an address without zone or brackets, and a port. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** What the gateway listens on, wherever it learns that from. No customer makes it talk to any of this. */
export interface OwnEndpoints {
  /** Replaces what is known from one source; an address that stands for every address of the machine may be among it. */
  set(source: string, endpoints: readonly Endpoint[]): void
  all(): readonly Endpoint[]
  /** What this process knows by itself, with every address of this machine spelt out: other nodes are told of it. */
  own(): Endpoint[]
  /** Hears when the process's own ones change. */
  onChange(listener: () => void): void
}

/** What the other nodes have told. */
export const FROM_NODES = 'nodes'

export function createOwnEndpoints(): OwnEndpoints {
  const sources = new Map<string, readonly Endpoint[]>()
  let all: readonly Endpoint[] = []
  const listeners: Array<() => void> = []
  return {
    set(source, endpoints) {
      sources.set(source, endpoints.map(inOneSpelling))
      all = [...sources.values()].flat()
      if (source === FROM_NODES) return
      for (const listener of listeners) listener()
    },
    all: () => all,
    own: () => [...sources].flatMap(([source, endpoints]) => (source === FROM_NODES ? [] : endpoints.flatMap(spelt))),
    onChange: listener => void listeners.push(listener),
  }
}

function spelt(endpoint: Endpoint): Endpoint[] {
  if (endpoint.address !== '0.0.0.0' && endpoint.address !== '::') return [endpoint]
  return interfaceAddresses().map(address => ({ address, port: endpoint.port }))
}

const inOneSpelling = ({ address, port }: Endpoint): Endpoint => ({ address: spelling(address), port })

/** Without a zone; one that is mapped into IPv6 as the IPv4 address that it is. */
function spelling(address: string): string {
  const [bare = ''] = address.split('%', 1)
  return isIP(bare) === 0 ? address : ipaddr.process(bare).toString()
}

/** The addresses of this machine, in one spelling. */
export function interfaceAddresses(): string[] {
  const entries = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  return entries.map(entry => spelling(entry.address))
}

/** Endpoints as one text, to be kept; what is no address is left out. */
export const writeEndpoints = (endpoints: readonly Endpoint[]): string =>
  JSON.stringify(
    endpoints.filter(({ address }) => isIP(address) !== 0).map(({ address, port }) => `${address} ${port}`),
  )

export const readEndpoints = (text: string): Endpoint[] =>
  (JSON.parse(text) as string[]).map(entry => {
    const [address = '', port = ''] = entry.split(' ')
    return { address, port: Number(port) }
  })
