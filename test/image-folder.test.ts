import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ownFolder } from '../scripts/image/own-folder.mjs'

const place = mkdtempSync(join(tmpdir(), 'postern-own-'))
afterAll(() => rmSync(place, { recursive: true }))

describe('The folder that images are built in', () => {
  it('is created for its owner only, and used again', () => {
    const path = join(place, 'new')
    expect(ownFolder(path)).toBe(path)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(ownFolder(path)).toBe(path)
  })

  it('is rejected if others may write or look into it, and if it is a link', () => {
    const open = join(place, 'open')
    mkdirSync(open)
    chmodSync(open, 0o755)
    const link = join(place, 'link')
    symlinkSync(join(place, 'new'), link)
    for (const path of [open, link])
      expect(() => ownFolder(path)).toThrow(/is not a folder that only this user can access/)
  })
})
