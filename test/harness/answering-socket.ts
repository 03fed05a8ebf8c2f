import type { BinaryNode, WASocket } from 'baileys'

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }

export const error = (code: string): BinaryNode => node('error', { code })
const PHONE = node('device', { id: '0' })
const LINKED = node('device', { id: '4', 'key-index': '2' })
const bytes = (length: number): Buffer => Buffer.alloc(length, 1)
const bundle = [
  node('registration', {}, bytes(4)),
  node('identity', {}, bytes(32)),
  node('skey', {}, [node('id', {}, bytes(3)), node('value', {}, bytes(32)), node('signature', {}, bytes(64))]),
]

export interface Weather {
  /** Replaces the answer about a person's devices, by name. */
  lists?: Record<string, BinaryNode>
  /** Hidden identifiers, by number. */
  lids?: Record<string, string>
  /** People with a computer in addition to their phone. */
  linked?: readonly string[]
  hasNoList?: boolean
  refusesLists?: number
  /** Replaces the answer about a device's keys, by name. */
  keys?: Record<string, BinaryNode>
  refusesKeys?: number
}

/** A link to a platform with scripted answers, and the queries that it received. */
export function answeringSocket(weather: Weather) {
  const asked: BinaryNode[] = []
  const stored: Array<{ lid: string; pn: string }> = []
  const query = async (question: BinaryNode): Promise<BinaryNode> => {
    asked.push(question)
    const [inner] = question.content as BinaryNode[]
    if (question.attrs.xmlns === 'usync') {
      if (weather.refusesLists !== undefined) throw Object.assign(new Error('refused'), { data: weather.refusesLists })
      const people = (inner!.content as BinaryNode[])[1]!.content as BinaryNode[]
      const users = people.map(({ attrs }) => {
        const jid = attrs.jid ?? ''
        const lid = weather.lids?.[jid]
        const list = node('device-list', {}, weather.linked?.includes(jid) ? [PHONE, LINKED] : [PHONE])
        const devices = node('devices', {}, [weather.lists?.[jid] ?? list])
        return node('user', attrs, [devices, ...(lid === undefined ? [] : [node('lid', { val: lid })])])
      })
      return node('iq', {}, [node('usync', {}, weather.hasNoList ? [] : [node('list', {}, users)])])
    }
    if (weather.refusesKeys !== undefined) throw Object.assign(new Error('refused'), { data: weather.refusesKeys })
    const users = (inner!.content as BinaryNode[]).map(({ attrs }) => {
      const problem = weather.keys?.[attrs.jid!]
      return node('user', attrs, problem ? [problem] : bundle)
    })
    return node('iq', {}, [node('list', {}, users)])
  }
  const sock = {
    query,
    generateMessageTag: () => '1',
    authState: {
      creds: { me: { id: '5511900000000:3@s.whatsapp.net', lid: '100000000000001:3@lid' } },
      keys: { get: async () => ({}), set: async () => {}, transaction: (work: () => Promise<unknown>) => work() },
    },
    signalRepository: {
      lidMapping: { storeLIDPNMappings: async (pairs: typeof stored) => void stored.push(...pairs) },
      validateSession: async () => ({ exists: false }),
      injectE2ESession: async () => {},
      getSenderKeyDistributionMessage: async () => bytes(32),
    },
    createParticipantNodes: async (devices: string[]) => ({
      nodes: devices.map(jid => node('to', { jid })),
      shouldIncludeDeviceIdentity: false,
    }),
  } as unknown as WASocket
  return { sock, asked, stored }
}
