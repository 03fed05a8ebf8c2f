import { proto } from 'baileys'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import type { StoredMessage } from '../received/inbox-item.ts'
import type { SessionContext } from '../session-context.ts'
import { forgedChange } from './changes.ts'

const GROUP = '120363000000000001@g.us'
const ADMIN = '15550000001@s.whatsapp.net'
const MEMBER = '15550000002@s.whatsapp.net'
const { REVOKE } = proto.Message.ProtocolMessage.Type

/** An admin's revoke of what a member wrote, on a link and a platform that answer like this. */
function revoke(
  link: Partial<SessionContext['link']>,
  groupOf: () => Promise<{ participants: Array<{ id: string; admin?: string }> }>,
  { by = ADMIN, signal = new AbortController().signal, clock = systemClock } = {},
) {
  const seen = { messageId: 'A', chatJid: GROUP, senderJid: MEMBER, fromMe: false }
  const context = {
    sessionId: '15550000009@s.whatsapp.net',
    storage: { readSeen: async () => seen },
    lids: { phoneOf: async () => undefined, lidOf: async () => undefined },
    link: { current: () => ({}), state: () => undefined, ...link },
    clock,
    groups: { find: groupOf },
  } as unknown as SessionContext
  const key = { id: 'B', remoteJid: GROUP, participant: by, fromMe: false }
  const stored = { key, edit: '8', timestamp: 0, pushName: '', message: {} } as StoredMessage
  const people = { chatJid: GROUP, senderJid: by, senderPhone: by, isGroup: true, isStatus: false }
  return forgedChange(context, stored, { type: REVOKE, key: { id: 'A', participant: MEMBER } }, people, signal)
}

const members = async () => ({ participants: [{ id: ADMIN, admin: 'superadmin' }, { id: MEMBER }] })
const refused = () => Promise.reject(new Error('internal-server-error'))

test("an admin's revoke that arrives while the link is down is verified when it is open again", async () => {
  let looks = 0
  const current = () => (++looks > 3 ? {} : undefined) as ReturnType<SessionContext['link']['current']>
  expect(await revoke({ current }, members)).toBeUndefined()
  expect(await revoke({}, members, { by: '15550000003@s.whatsapp.net' })).toBe('revoke_by_other')
})

test('a failed query for a group is repeated', async () => {
  let asked = 0
  expect(await revoke({}, () => (++asked < 3 ? refused() : members()))).toBeUndefined()
  expect(asked).toBe(3)
})

test('a revoke that cannot be verified in any attempt is counted as unverified', async () => {
  let asked = 0
  const never = () => {
    asked += 1
    return refused()
  }
  expect(await revoke({}, never)).toBe('revoke_unverified')
  expect(asked).toBe(3)
})

test('no wait for a link if there will never be one', async () => {
  const clock = { ...systemClock, sleep: () => Promise.reject(new Error('unexpected wait')) }
  const over = { current: () => undefined, isOver: () => true }
  expect(await revoke(over, members, { clock })).toBe('revoke_unverified')
})

test('an aborted verification has no outcome and is repeated later', async () => {
  const stopping = new AbortController()
  const outcome = revoke({ current: () => undefined }, members, { signal: stopping.signal })
  stopping.abort()
  await expect(outcome).rejects.toThrow()
})
