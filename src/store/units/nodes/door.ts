import { foldUsage } from '../accounts/usage.ts'
import { readDeliveryDepth } from '../delivery/deliveries.ts'
import { listVersions } from '../hosting/platform-versions.ts'
import { readPoison } from '../inbox/poison.ts'
import { freeAllLeases, listLeases } from '../leases/leases.ts'
import { dropExpired } from '../retention/drop-expired.ts'
import { announceNode, countNumbers, forgetNode, listListening, listNodes, readQueueDepth, touchNode } from './nodes.ts'
import { dropMessages } from '../retention/drop-messages.ts'
import { dropMeters } from '../retention/drop-meters.ts'
import { readSealedUnder, replaceSealed } from './reseal.ts'
import { changeSetting, getSetting, settleSetting } from './settings.ts'

export const nodes = {
  reads: {
    countNumbers,
    getSetting,
    listLeases,
    listListening,
    listNodes,
    listVersions,
    readDeliveryDepth,
    readPoison,
    readQueueDepth,
    readSealedUnder,
  },
  writes: {
    announceNode,
    changeSetting,
    dropExpired,
    dropMessages,
    dropMeters,
    foldUsage,
    forgetNode,
    freeAllLeases,
    replaceSealed,
    settleSetting,
    touchNode,
  },
  batches: {},
}
