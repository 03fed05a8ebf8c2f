import type { Platform } from '../platform/platform.ts'
import type { HostIdentity } from '../store/units/hosting/hosting.ts'
import type { StrandedInbox } from '../store/units/inbox/stranded-inbox.ts'
import { createDeviceStorage } from './device-storage.ts'
import { createForwarder } from './forward-inbox.ts'
import type { HostParts } from './parts.ts'
import { Hold } from './hold.ts'

const AT_ONCE = 8
const LOOK_MS = 200

/**
 * Tells of what devices received before they were logged out, where their host ended before it had told all of it.
 * Nobody hosts those any more, so any host of the network does it, without a link.
 */
export async function forwardStranded(
  parts: HostParts,
  platform: Platform,
  identity: HostIdentity,
  signal: AbortSignal,
): Promise<void> {
  const { store, config } = parts
  if (signal.aborted || !(await store.inbox.hasStrandedInbox(identity.platform))) return
  const askedAtMs = parts.clock.monotonicMs()
  const taken = await store.inbox.takeStrandedInboxes({ ...identity, limit: AT_ONCE, ttlMs: config.leaseTtlMs })
  await Promise.all(
    taken.map(async stranded => {
      const hold = new Hold(parts, stranded.lease, askedAtMs)
      try {
        await forwardOne(parts, platform, identity, stranded, hold, signal)
      } finally {
        hold.end()
        await store.leases.releaseLeases({ owner: identity.id, leases: [stranded.lease] })
      }
    }),
  )
}

async function forwardOne(
  parts: HostParts,
  platform: Platform,
  identity: HostIdentity,
  { accountId, device }: StrandedInbox,
  hold: Hold,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = hold
  parts.log.info({ session: sessionId }, 'inbox.stranded')
  const forwarder = createForwarder({
    parts,
    hold,
    accountId: () => accountId,
    interpret: (item, stopping) => reader.interpret(item, stopping),
  })
  const reader = platform.readOffline({ sessionId, device }, createDeviceStorage(parts, hold, forwarder))
  const renewing = setInterval(() => void renew(parts, identity, hold).catch(() => {}), parts.config.leaseTtlMs / 4)
  try {
    await forwarder.prepare()
    await forwarder.start()
    while (!signal.aborted && hold.lasts() && !(await forwarder.drained(LOOK_MS)));
  } finally {
    clearInterval(renewing)
    await forwarder.stop()
  }
}

async function renew(parts: HostParts, identity: HostIdentity, hold: Hold): Promise<void> {
  const askedAtMs = parts.clock.monotonicMs()
  const renewal = { owner: identity.id, leases: [hold.lease], ttlMs: parts.config.leaseTtlMs }
  const held = await parts.store.leases.renewLeases(renewal)
  if (held.length > 0) hold.renewed(askedAtMs)
  else hold.end()
}
