import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeAbandonedMedia } from './fetch-media.ts'

const before = process.env['TMPDIR']
beforeEach(() => {
  process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'postern-test-'))
})
afterEach(() => {
  rmSync(tmpdir(), { recursive: true })
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
})

test('files that a killed process left behind are removed, those of a running one and of strangers are not', async () => {
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  const folders = ['postern-media-old', 'postern-media-new', 'somebody-else'].map(name => join(tmpdir(), name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), 'content')
    if (!folder.endsWith('new')) utimesSync(folder, hoursAgo, hoursAgo)
  }
  await removeAbandonedMedia()
  expect(folders.map(existsSync)).toEqual([false, true, true])
})
