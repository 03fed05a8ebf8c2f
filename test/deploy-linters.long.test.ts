import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findProgram, unpackProgram } from './harness/programs.ts'

const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'postern-deploy-linters-'))
let shellcheck: string

/** Everything it prints. */
function run(program: string, args: string[], cwd = ROOT): string {
  const { stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (error !== undefined) throw error
  return stdout + stderr
}

beforeAll(() => {
  run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', 'dockerfile-utils@0.16.3'], folder)
  shellcheck = findProgram('shellcheck') ?? unpackProgram('shellcheck', folder, 'usr/bin/shellcheck')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(['deploy/Dockerfile', 'scripts/compose/stand-ins/Dockerfile'])(
  'dockerfile-utils finds no problem in %s',
  path => {
    expect(run(join(folder, 'node_modules/.bin/dockerfile-utils'), ['lint', path])).toBe('')
  },
)

it.each(['deploy/install.sh', 'deploy/make-secrets.sh', 'scripts/compose/stand-ins/start-database.sh'])(
  'shellcheck finds no problem in %s',
  path => {
    expect(run(shellcheck, [path])).toBe('')
  },
)
