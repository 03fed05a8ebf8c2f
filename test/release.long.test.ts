import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { VERSION } from '../src/version.ts'

const ROOT = join(import.meta.dirname, '..')
const out = mkdtempSync(join(tmpdir(), 'postern-release-'))
afterAll(() => rmSync(out, { recursive: true, force: true }))

it('a dry run of a release makes packages, bill of materials, notes and checksums, and leaves the tree unchanged', () => {
  const status = () => spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).stdout
  const before = status()
  const args = ['scripts/release/release.mjs', '--dry-run', '--no-image', '--out', out]
  const made = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect(made).toMatchObject({ status: 0, stderr: '' })
  expect(status()).toBe(before)
  expect(readdirSync(out).sort()).toEqual([
    'NOTES.md',
    'SHA256SUMS',
    `postern-${VERSION}.tgz`,
    `postern-sdk-${VERSION}.tgz`,
    `postern_sdk-${VERSION}-py3-none-any.whl`,
    'sbom.cdx.json',
  ])
  expect(spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out }).status).toBe(0)
  const notes = readFileSync(join(out, 'NOTES.md'), 'utf8')
  expect(notes).toMatch(new RegExp(`^# Postern ${VERSION}\n\n`))
  expect(notes).toMatch(/^### (Added|Changed|Fixed)\n\n/m)
})
