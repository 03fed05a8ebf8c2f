import { readSealedUnder, replaceSealed } from './resealing.ts'
import type { Call } from '../repository.ts'

/** Rows sealed under an old key, after a key rotation. */
export interface ResealingRepository {
  readSealedUnder: Call<typeof readSealedUnder>
  replaceSealed: Call<typeof replaceSealed>
}

export const resealing = {
  reads: {
    readSealedUnder,
  },
  writes: {
    replaceSealed,
  },
  batches: {},
}
