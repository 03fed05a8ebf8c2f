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
const AT_ONCE = 200
/** The number of sessions that are begun before other heavy work gets a slot. */
const SESSIONS_PER_SLOT = 20

/** Devices that no session could be begun with. */
export interface Unbegun {
  /** The device does not exist or has no usable keys. */
  gone: string[]
  /** The platform returns no keys now. */
  unanswered: string[]
}

interface Beginning {
  sock: WASocket
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  unbegun: Unbegun
}

/** Begins a session with each of these devices, and returns those for which it failed. */
export async function beginSessions(
  sock: WASocket,
  devices: readonly string[],
  heavyWork: Pick<HeavyWork, 'mayBegin'>,
): Promise<Unbegun> {
  const beginning: Beginning = { sock, heavyWork, unbegun: { gone: [], unanswered: [] } }
  for (let from = 0; from < devices.length; from += AT_ONCE)
    await beginTogether(beginning, devices.slice(from, from + AT_ONCE))
  return beginning.unbegun
}

/** If one device makes the platform reject the whole query, each half is queried separately. */
async function beginTogether(beginning: Beginning, devices: readonly string[]): Promise<void> {
  const { sock, heavyWork, unbegun } = beginning
  const users = await bundlesOf(sock, devices)
  if (!users && devices.length <= 1) return void unbegun.gone.push(...devices)
  if (!users) {
    const middle = devices.length >> 1
    const halves = [devices.slice(0, middle), devices.slice(middle)]
    return void (await Promise.all(halves.map(half => beginTogether(beginning, half))))
  }
  const answers = new Map(users.map(user => [user.attrs.jid, user]))
  for (const [nth, device] of devices.entries()) {
    if (nth > 0 && nth % SESSIONS_PER_SLOT === 0) await heavyWork.mayBegin()
    const outcome = await inTurn(sock, () => beginWith(sock, answers.get(device)))
    if (outcome !== 'begun') unbegun[outcome].push(device)
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
): Promise<'begun' | keyof Unbegun> {
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
export function inTurn<T>({ authState }: Pick<WASocket, 'authState'>, work: () => Promise<T>): Promise<T> {
  return authState.keys.transaction(work, authState.creds.me?.id ?? '')
}
