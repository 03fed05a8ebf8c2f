import { addApiLog, getLoggedRequest, listApiLog } from './api-log.ts'
import { createAccount, getAccount, listAccounts, updateAccount } from './accounts.ts'
import { createKey, findKeyByHash, getKey, listKeys, revokeKey, touchKeys } from './keys.ts'
import { closeAccountStream, openAccountStream } from './open-streams.ts'
import { countApiNodes, settleRequests } from './request-meters.ts'
import { readStats } from './stats.ts'
import { readUsage } from './usage.ts'

export const accounts = {
  reads: {
    countApiNodes,
    findKeyByHash,
    getAccount,
    getKey,
    getLoggedRequest,
    listAccounts,
    listApiLog,
    listKeys,
    readStats,
    readUsage,
  },
  writes: {
    addApiLog,
    closeAccountStream,
    createAccount,
    createKey,
    openAccountStream,
    revokeKey,
    settleRequests,
    touchKeys,
    updateAccount,
  },
  batches: {},
}
