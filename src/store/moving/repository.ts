import { listTables, readRows, writeRows } from './tables.ts'
import { beginMove, endMove, markMoved, readMarks, takeBackMove } from './marks.ts'
import type { Call } from '../repository.ts'

/** Moves all data to another database. */
export interface MovingRepository {
  beginMove: Call<typeof beginMove>
  endMove: Call<typeof endMove>
  listTables: Call<typeof listTables>
  markMoved: Call<typeof markMoved>
  readMarks: Call<typeof readMarks>
  readRows: Call<typeof readRows>
  takeBackMove: Call<typeof takeBackMove>
  writeRows: Call<typeof writeRows>
}

export const moving = {
  reads: {
    listTables,
    readMarks,
    readRows,
  },
  writes: {
    beginMove,
    endMove,
    markMoved,
    takeBackMove,
    writeRows,
  },
  batches: {},
}
