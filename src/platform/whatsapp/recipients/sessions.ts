import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  parseAndInjectE2ESessions,
  type WASocket,
} from 'baileys'
import { transient } from '../errors.ts'

/** How the platform says that a device cannot be had. */
const GONE = 406
const AT_ONCE = 200

/** Begins a session with each of these devices, and answers those that it could not be begun with. */
export async function beginSessions(sock: WASocket, devices: readonly string[]): Promise<string[]> {
  const gone: string[] = []
  for (let from = 0; from < devices.length; from += AT_ONCE)
    gone.push(...(await beginTogether(sock, devices.slice(from, from + AT_ONCE))))
  return gone
}

/** Where one of them spoils the answer for all, each half is asked for alone. */
async function beginTogether(sock: WASocket, devices: readonly string[]): Promise<string[]> {
  const users = await bundlesOf(sock, devices)
  if (!users && devices.length <= 1) return [...devices]
  if (!users) {
    const middle = devices.length >> 1
    const halves = [devices.slice(0, middle), devices.slice(middle)]
    return (await Promise.all(halves.map(half => beginTogether(sock, half)))).flat()
  }
  const begun = new Set<string>()
  for (const user of users) if (await inTurn(sock, () => beginWith(sock, user))) begun.add(user.attrs.jid ?? '')
  return devices.filter(jid => !begun.has(jid))
}

/** `undefined` where the platform refuses the question as a whole. */
export async function bundlesOf(sock: WASocket, devices: readonly string[]): Promise<BinaryNode[] | undefined> {
  const users = devices.map(jid => ({ tag: 'user', attrs: { jid } }))
  const attrs = { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' }
  const question = { tag: 'iq', attrs, content: [{ tag: 'key', attrs: {}, content: users }] }
  let answer: BinaryNode | undefined
  try {
    answer = (await sock.query(question)) as BinaryNode | undefined
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
  if (!answer) throw transient('the platform did not answer in time')
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
}

export function isGone(error: unknown): boolean {
  const { data, output } = (error ?? {}) as { data?: unknown; output?: { statusCode?: number } }
  return data === GONE || output?.statusCode === GONE
}

/** Whether a session could be begun with what the platform answered for a device. */
export async function beginWith({ signalRepository }: WASocket, user: BinaryNode | undefined): Promise<boolean> {
  if (!user || getBinaryNodeChild(user, 'error')) return false
  try {
    const content = [{ tag: 'list', attrs: {}, content: [user] }]
    await parseAndInjectE2ESessions({ tag: 'iq', attrs: {}, content }, signalRepository)
    return true
  } catch {
    return false
  }
}

/** In the order in which the library sends, whose transactions have this key: no two change a session at once. */
export function inTurn<T>({ authState }: Pick<WASocket, 'authState'>, work: () => Promise<T>): Promise<T> {
  return authState.keys.transaction(work, authState.creds.me?.id ?? '')
}
