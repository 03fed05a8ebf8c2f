import type { Call } from '../repository.ts'
import { createErasure, eraseStep, getErasure, takeErasure } from './erasures.ts'
import { listNumberIds, searchRows } from './search.ts'

/** Searches the data of an account for one person, and erases what names the person. */
export interface ErasureRepository {
  createErasure: Call<typeof createErasure>
  eraseStep: Call<typeof eraseStep>
  getErasure: Call<typeof getErasure>
  listNumberIds: Call<typeof listNumberIds>
  searchRows: Call<typeof searchRows>
  takeErasure: Call<typeof takeErasure>
}

export const erasures = {
  reads: { getErasure, listNumberIds, searchRows },
  writes: { createErasure, eraseStep, takeErasure },
  batches: {},
}
