import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBackup } from '../../src/store/sqlite/backup.ts'
import { databasePath } from '../../src/store/sqlite/data-folder.ts'
import { runPostern, startProcess } from '../harness/process.ts'
import { newPlace } from '../harness/stores.ts'

const OWNER_ONLY = 0o700
const modeOf = (path: string): number => statSync(path).mode & 0o777
/** Files of the folder that users besides the owner can read, write or run. */
const openFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => (modeOf(join(entry.parentPath, entry.name)) & ~OWNER_ONLY) !== 0)
    .map(({ name }) => name)

async function end(running: { kill(signal: NodeJS.Signals): void; exited: Promise<unknown> }): Promise<void> {
  running.kill('SIGTERM')
  await running.exited
}

describe('Files of the gateway', () => {
  it('in a data folder that others can enter are readable by their owner alone, also those of an earlier start', async () => {
    const place = await newPlace('sqlite')
    chmodSync(place.dataDir, 0o755)
    const first = await startProcess(place)
    expect(readdirSync(place.dataDir)).toEqual(expect.arrayContaining(['postern.db', 'postern.db-wal', 'postern.lock']))
    expect(openFiles(place.dataDir)).toEqual([])
    await end(first)
    for (const name of ['postern.db', 'postern.lock']) chmodSync(join(place.dataDir, name), 0o644)
    const again = await startProcess(place)
    expect(openFiles(place.dataDir)).toEqual([])
    await end(again)
    place.remove()
  })

  it('that are copies of the database are created readable by their owner alone, and so is a restored database', async () => {
    const place = await newPlace('sqlite')
    await end(await startProcess(place))
    const umask = process.umask(0)
    try {
      const copy = join(place.dataDir, 'copy.db')
      writeBackup(databasePath(place.dataDir), copy)
      expect(modeOf(copy)).toBe(0o600)
      chmodSync(copy, 0o644)
      const restoring = runPostern(['restore', copy, '--replace'], place.env)
      expect((await restoring.exited).code, restoring.stderr()).toBe(0)
      expect(modeOf(databasePath(place.dataDir))).toBe(0o600)
    } finally {
      process.umask(umask)
    }
    place.remove()
  })
})
