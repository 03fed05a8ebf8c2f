import type { Call } from '../repository.ts'
import {
  beginImport,
  clearForImport,
  dropAbandonedImport,
  dropImport,
  finishImport,
  renewImport,
  writeImported,
} from './arrive.ts'
import { countWaitingCommands, failSomeWaiting, readMovedNumber, stopForMove, takeBackNumber } from './leave.ts'
import { listNumberTables, readNumberRows, readNumberSettings } from './number-tables.ts'

/** Numbers on their way between gateways. */
export interface MovedNumberRepository {
  beginImport: Call<typeof beginImport>
  clearForImport: Call<typeof clearForImport>
  countWaitingCommands: Call<typeof countWaitingCommands>
  dropAbandonedImport: Call<typeof dropAbandonedImport>
  dropImport: Call<typeof dropImport>
  failSomeWaiting: Call<typeof failSomeWaiting>
  finishImport: Call<typeof finishImport>
  renewImport: Call<typeof renewImport>
  listNumberTables: Call<typeof listNumberTables>
  readMovedNumber: Call<typeof readMovedNumber>
  readNumberRows: Call<typeof readNumberRows>
  readNumberSettings: Call<typeof readNumberSettings>
  stopForMove: Call<typeof stopForMove>
  takeBackNumber: Call<typeof takeBackNumber>
  writeImported: Call<typeof writeImported>
}

export const movedNumbers = {
  reads: { countWaitingCommands, listNumberTables, readMovedNumber, readNumberRows, readNumberSettings },
  writes: {
    beginImport,
    clearForImport,
    dropAbandonedImport,
    dropImport,
    failSomeWaiting,
    finishImport,
    renewImport,
    stopForMove,
    takeBackNumber,
    writeImported,
  },
  batches: {},
}
