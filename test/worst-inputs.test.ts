import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repositories } from '../src/store/repositories.ts'

const BENCH = new URL('../bench/queries/queries.mjs', import.meta.url).pathname

it('the query bench runs every query and transaction of the store on its worst input', async () => {
  const methods = Object.entries(repositories).flatMap(([repository, { reads, writes, batches }]) =>
    Object.keys({ ...reads, ...writes, ...batches }).map(name => `${repository}.${name}`),
  )
  // It exits with 1 if a query is slow, which can happen on a busy machine.
  const run = promisify(execFile)(process.execPath, [BENCH, '--rows', '100', '--tries', '1'])
  const { stdout } = await run.catch((error: { stdout: string }) => error)
  const lines = stdout.split('\n').filter(line => line.startsWith('| '))
  expect(lines.filter(line => line.includes('**failed**'))).toEqual([])
  expect(methods.filter(method => !lines.some(line => line.split(/[ |]+/)[1] === method))).toEqual([])
})
