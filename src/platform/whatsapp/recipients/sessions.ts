import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  parseAndInjectE2ESessions,
  type WASocket,
} from 'baileys'
import type { HeavyWork } from '../engine/heavy-work.ts'
import { transient, Unanswered } from '../errors.ts'

/** How the platform says that a device cannot be had. Whatever else it says is of this moment. */
const GONE = new Set([404, 406])
const AT_ONCE = 200
/** So many are begun before others may do their work. */
const WITHOUT_A_BREAK = 20

/** Devices that no session could be begun with. */
export interface Unbegun {
  /** There is nothing to write to. */
  gone: string[]
  /** The platform does not say now. */
  unanswered: string[]
}

/** What is under way for many devices. */
interface Beginning {
  sock: WASocket
  heavyWork: Pick<HeavyWork, 'mayBegin'>
  unbegun: Unbegun
}

/** Begins a session with each of these devices, and answers those that it could not be begun with. */
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

/** Where one of them spoils the answer for all, each half is asked for alone. */
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
    if (nth > 0 && nth % WITHOUT_A_BREAK === 0) await heavyWork.mayBegin()
    const outcome = await inTurn(sock, () => beginWith(sock, answers.get(device)))
    if (outcome !== 'begun') unbegun[outcome].push(device)
  }
}

/** `undefined` where the platform refuses the question as a whole, since a device is gone. */
export async function bundlesOf(sock: WASocket, devices: readonly string[]): Promise<BinaryNode[] | undefined> {
  const users = devices.map(jid => ({ tag: 'user', attrs: { jid } }))
  const attrs = { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' }
  const question = { tag: 'iq', attrs, content: [{ tag: 'key', attrs: {}, content: users }] }
  let answer: BinaryNode | undefined
  try {
    answer = (await sock.query(question)) as BinaryNode | undefined
  } catch (error) {
    if (isGone(error)) return undefined
    if (typeof (error as { data?: unknown }).data === 'number') throw transient('the platform does not tell keys now')
    throw error
  }
  if (!answer) throw new Unanswered()
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
}

export function isGone(error: unknown): boolean {
  const { data, output } = (error ?? {}) as { data?: unknown; output?: { statusCode?: number } }
  return GONE.has(data as number) || GONE.has(output?.statusCode ?? 0)
}

/** Whether something in an answer is refused, but not since it is gone. */
export function isRefusedForNow(answer: BinaryNode | undefined): boolean {
  const error = getBinaryNodeChild(answer, 'error')
  return error !== undefined && !GONE.has(Number(error.attrs.code))
}

/** Begins a session with what the platform answered for a device; what nothing can be begun with counts as gone. */
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

/** In the order in which the library sends, whose transactions have this key: no two change a session at once. */
export function inTurn<T>({ authState }: Pick<WASocket, 'authState'>, work: () => Promise<T>): Promise<T> {
  return authState.keys.transaction(work, authState.creds.me?.id ?? '')
}
