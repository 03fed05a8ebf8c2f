import { expect, it } from 'vitest'
import { answeringSocket, error, type Weather } from '../../../../test/harness/answering-socket.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { createLibraryCache } from '../engine/library-cache.ts'
import { failureOfLibrary } from '../errors.ts'
import { DeviceLists, nameOfDevice } from './device-lists.ts'
import { GroupKeys } from './group-keys.ts'
import { Recipients } from './recipients.ts'

const PERSON = '200000000000011@lid'
const COMPUTER = '200000000000011:4@lid'
const OWN = '100000000000001@lid'
const GROUP = '120363000000000001@g.us'

/** What a platform makes of messages, with a person who has a phone and a computer. */
function platformWith(trouble: Weather) {
  const weather: Weather = { linked: [PERSON], ...trouble }
  const { sock, asked } = answeringSocket(weather)
  const lists = new DeviceLists(createLibraryCache(100, { ms: 3_600_000, clock: systemClock }))
  const lids = { lidOf: async () => undefined, phoneOf: async () => undefined, namesOf: async (jid: string) => [jid] }
  const keys = () => sock.authState.keys as never
  const recipients = new Recipients({
    lists,
    lids,
    groups: { forget: () => {}, find: async () => ({ participants: [{ id: PERSON }] }) as never },
    groupKeys: new GroupKeys({ keys, changed: () => undefined, lids, ownDevices: () => [] }),
    heavyWork: { mayBegin: async () => {} },
    state: () => undefined,
  })
  /** The devices that a message to this chat would leave for, and how often the platform was asked meanwhile. */
  const send = async (to: string) => {
    const before = asked.length
    let reached: string[] = []
    await recipients.reach(sock, to, {}, async () => {
      reached = (lists.known(PERSON) ?? []).map(nameOfDevice)
    })
    recipients.finish(to, true)
    return { reached, questions: asked.length - before }
  }
  const failure = (to: string) => send(to).catch(failed => failureOfLibrary(failed, 'the recipient').failure)
  const calmDown = () => {
    for (const key of Object.keys(trouble)) delete weather[key as keyof Weather]
  }
  return { send, failure, calmDown }
}

const TRANSIENT = { kind: 'transient' }
const both = [PERSON, COMPUTER]

it.each<[string, Weather]>([
  ['the list of devices is refused for now', { lists: { [PERSON]: error('503') } }],
  ['too much was asked', { lists: { [PERSON]: error('429') } }],
  ['the answer has no list', { hasNoList: true }],
  ['all lists are refused for now', { refusesLists: 503 }],
  ['all lists are forbidden for now', { refusesLists: 403 }],
  ['the keys of the phone are refused for now', { keys: { [PERSON]: error('503') } }],
  ['all keys are refused for now', { refusesKeys: 503 }],
  ['all keys are forbidden for now', { refusesKeys: 403 }],
])('a message waits if %s, and then goes to every device', async (_what, trouble) => {
  const platform = platformWith(trouble)
  expect(await platform.failure(PERSON)).toMatchObject(TRANSIENT)
  platform.calmDown()
  expect((await platform.send(PERSON)).reached).toEqual(both)
})

it.each<[string, Weather, string[]]>([
  ['the keys of the phone are gone', { keys: { [PERSON]: error('404') } }, [COMPUTER]],
  ['the keys of the computer are gone', { keys: { [COMPUTER]: error('406') } }, [PERSON]],
])('a message goes to the other devices if %s', async (_what, trouble, reached) => {
  const platform = platformWith(trouble)
  expect((await platform.send(PERSON)).reached).toEqual(reached)
})

it.each([404, 406])('missing keys of all devices do not make the recipient invalid (%i)', async refusesKeys => {
  expect(await platformWith({ refusesKeys }).failure(PERSON)).toMatchObject(TRANSIENT)
})

it.each<[string, Weather, string[]]>([
  ['devices', { lists: { [PERSON]: error('503') } }, []],
  ['keys', { keys: { [PERSON]: error('503') } }, [COMPUTER]],
])(
  'a group is not held up by a member whose %s are refused for now, and the next message asks again',
  async (_what, trouble, reached) => {
    const platform = platformWith(trouble)
    expect((await platform.send(GROUP)).reached).toEqual(reached)
    platform.calmDown()
    expect((await platform.send(GROUP)).reached).toEqual(both)
  },
)

it('a number whose own phone has no keys queries once', async () => {
  const platform = platformWith({ keys: { [OWN]: error('406') } })
  expect(await platform.send(PERSON)).toEqual({ reached: both, questions: 2 })
  expect(await platform.send(PERSON)).toEqual({ reached: both, questions: 0 })
})
