import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cells } from './harness/matrix.ts'

const ROOT = resolve(import.meta.dirname, '..')
const { scripts } = (await import('../package.json', { with: { type: 'json' } })).default

test.each(
  cells(
    [
      'alarms',
      'chaos',
      'compose',
      'field',
      'fuzz',
      'image',
      'n8n',
      'package',
      'release',
      'scale',
      'screenshots',
      'soak',
      'upgrade-trial',
    ] as const,
    2,
  ),
)('npm run %s takes minutes, and --help says first what it would do', async name => {
  const file = scripts[name].split(' ').at(-1)!
  const { stdout } = await promisify(execFile)(process.execPath, [file, '--help'], { cwd: ROOT })
  expect(stdout).toContain(`npm run ${name}`)
})
