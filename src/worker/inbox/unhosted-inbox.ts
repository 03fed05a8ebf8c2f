import type { Proxy } from '../../domain/proxy.ts'
import { aboutProxy } from '../../domain/sealed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'
import type { Store } from '../../store/store.ts'
import type { HostIdentity } from '../../store/hosting/hosting.ts'
import type { UnhostedInbox } from '../../store/inbox/unhosted-inbox.ts'
import { StoredReceivedFiles } from './received-files.ts'
import { SealedDeviceStorage } from './sealed-device-storage.ts'
import { InboxProcessor } from './inbox-processor.ts'
import { HeldLease } from '../held-lease.ts'
import { Inbox } from './inbox.ts'
import type { HostDeps } from '../deps.ts'
import type { LeaseDeadline } from '../lease-deadline.ts'
import { SentMessages } from '../sent-messages.ts'

const BATCH = 8
const DRAIN_POLL_MS = 200

interface UnhostedDeps extends Omit<HostDeps, 'store'> {
  store: Pick<Store, 'devices' | 'endpoints' | 'inbox' | 'leases' | 'media' | 'messages' | 'traces'>
  platform: Platform
  identity: HostIdentity
  suspects: Semaphore
}

/**
 * Publishes the items that logged-out devices received before, if their host ended first. No host has a link for such a
 * device any more, so any host of the network does it without one.
 */
export async function processUnhosted(
  deps: UnhostedDeps,
  leaseDeadline: LeaseDeadline,
  signal: AbortSignal,
): Promise<void> {
  const { store, identity } = deps
  if (signal.aborted || !(await store.inbox.hasUnhostedInbox(identity))) return
  const taken = await store.inbox.takeUnhostedInboxes({ ...identity, limit: BATCH })
  await Promise.all(
    taken.map(async unhosted => {
      const heldLease = new HeldLease(deps, unhosted.lease, leaseDeadline)
      try {
        await processAll(deps, heldLease, unhosted, signal)
      } finally {
        heldLease.end()
        await store.leases.releaseLeases([heldLease.lease])
      }
    }),
  )
}

async function processAll(
  deps: UnhostedDeps,
  heldLease: HeldLease,
  { accountId, device, proxy: sealed }: UnhostedInbox,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId } = heldLease
  deps.log.info({ session: sessionId }, 'inbox.taken_over')
  const inbox = new Inbox(deps, heldLease)
  const proxy = sealed && deps.seal.openJson<Proxy>(sealed, aboutProxy(sessionId))
  const interpreter = deps.platform.readOffline(
    { sessionId, device, proxy },
    new SealedDeviceStorage(deps, heldLease, inbox, new StoredReceivedFiles(deps, heldLease)),
  )
  const processor = new InboxProcessor({
    ...deps,
    heldLease,
    inbox,
    interpreter,
    sentMessages: new SentMessages(deps),
    accountId: () => accountId,
    isPaced: () => false,
  })
  try {
    await inbox.open()
    processor.start()
    while (!signal.aborted && heldLease.isValid() && !(await processor.drained(DRAIN_POLL_MS)));
  } finally {
    await processor.stop()
  }
}
