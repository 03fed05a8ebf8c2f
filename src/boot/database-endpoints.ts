import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Endpoint } from '../net/own-endpoints.ts'

/** The addresses where the database and a pooler listen. */
export async function databaseEndpoints(urls: Array<string | null | undefined>): Promise<Endpoint[]> {
  const found = await Promise.all(urls.filter(url => typeof url === 'string').map(endpointsOf))
  return found.flat()
}

/** A database that is reached through a socket file most likely listens on loopback too. */
async function endpointsOf(url: string): Promise<Endpoint[]> {
  const { serverOf } = await import('../store/postgres/server-of.ts')
  const { host, port } = serverOf(url)
  const name = host.startsWith('/') ? 'localhost' : host
  if (isIP(name) !== 0) return [{ address: name, port }]
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => ({ address, port }))
}
