import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const LINTERS = ['@redocly/cli@2.73.0', '@stoplight/spectral-cli@6.16.3']
const folder = mkdtempSync(join(tmpdir(), 'postern-linters-'))

/** Its output, whatever its exit code. */
async function lint(name: string, ...args: string[]): Promise<string> {
  const program = join(folder, 'node_modules', '.bin', name)
  const said = run(program, ['lint', 'openapi.json', ...args], { cwd: folder, env: { ...process.env, CI: '1' } })
  return (await said.catch((error: { stdout: string }) => error)).stdout
}

beforeAll(async () => {
  await run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...LINTERS], { cwd: folder })
  copyFileSync(new URL('../openapi.json', import.meta.url), join(folder, 'openapi.json'))
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('Redocly finds no problem in openapi.json', async () => {
  const { totals } = JSON.parse(await lint('redocly', '--format', 'json')) as { totals: object }
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})

it('Spectral finds no problem in openapi.json', async () => {
  expect(await lint('spectral')).toBe("No results with a severity of 'error' found!\n")
})
