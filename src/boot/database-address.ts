import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Endpoint } from '../net/own-endpoints.ts'
import { ConfigError } from './config-error.ts'

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

interface AddressSettings {
  databaseUrl: string | null
  databaseDirectUrl: string | null | undefined
}

/** The address of PostgreSQL, and the address that bypasses a connection pooler. */
export function databaseAddress(env: Record<string, string | undefined>): AddressSettings {
  const databaseUrl = env.POSTERN_DATABASE_URL || null
  const direct = env.POSTERN_DATABASE_DIRECT_URL || undefined
  if (databaseUrl !== null && !isPostgres(databaseUrl)) {
    throw new ConfigError(
      'POSTERN_DATABASE_URL is not a postgres:// address. Correct it, or unset it to use the embedded database.',
    )
  }
  if (direct === undefined) return { databaseUrl, databaseDirectUrl: undefined }
  if (databaseUrl === null) {
    throw new ConfigError(
      'POSTERN_DATABASE_DIRECT_URL is set, but POSTERN_DATABASE_URL is not. Set POSTERN_DATABASE_URL to the pooler, or unset POSTERN_DATABASE_DIRECT_URL.',
    )
  }
  if (direct !== 'none' && !isPostgres(direct)) {
    throw new ConfigError(
      'POSTERN_DATABASE_DIRECT_URL is not a postgres:// address. Set the address of the database itself, or none if you can reach only the pooler.',
    )
  }
  return { databaseUrl, databaseDirectUrl: direct === 'none' ? null : direct }
}

const isPostgres = (value: string): boolean => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)
