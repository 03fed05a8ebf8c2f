import { expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { createMemoryKeys } from '../device/memory-keys.ts'
import { Lids } from './lids.ts'

const [PHONE, LID, WRITTEN] = ['551187654321@s.whatsapp.net', '100000000000001@lid', '5511987654321@s.whatsapp.net']

it('a person is found under number, hidden identifier, hosted device and the number that a customer wrote', async () => {
  const { store } = createMemoryKeys()
  const lids = new Lids(() => store, systemClock)
  expect(await lids.namesOf(LID)).toEqual([LID])
  await lids.remember(LID, PHONE, 'message')
  await lids.rememberCorrection(WRITTEN, PHONE)
  await lids.rememberCorrection(WRITTEN, PHONE)
  expect(await lids.namesOf(`${LID.replace('@', ':7@')}`)).toEqual([LID, PHONE, WRITTEN])
  expect(await lids.namesOf('551187654321:99@hosted')).toEqual([PHONE, LID, WRITTEN])
  expect(await lids.otherNames([LID, PHONE, '15550001111@s.whatsapp.net', 'status@broadcast'])).toEqual(
    new Map([
      [LID, PHONE],
      [PHONE, LID],
    ]),
  )
})
