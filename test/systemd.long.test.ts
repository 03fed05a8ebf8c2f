import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { needProgram } from './harness/programs.ts'

const UNIT = join(import.meta.dirname, '../deploy/postern.service')

it('systemd rates the service file as hardly exposed', () => {
  const program = needProgram('systemd-analyze', 'systemd')
  const { stdout } = spawnSync(program, ['security', '--offline=true', UNIT], { encoding: 'utf8' })
  const level = /Overall exposure level for postern\.service: ([\d.]+) OK/.exec(stdout)?.[1]
  expect(Number(level)).toBeLessThanOrEqual(1.3)
})

it('the service file uses only directives that systemd knows', () => {
  const { stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' })
  const said = stderr.split('\n').filter(line => line.startsWith('postern.service') || line.includes(UNIT))
  // The program is not installed here.
  expect(said.filter(line => !line.includes('/opt/postern/bin/postern is not executable'))).toEqual([])
})
