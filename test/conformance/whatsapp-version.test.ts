import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { BUILT_IN, type ClientVersion } from '../../src/domain/client-version.ts'
import type { PairingStep } from '../../src/platform/platform.ts'
import { createVersionQuery } from '../../src/platform/whatsapp/version/query-version.ts'
import {
  ClientVersions,
  type VersionMemory,
  type VersionDeps,
} from '../../src/platform/whatsapp/version/client-versions.ts'
import { createWhatsApp, type WhatsAppNetwork } from '../../src/platform/whatsapp/whatsapp.ts'
import { createDeviceStorage } from '../harness/device-storage.ts'
import { until } from '../harness/until.ts'
import { hostDevice, type Hosted, type Rig, startRig } from '../harness/whatsapp-rig.ts'

/**
 * The version of the web client with which numbers are linked and log in. The sandbox names its own on a separate page.
 */

let last = 999_550_000_000
const nextDigits = (): string => String((last += 1))
const noLog = { log: { warn: () => {}, info: () => {} } as never }

/** A clock whose waits are shorter by this factor. */
const faster = (times: number): Clock => ({
  now: () => systemClock.now(),
  monotonicMs: () => systemClock.monotonicMs() * times,
  sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
})

/** The memory that the nodes share. */
function sharedMemory(): VersionMemory & { versions: Map<number, ClientVersion> } {
  const versions = new Map<number, ClientVersion>()
  return {
    versions,
    read: async () => [...versions.values()].sort((a, b) => b.revision - a.revision)[0],
    keep: async version => void versions.set(version.revision, version),
    forget: async revision => void versions.delete(revision),
  }
}

let rig: Rig
let versions: ClientVersions
const ending = new AbortController()

beforeAll(async () => {
  rig = await startRig({ versions: network => (versions = versionsOf(network)) })
  await until(() => versions.current.revision === published())
})
afterAll(async () => {
  ending.abort()
  await rig.close()
})

function versionsOf(network: WhatsAppNetwork, deps: Partial<VersionDeps> = {}): ClientVersions {
  const made = new ClientVersions({ clock: faster(100), query: createVersionQuery(network, systemClock), ...deps })
  void made.follow(noLog, ending.signal)
  return made
}

function sandbox(): WhatsAppNetwork {
  const { mediaHost, mediaCa, url, rootKey } = rig.simulator
  return { kind: 'sandbox', mediaHost, mediaCa, url, rootKey }
}

/** A number on another node, which knows other versions. */
async function linkWith(known: ClientVersions): Promise<Hosted> {
  const device = await rig.pair(nextDigits())
  const options = { clock: systemClock, network: sandbox(), versions: known, ackTimeoutMs: 5_000 }
  const platform = await createWhatsApp({ ...options, download: () => Promise.reject(new Error('not asked for')) })
  const number = hostDevice(platform, device, createDeviceStorage(device))
  await number.open()
  return number
}

const revisionOf = (number: Hosted): number => {
  const device = rig.simulator.network.users.get(number.jid.split('@')[0]!)!.devices.get(number.device.device)!
  return device.connection?.payload.userAgent?.appVersion?.tertiary ?? 0
}
const published = (): number => rig.simulator.network.versions.published
const refused = (number: Hosted) =>
  number.until(() => number.links.find(change => change.state === 'closed' && change.kind === 'refused'))

test('the built-in version is newer than the library’s, and the platform no longer accepts it', async () => {
  expect(BUILT_IN.revision).toBeGreaterThan(DEFAULT_CONNECTION_CONFIG.version[2])
  const takes = (tertiary: number) =>
    rig.simulator.network.versions.accepts({ userAgent: { appVersion: { primary: 2, secondary: 3000, tertiary } } })
  expect(takes(BUILT_IN.revision)).toBe(false)
  expect(takes(published())).toBe(true)
})

describe('A version that expires', () => {
  test('is the one that the platform’s page names, and numbers are linked and log in with it', async () => {
    const number = await rig.link(nextDigits())
    expect(revisionOf(number)).toBe(published())
    expect(rig.simulator.faults.versionRequests('page')).toBe(1)
    expect(rig.simulator.faults.versionRequests('list')).toBe(0)
  })

  test('is replaced automatically by a newer one, which is requested once for all refused numbers', async () => {
    const numbers = await Promise.all([0, 1, 2, 3].map(() => rig.link(nextDigits())))
    const { faults } = rig.simulator
    const asks = faults.versionRequests('page')
    const before = numbers.map(number => faults.logins(number.jid))
    faults.ageVersions()
    for (const number of numbers) faults.cut(number.jid)
    for (const number of numbers) {
      await number.until(() => revisionOf(number) === published() && number.links.at(-1)?.state === 'open')
      expect(number.links.filter(change => change.state === 'closed' && change.kind === 'refused')).toEqual([])
    }
    expect(numbers.map(number => faults.logins(number.jid))).toEqual(before.map(logins => logins + 2))
    expect(faults.versionRequests('page')).toBe(asks + 1)
  })

  test('stops a number with a readable reason if no newer one is known, and the number retries when there is one', async () => {
    const number = await rig.link(nextDigits())
    const { faults } = rig.simulator
    const before = faults.logins(number.jid)
    faults.ageVersions({ isPublished: false })
    faults.cut(number.jid)
    expect(await refused(number)).toMatchObject({ reason: expect.stringMatching(/newer version .* goes on asking/) })
    const asks = faults.versionRequests('page')
    await number.until(() => faults.versionRequests('page') > asks)
    expect(faults.logins(number.jid)).toBe(before + 1)
    faults.publishVersion()
    await number.until(() => number.links.at(-1)?.state === 'open')
    expect(faults.logins(number.jid)).toBe(before + 2)
  })

  test('makes a refused pairing report the reason, and show a code when there is a newer version', async () => {
    const { faults } = rig.simulator
    faults.ageVersions({ isPublished: false })
    const steps: PairingStep[] = []
    const digits = nextDigits()
    const pairing = rig.platform.pair(
      { method: 'qr' },
      step => {
        steps.push(step)
        if (step.kind === 'trouble') faults.publishVersion()
        if (step.kind === 'qr') void rig.simulator.linkByQr(step.qr, digits)
      },
      new AbortController().signal,
    )
    expect((await pairing).phone).toBe(digits)
    expect(steps.map(step => step.kind)).toEqual(['trouble', 'qr', 'scanned'])
    expect(steps[0]).toMatchObject({ why: expect.stringContaining('a newer version is needed') })
  })

  test('is shown and taken into account as soon as the platform announces it, and so is its withdrawal', async () => {
    const number = await rig.link(nextDigits())
    const { faults } = rig.simulator
    faults.expireVersion(number.jid, 1_800_000_000)
    await number.until(() => versions.current.expiresAtMs === 1_800_000_000_000)
    const asks = faults.versionRequests('page')
    await number.until(() => faults.versionRequests('page') > asks)
    faults.expireVersion(number.jid, null)
    await number.until(() => versions.current.expiresAtMs === null)
  })
})

describe('The pages that name the version', () => {
  afterEach(() => rig.simulator.faults.versionPages(null))

  const garbage = { kind: 'garbage' } as const
  const older = { kind: 'older' } as const
  const broken = { kind: 'status', status: 500 } as const

  async function asked(memory: VersionMemory, clock = systemClock): Promise<ClientVersion> {
    const asking = new ClientVersions({ clock, query: createVersionQuery(sandbox(), systemClock), memory })
    await asking.ready()
    return asking.current
  }

  test.each([
    ['garbage', garbage],
    ['500', broken],
  ])('include a public list, which is queried if the platform’s own page answers %s', async (_what, fault) => {
    rig.simulator.faults.versionPages(fault, ['page'])
    expect(await asked(sharedMemory())).toMatchObject({ revision: published(), source: 'fallback' })
  })

  test.each([
    ['garbage', garbage],
    ['500', broken],
    ['an older version', older],
    ['nothing at all', { kind: 'silence' } as const],
  ])(
    'leave the last good version in use if both answer %s: it survives a restart and is never downgraded',
    async (_what, fault) => {
      const memory = sharedMemory()
      const known = await asked(memory)
      expect(known).toMatchObject({ revision: published(), source: 'page' })
      memory.versions.set(known.revision, { ...known, confirmedAtMs: 0 })
      rig.simulator.faults.versionPages(fault)
      expect(await asked(memory, faster(10))).toMatchObject({ revision: known.revision })
      expect(await asked(sharedMemory(), faster(10))).toMatchObject({ revision: BUILT_IN.revision })
    },
  )

  test('leave the platform’s own version in use if the list names none newer than the refused one', async () => {
    rig.simulator.faults.versionPages(older, ['page'])
    const { named } = await createVersionQuery(sandbox(), systemClock)(published())
    expect(named).toMatchObject({ revision: rig.simulator.network.versions.older, source: 'page' })
  })

  test('are not queried again by a node that starts right after another', async () => {
    const memory = sharedMemory()
    await asked(memory)
    const asks = rig.simulator.faults.versionRequests('page')
    expect(await asked(memory)).toMatchObject({ revision: published() })
    expect(rig.simulator.faults.versionRequests('page')).toBe(asks)
  })
})

test('a version that another node has learnt reconnects the refused numbers', async () => {
  const memory = sharedMemory()
  const { faults } = rig.simulator
  const number = await linkWith(versionsOf(sandbox(), { memory }))
  faults.ageVersions({ isPublished: false })
  faults.cut(number.jid)
  await refused(number)
  const [, , revision] = rig.simulator.clientVersion
  await memory.keep({ revision, source: 'page', learntAtMs: 1, confirmedAtMs: 1, expiresAtMs: null })
  await number.until(() => number.links.at(-1)?.state === 'open')
  expect(revisionOf(number)).toBe(revision)
  await number.close()
  faults.publishVersion()
})

test('a version that the operator names is used unchanged, and no page is queried', async () => {
  const { faults } = rig.simulator
  const pin = published()
  const query = vi.fn(createVersionQuery(sandbox(), systemClock))
  const number = await linkWith(versionsOf(sandbox(), { pin, query }))
  expect(revisionOf(number)).toBe(pin)
  faults.ageVersions()
  faults.cut(number.jid)
  expect(await refused(number)).toMatchObject({ reason: expect.stringContaining('POSTERN_WHATSAPP_VERSION') })
  expect(query).not.toHaveBeenCalled()
  await number.close()
})
