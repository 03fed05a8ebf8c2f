import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import type { HostIdentity } from '../../store/units/hosting/hosting.ts'
import type { UnhostedInbox } from '../../store/units/inbox/unhosted-inbox.ts'
import { SealedDeviceStorage } from './sealed-device-storage.ts'
import { Forwarder } from './forwarder.ts'
import { Hold } from '../hold.ts'
import { Inbox } from './inbox.ts'
import type { HostParts } from '../parts.ts'
import { Repeating } from '../../repeating.ts'

const AT_ONCE = 8
const LOOK_MS = 200

interface UnhostedParts extends Omit<HostParts, 'store'> {
  store: Pick<Store, 'commands' | 'inbox' | 'leases'>
  platform: Platform
  identity: HostIdentity
}

/**
 * Tells of what devices received before they were logged out, where their host ended before it had told all of it.
 * Nobody hosts those any more, so any host of the network does it, without a link.
 */
export async function forwardUnhosted(parts: UnhostedParts, signal: AbortSignal): Promise<void> {
  const { store, config, clock, identity } = parts
  if (signal.aborted || !(await store.inbox.hasUnhostedInbox(identity.platform))) return
  const askedAtMs = clock.monotonicMs()
  const taken = await store.inbox.takeUnhostedInboxes({ ...identity, limit: AT_ONCE, ttlMs: config.leaseTtlMs })
  await Promise.all(
    taken.map(async unhosted => {
      const hold = new Hold(parts, unhosted.lease, askedAtMs)
      try {
        await forwardAll(parts, hold, unhosted, signal)
      } finally {
        hold.end()
        await store.leases.releaseLeases({ owner: identity.id, leases: [hold.lease] })
      }
    }),
  )
}

async function forwardAll(
  parts: UnhostedParts,
  hold: Hold,
  { accountId, device }: UnhostedInbox,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = hold
  parts.log.info({ session: sessionId }, 'inbox.unhosted')
  const inbox = new Inbox(parts, hold)
  const interpreter = parts.platform.readOffline({ sessionId, device }, new SealedDeviceStorage(parts, hold, inbox))
  const forwarder = new Forwarder({ ...parts, hold, inbox, interpreter, accountId: () => accountId })
  const over = new AbortController()
  const renewing = new Repeating(parts, 'inbox.renew', () => renew(parts, hold)).run(over.signal)
  try {
    await inbox.open()
    forwarder.start()
    while (!signal.aborted && hold.lasts() && !(await forwarder.drained(LOOK_MS)));
  } finally {
    over.abort()
    await Promise.all([renewing, forwarder.stop()])
  }
}

async function renew({ store, clock, config, identity }: UnhostedParts, hold: Hold): Promise<number> {
  const askedAtMs = clock.monotonicMs()
  const renewal = { owner: identity.id, leases: [hold.lease], ttlMs: config.leaseTtlMs }
  const held = await store.leases.renewLeases(renewal)
  if (held.length > 0) hold.renewed(askedAtMs)
  else hold.end()
  return config.leaseTtlMs / 4
}
