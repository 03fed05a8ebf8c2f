import { describe, expect, it } from 'vitest'
import { BUILT_IN, type PlatformVersion, versionText } from '../../src/domain/client-version.ts'
import { ask } from '../harness/client.ts'
import { onAnyStore, OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../harness/gateway.ts'
import { openKillSandbox } from '../harness/kill-sandbox.ts'
import type { SandboxNumber } from '../harness/linked-gateway.ts'
import { runCommand } from '../harness/command.ts'
import { newPlace, openStore } from '../harness/stores.ts'
import { until } from '../harness/until.ts'

const LEARNT_MS = Date.UTC(2026, 9, 1)
const learnt = (revision: number, more: Partial<PlatformVersion> = {}): PlatformVersion => ({
  platform: 'whatsapp',
  revision,
  source: 'page',
  learntAtMs: LEARNT_MS,
  confirmedAtMs: LEARNT_MS,
  expiresAtMs: null,
  ...more,
})

async function shown(gateway: TestGateway) {
  const overview = await gateway.operator('GET', '/operator/overview')
  const { text } = await ask(gateway.url, 'GET', '/metrics', { key: OPERATOR_TOKEN })
  return { versions: overview.json.platform_versions, metrics: text }
}

describe('The version of the web client', () => {
  onAnyStore(gateway => {
    it('is the newest that any node has learnt, and the operator sees it with its source and age', async () => {
      const { store } = gateway()
      await store.platformVersions.keepVersion({ ...BUILT_IN, platform: 'whatsapp' })
      await store.platformVersions.keepVersion(learnt(1_049_000_002))
      await store.platformVersions.keepVersion(learnt(1_049_000_001))
      const ageNow = () => (Date.now() - LEARNT_MS) / 1_000
      const before = ageNow()
      const { versions, metrics } = await shown(gateway())
      expect(versions).toEqual([
        {
          platform: 'whatsapp',
          version: '2.3000.1049000002',
          source: 'page',
          learnt_at: '2026-10-01T00:00:00.000Z',
          confirmed_at: '2026-10-01T00:00:00.000Z',
          expires_at: null,
        },
      ])
      expect(metrics).toContain('postern_platform_version_info{version="2.3000.1049000002",source="page"} 1')
      const age = Number(/^postern_platform_version_age_seconds\{source="page"\} ([\d.]+)$/m.exec(metrics)?.[1])
      // The count may be some seconds old.
      expect(age).toBeGreaterThan(before - 60)
      expect(age).toBeLessThanOrEqual(ageNow())
    })

    it('keeps the time when it became known; the times of its confirmation and expiry change', async () => {
      const { store } = gateway()
      const expiresAtMs = LEARNT_MS + 1_000
      const later = { learntAtMs: LEARNT_MS + 5_000, confirmedAtMs: LEARNT_MS + 5_000, expiresAtMs }
      await store.platformVersions.keepVersion(learnt(1_049_000_002, later))
      expect((await shown(gateway())).versions).toMatchObject([
        {
          learnt_at: '2026-10-01T00:00:00.000Z',
          confirmed_at: '2026-10-01T00:00:05.000Z',
          expires_at: '2026-10-01T00:00:01.000Z',
        },
      ])
      await store.platformVersions.keepVersion(learnt(1_049_000_002))
      expect((await shown(gateway())).versions).toMatchObject([{ expires_at: null }])
    })

    it('is not taken from a pinned version, and a learnt version stays learnt when it is pinned', async () => {
      const { store } = gateway()
      await store.platformVersions.keepVersion(learnt(1_049_000_009, { source: 'pinned', confirmedAtMs: null }))
      await store.platformVersions.keepVersion(learnt(1_049_000_002, { source: 'pinned', confirmedAtMs: null }))
      expect(await store.platformVersions.readVersion('whatsapp')).toMatchObject({
        revision: 1_049_000_002,
        source: 'page',
      })
    })

    it('falls back to the previous one if it is withdrawn', async () => {
      const { store } = gateway()
      await store.platformVersions.keepVersion(learnt(1_049_000_090, { source: 'fallback' }))
      await store.platformVersions.forgetVersion({ platform: 'whatsapp', revision: 1_049_000_090 })
      expect(await store.platformVersions.readVersion('whatsapp')).toMatchObject({ revision: 1_049_000_002 })
    })

    it('is stored with only the latest ones before it', async () => {
      const { store } = gateway()
      for (let revision = 1_049_100_000; revision < 1_049_100_060; revision++)
        await store.platformVersions.keepVersion(learnt(revision, { platform: 'sandbox' }))
      const kept = (await store.platformVersions.listVersions()).filter(({ platform }) => platform === 'sandbox')
      expect(kept).toHaveLength(50)
      expect(kept[0]!.revision).toBe(1_049_100_059)
    })
  })

  it('is shown as pinned if POSTERN_WHATSAPP_VERSION names it', async () => {
    const gateway = await startTestGateway('sqlite', { POSTERN_WHATSAPP_VERSION: '2.3000.1048000000' })
    const { versions, metrics } = await shown(gateway)
    expect(versions).toMatchObject([{ platform: 'whatsapp', version: '2.3000.1048000000', source: 'pinned' }])
    expect(metrics).toContain('postern_platform_version_info{version="2.3000.1048000000",source="pinned"} 1')
    await gateway.stop()
  })
})

describe('postern doctor', () => {
  async function doctor(versions: PlatformVersion[]): Promise<string> {
    const place = await newPlace('sqlite')
    const store = await openStore(place)
    for (const version of versions) await store.platformVersions.keepVersion(version)
    await store.close()
    const { stdout } = await runCommand(['doctor'], { ...place.env, POSTERN_PORT: '0' })
    place.remove()
    return stdout
  }

  it.each([
    [
      'that none was asked for yet',
      [],
      /^ok {4}version {3}2\.3000\.\d+ is built in; the gateway looks for a newer one/m,
    ],
    [
      'which one is in use, from where and since when',
      [learnt(1_049_000_000, { learntAtMs: Date.now() - 3 * 86_400_000 })],
      /^ok {4}version {3}2\.3000\.1049000000, from WhatsApp’s own page, known for 3 days$/m,
    ],
    [
      'that one is too old, and what to do',
      [learnt(BUILT_IN.revision, { source: 'built_in', learntAtMs: Date.now() - 90 * 86_400_000 })],
      /^FAIL {2}version {3}.*built in, known for 90 days\. .*reach https:\/\/web\.whatsapp\.com, or set POSTERN_WHATSAPP_VERSION/m,
    ],
    [
      'that the platform has said when one expires',
      [learnt(1_049_000_000, { learntAtMs: Date.now(), expiresAtMs: Date.UTC(2027, 0, 1) })],
      /^FAIL {2}version .*WhatsApp accepts it until 2027-01-01/m,
    ],
  ])('says %s', async (_what, versions, line) => {
    expect(await doctor(versions)).toMatch(line)
  })
})

it('sandbox numbers log in as the version that the sandbox names, and reconnect with a newer one when theirs is rejected', async () => {
  const sandbox = await openKillSandbox(2)
  const { faults } = sandbox.simulator
  const version = (): string => versionText(sandbox.simulator.clientVersion[2])
  const inUse = () =>
    sandbox.query<{ revision: number; source: string }>(
      "select revision, source from platform_versions where platform = 'sandbox' order by revision desc limit 1",
    )[0]!
  expect([versionText(inUse().revision), inUse().source]).toEqual([version(), 'page'])
  const before = sandbox.numbers.map(({ jid }) => faults.logins(jid))
  faults.ageVersions()
  for (const { jid } of sandbox.numbers) faults.cut(jid)
  await until(() => sandbox.allConnected() && versionText(inUse().revision) === version())
  // A client that connects later has the newer one already.
  const more = sandbox.numbers.map(({ jid }, i) => faults.logins(jid) - before[i]!)
  expect(
    more.every(logins => logins === 1 || logins === 2),
    more.join(),
  ).toBe(true)

  const [{ id, jid }] = sandbox.numbers as [SandboxNumber]
  const logins = faults.logins(jid)
  faults.ageVersions({ isPublished: false })
  faults.cut(jid)
  const session = await until(async () => {
    const { json } = await sandbox.ask('GET', `/v1/sessions/${id}`)
    return json.reason?.includes('newer version') && json
  })
  expect(session.reason).toMatch(
    /^the platform no longer accepts version 2\.3000\.\d{10} of its web client; .* goes on asking/,
  )
  expect(faults.logins(jid)).toBe(logins + 1)
  await sandbox.close()
})
