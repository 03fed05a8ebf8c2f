import { expect, it } from 'vitest'
import { answeringSocket, error, type Weather } from '../../../../test/harness/answering-socket.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createLibraryCache } from '../engine/library-cache.ts'
import { DeviceLists } from '../recipients/device-lists.ts'
import { addressOf } from './addressing.ts'

const NUMBER = '5511950000011@s.whatsapp.net'
const FORMER = '200000000000011@lid'
const LATTER = '200000000000099@lid'

/** Writes to a number, with what is known of hidden identifiers before. */
function writer(weather: Weather, known: Record<string, string>, ownLid: string | null = '100000000000001:3@lid') {
  const { sock, asked, stored } = answeringSocket(weather)
  const lists = new DeviceLists(createLibraryCache(100, { ms: 3_600_000, clock: systemClock }))
  const lidOf = async (jid: string) => stored.findLast(({ pn }) => pn === jid)?.lid ?? known[jid]
  const contacts: string[] = []
  Object.assign(sock, {
    onWhatsApp: async (jid: string) => {
      contacts.push(jid)
      return []
    },
  })
  const context = {
    correctedNumbers: new Map(),
    recipients: { lists },
    callbacks: { addressing: () => 'auto' },
    link: { state: () => ({ auth: { creds: { me: { lid: ownLid ?? undefined } } } }) },
    sessionId: '5511900000000@s.whatsapp.net',
    lids: { lidOf, phoneOf: async (jid: string) => jid },
  }
  const address = () => addressOf(context as never, { sock } as never, NUMBER)
  return { address, asked, contacts }
}

it.each(['429', '503'])('a temporary error for the devices does not make the recipient invalid (%s)', async code => {
  const { address } = writer({ lists: { [NUMBER]: error(code) } }, {})
  await expect(address()).rejects.toMatchObject({ failure: { kind: 'transient' } })
})

it('an answer without a list does not make the recipient invalid', async () => {
  const { address } = writer({ hasNoList: true }, {})
  await expect(address()).rejects.toMatchObject({ failure: { kind: 'transient' } })
})

it('a number with a new owner is not addressed under the hidden identifier of its former owner', async () => {
  const { address, asked } = writer({ lids: { [NUMBER]: LATTER } }, { [NUMBER]: FORMER })
  expect(await address()).toMatchObject({ to: LATTER, phone: NUMBER })
  await address()
  expect(asked).toHaveLength(1)
})

it('a known number costs one query', async () => {
  const { address, asked } = writer({ lids: { [NUMBER]: FORMER } }, { [NUMBER]: FORMER })
  expect(await address()).toMatchObject({ to: FORMER, form: 'lid' })
  await address()
  expect(asked).toHaveLength(1)
})

it('a number that does not know its own hidden identifier addresses people by number', async () => {
  const { address } = writer({ lids: { [NUMBER]: FORMER } }, {}, null)
  expect(await address()).toMatchObject({ to: NUMBER, form: 'pn' })
})

it('a number that is not on the platform costs a query for its devices and one for the contact', async () => {
  const { address, asked, contacts } = writer({ lists: { [NUMBER]: error('404') } }, {})
  await expect(address()).rejects.toMatchObject({ failure: { reason: 'INVALID_RECIPIENT' } })
  expect(asked).toHaveLength(1)
  expect(contacts).toEqual([NUMBER])
})
