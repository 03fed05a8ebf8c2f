import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { removeAbandonedMedia, withFetchedMedia } from './fetch-media.ts'
import { readSealed, readSealedHead } from './sealed-file.ts'

const before = process.env['TMPDIR']
beforeEach(() => {
  process.env['TMPDIR'] = mkdtempSync(join(tmpdir(), 'postern-test-'))
})
afterEach(() => {
  rmSync(tmpdir(), { recursive: true })
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
})

test('files of a killed process of this user are removed, those of a running one, of other users and of other programs are not', async () => {
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  const names = ['postern-media-oldold', 'postern-media-newnew', 'postern-media-of-others', 'postern-media-kept12']
  const folders = [...names, 'somebody-else'].map(name => join(tmpdir(), name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, folder.endsWith('kept12') ? 'photo.jpg' : 'file'), 'content')
    if (!folder.endsWith('newnew')) utimesSync(folder, hoursAgo, hoursAgo)
  }
  // As the library names them.
  const encrypted = ['document3EB00123456789ABCDEF01-enc', 'image3EB0FFFFFFFFFFFFFFFFFF-enc', 'notes-enc']
  const files = encrypted.map(name => join(tmpdir(), name))
  for (const file of files) writeFileSync(file, 'encrypted')
  for (const file of [files[0]!, files[2]!]) utimesSync(file, hoursAgo, hoursAgo)
  await removeAbandonedMedia(systemClock, process.getuid!() + 1)
  expect([...folders, ...files].every(existsSync)).toBe(true)
  await removeAbandonedMedia(systemClock)
  expect(folders.map(existsSync)).toEqual([false, true, true, true, true])
  expect(files.map(existsSync)).toEqual([false, true, true])
})

test('a file is sealed and readable only by this user while it is sent, and removed afterwards', async () => {
  const content = Buffer.from(`%PDF-1.7 ${'a secret page '.repeat(20_000)}`)
  const source = { url: 'https://example.com/x.pdf', mediaType: 'document' } as const
  const body = Readable.from([content.subarray(0, 100_000), content.subarray(100_000)])
  const download = async () => ({ ok: true, contentType: 'application/pdf', body }) as const
  const paths = () => readdirSync(tmpdir(), { recursive: true }).map(name => join(tmpdir(), String(name)))
  const files = () => paths().filter(path => statSync(path).isFile())
  await withFetchedMedia(source, download, new AbortController().signal, async ({ file: copy, bytes, mimetype }) => {
    const file = copy!
    expect({ bytes, mimetype }).toEqual({ bytes: content.length, mimetype: 'application/pdf' })
    expect(files()).toEqual([file.path])
    const lying = readFileSync(file.path)
    expect(lying.length).toBe(content.length)
    expect(lying.includes('secret')).toBe(false)
    expect(lying.subarray(0, 5).equals(content.subarray(0, 5))).toBe(false)
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(Buffer.concat(await readSealed(file).toArray()).equals(content)).toBe(true)
    expect(Buffer.from(await readSealedHead(file, 8)).toString()).toBe('%PDF-1.7')
  })
  expect(files()).toEqual([])
})
