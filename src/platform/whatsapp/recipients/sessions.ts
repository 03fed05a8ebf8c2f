import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  parseAndInjectE2ESessions,
  type WASocket,
} from 'baileys'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { transient, Unanswered } from '../errors.ts'

/** Codes for a device that does not exist. All other codes are temporary. */
const GONE = new Set([404, 406])
const DEVICES_PER_QUERY = 200
/** The number of sessions that are begun before other heavy work gets a slot. */
const SESSIONS_PER_SLOT = 5

/** Devices that no session could be begun with. */
export interface FailedSessions {
  /** The device does not exist or has no usable keys. */
  gone: string[]
  /** The platform returns no keys now. */
  unanswered: string[]
}

interface Beginning {
  sock: WASocket
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  failed: FailedSessions
}

/** Begins a session with each of these devices, and returns those for which it failed. */
export async function beginSessions(
  sock: WASocket,
  devices: readonly string[],
  heavyWork: Pick<HeavyWork, 'mayBegin'>,
): Promise<FailedSessions> {
  const beginning: Beginning = { sock, heavyWork, failed: { gone: [], unanswered: [] } }
  for (let from = 0; from < devices.length; from += DEVICES_PER_QUERY)
    await beginTogether(beginning, devices.slice(from, from + DEVICES_PER_QUERY))
  return beginning.failed
}

/** If one device makes the platform reject the whole query, each half is queried separately. */
async function beginTogether(beginning: Beginning, devices: readonly string[]): Promise<void> {
  const { sock, heavyWork, failed } = beginning
  const users = await bundlesOf(sock, devices)
  if (!users && devices.length <= 1) return void failed.gone.push(...devices)
  if (!users) {
    const middle = devices.length >> 1
    const halves = [devices.slice(0, middle), devices.slice(middle)]
    return void (await Promise.all(halves.map(half => beginTogether(beginning, half))))
  }
  const answers = new Map(users.map(user => [user.attrs.jid, user]))
  for (const [nth, device] of devices.entries()) {
    if (nth > 0 && nth % SESSIONS_PER_SLOT === 0) await heavyWork.mayBegin()
    const outcome = await inLibraryTransaction(sock, () => beginWith(sock, answers.get(device)))
    if (outcome !== 'begun') failed[outcome].push(device)
  }
}

/** `undefined` if the platform rejects the whole query because a device does not exist. */
export async function bundlesOf(sock: WASocket, devices: readonly string[]): Promise<BinaryNode[] | undefined> {
  const users = devices.map(jid => ({ tag: 'user', attrs: { jid } }))
  const attrs = { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' }
  const query = { tag: 'iq', attrs, content: [{ tag: 'key', attrs: {}, content: users }] }
  let answer: BinaryNode | undefined
  try {
    answer = (await sock.query(query)) as BinaryNode | undefined
  } catch (error) {
    if (isGone(error)) return undefined
    if (typeof (error as { data?: unknown }).data === 'number') throw transient('the platform returns no keys now')
    throw error
  }
  if (!answer) throw new Unanswered()
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
}

export function isGone(error: unknown): boolean {
  const { data, output } = (error ?? {}) as { data?: unknown; output?: { statusCode?: number } }
  return GONE.has(data as number) || GONE.has(output?.statusCode ?? 0)
}

/** Whether an entry of a response has a temporary error. */
export function isRefusedForNow(answer: BinaryNode | undefined): boolean {
  const error = getBinaryNodeChild(answer, 'error')
  return error !== undefined && !GONE.has(Number(error.attrs.code))
}

/** Begins a session with the keys that the platform returned; a device with unusable keys counts as gone. */
export async function beginWith(
  { signalRepository }: WASocket,
  user: BinaryNode | undefined,
): Promise<'begun' | keyof FailedSessions> {
  if (isRefusedForNow(user)) return 'unanswered'
  if (!user || getBinaryNodeChild(user, 'error')) return 'gone'
  try {
    const content = [{ tag: 'list', attrs: {}, content: [user] }]
    await parseAndInjectE2ESessions({ tag: 'iq', attrs: {}, content }, signalRepository)
    return 'begun'
  } catch {
    return 'gone'
  }
}

/** Runs in the library's own transaction for sending, so that no two tasks change a session concurrently. */
export function inLibraryTransaction<T>(
  { authState }: Pick<WASocket, 'authState'>,
  work: () => Promise<T>,
): Promise<T> {
  return authState.keys.transaction(work, authState.creds.me?.id ?? '')
}
