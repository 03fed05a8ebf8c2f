import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, parseAndInjectE2ESessions } from 'baileys'
import type { Connection } from '../link/connection.ts'

/**
 * Makes sure of Signal sessions with the devices of a person who has no hidden identifier: the library asks for keys
 * by hidden identifier alone.
 */
export async function openNumberSessions({ sock }: Connection, phone: string): Promise<void> {
  const devices = await sock.getUSyncDevices([phone], true, false)
  const missing: string[] = []
  for (const { jid } of devices as Array<{ jid: string }>)
    if (!(await sock.signalRepository.validateSession(jid)).exists) missing.push(jid)
  if (missing.length === 0) return
  const users = missing.map((jid): BinaryNode => ({ tag: 'user', attrs: { jid } }))
  const answer: BinaryNode | undefined = await sock.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: '@s.whatsapp.net' },
    content: [{ tag: 'key', attrs: {}, content: users }],
  })
  const found = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
  const list = { tag: 'list', attrs: {}, content: found.filter(user => !getBinaryNodeChild(user, 'error')) }
  await parseAndInjectE2ESessions({ tag: 'iq', attrs: {}, content: [list] }, sock.signalRepository)
}
