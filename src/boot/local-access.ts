import { hash, timingSafeEqual } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** The file that a running gateway writes into its data folder. Users who can read it need no token for commands. */
export interface LocalAccess {
  url: string
  /** The address that users know it by, if that is another. */
  publicUrl?: string | undefined
  token: string
  /** The machine that the gateway runs on: `url` is valid only there. */
  host: string
  pid: number
}

/** Distinguishes these tokens from API keys and from the operator's token. */
export const LOCAL_TOKEN_PREFIX = 'ptl_'

const FOLDER = 'running'
const MAX_BYTES = 4_096

/**
 * Writes the file atomically, readable by the owner alone. Each process has its own file, so that processes that share a
 * folder do not remove each other's. The next start on the same machine removes what a killed process has left.
 */
export function writeLocalAccess(
  dataDir: string,
  nodeId: string,
  access: Omit<LocalAccess, 'host' | 'pid'>,
): () => void {
  const folder = join(dataDir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const { path, access } of readAll(folder)) if (isLeftBehind(access)) rmSync(path, { force: true })
  const path = join(folder, `${nodeId}.json`)
  const content: LocalAccess = { ...access, host: hostname(), pid: process.pid }
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return () => rmSync(path, { force: true })
}

/**
 * The gateways that run on this machine with this folder, the youngest first. A file of another user would send commands,
 * and the keys that they bear, to a server of that user: it is ignored.
 */
export function findAccess(dataDir: string, uid = process.getuid?.()): LocalAccess[] {
  const trusted = ownersFor(dataDir, uid)
  return readAll(join(dataDir, FOLDER))
    .filter(({ ownerUid }) => trusted?.has(ownerUid) ?? true)
    .filter(({ access }) => access.host === hostname() && !isLeftBehind(access))
    .sort((a, b) => b.writtenMs - a.writtenMs)
    .map(({ access }) => access)
}

/** The user of the command; for root also the owner of the folder, such as the user of a service. `undefined`: no owners here. */
function ownersFor(dataDir: string, uid: number | undefined): ReadonlySet<number> | undefined {
  if (uid === undefined) return undefined
  return new Set(uid === 0 ? [0, statSync(dataDir, { throwIfNoEntry: false })?.uid ?? 0] : [uid])
}

interface Found {
  path: string
  ownerUid: number
  writtenMs: number
  access: LocalAccess
}

function readAll(folder: string): Found[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .flatMap(name => readOne(join(folder, name)) ?? [])
  } catch {
    return []
  }
}

/** Group and others could have written the content. */
const WRITABLE_BY_OTHERS = 0o022

/** `undefined` if the file is not valid, has been removed meanwhile, or is not readable. A link is not valid. */
function readOne(path: string): Found | undefined {
  try {
    const stat = lstatSync(path)
    if (!stat.isFile() || stat.size > MAX_BYTES || (stat.mode & WRITABLE_BY_OTHERS) !== 0) return undefined
    const { url, publicUrl, token, host, pid } = JSON.parse(readFileSync(path, 'utf8')) as Partial<LocalAccess>
    if (typeof url !== 'string' || typeof token !== 'string' || typeof host !== 'string') return undefined
    const known = typeof publicUrl === 'string' && URL.canParse(publicUrl) ? { publicUrl } : {}
    return {
      path,
      ownerUid: stat.uid,
      writtenMs: stat.mtimeMs,
      access: { url, ...known, token, host, pid: Number(pid) },
    }
  } catch {
    return undefined
  }
}

function isLeftBehind({ host, pid }: LocalAccess): boolean {
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Compares in constant time. */
export const isSameToken = (given: string, wanted: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'))
