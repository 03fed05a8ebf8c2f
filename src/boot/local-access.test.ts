import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findAccess, writeLocalAccess } from './local-access.ts'

const ACCESS = { url: 'http://127.0.0.1:8080', token: 'ptl_x' }

describe('the access file of a running gateway', () => {
  let dataDir = ''
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'postern-access-'))
    writeLocalAccess(dataDir, 'node', ACCESS)
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))
  const path = (): string => join(dataDir, 'running', readdirSync(join(dataDir, 'running'))[0]!)

  it('is believed by the user who owns it, and by root if the owner has the data folder', () => {
    for (const uid of [process.getuid!(), 0]) expect(findAccess(dataDir, uid)).toMatchObject([ACCESS])
  })

  it('is ignored if another user owns it', () => {
    expect(findAccess(dataDir, process.getuid!() + 1)).toEqual([])
  })

  it('is ignored if other users can write it', () => {
    chmodSync(path(), 0o620)
    expect(findAccess(dataDir)).toEqual([])
  })

  it('is ignored if it is a link to a file elsewhere', () => {
    const real = join(dataDir, 'elsewhere')
    const link = path()
    renameSync(link, real)
    symlinkSync(real, link)
    expect(findAccess(dataDir)).toEqual([])
  })
})
