import { beginMove, endMove, markMoved, readMarks, takeBackMove } from './marks.ts'
import { readRows, writeRows } from './rows.ts'
import { listTables } from './tables.ts'

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
