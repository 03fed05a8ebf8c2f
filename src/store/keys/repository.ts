import { createKey, findKeyByHash, getKey, listKeys, revokeKey, touchKeys } from './keys.ts'
import type { Call } from '../repository.ts'

/** API keys. */
export interface KeyRepository {
  createKey: Call<typeof createKey>
  findKeyByHash: Call<typeof findKeyByHash>
  getKey: Call<typeof getKey>
  listKeys: Call<typeof listKeys>
  revokeKey: Call<typeof revokeKey>
  touchKeys: Call<typeof touchKeys>
}

export const keys = {
  reads: {
    findKeyByHash,
    getKey,
    listKeys,
  },
  writes: {
    createKey,
    revokeKey,
    touchKeys,
  },
  batches: {},
}
