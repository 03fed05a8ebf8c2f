import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runPostern } from './harness/process.ts'
import { until } from './harness/until.ts'

/** A separate file: in the suite's own each of these would fail its test. */
const path = join(tmpdir(), `postern-warnings-of-${process.pid}`)
let original: string | undefined

beforeEach(() => {
  original = process.env.TEST_WARNINGS
  process.env.TEST_WARNINGS = path
})
afterEach(() => {
  process.env.TEST_WARNINGS = original
  rmSync(path, { force: true })
})

const PILE_UP = `
  const { signal } = new AbortController()
  for (let i = 0; i < 11; i++) signal.addEventListener('abort', () => {})
`
const recorded = () =>
  until(async () => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return false
    }
  })

describe('A warning of Node fails the running test', () => {
  it('if it comes from the process of the test', async () => {
    process.emitWarning('listeners pile up', 'TestWarning')
    expect(await recorded()).toContain('TestWarning: listeners pile up')
  })

  it('if it comes from a thread', async () => {
    const thread = new Worker(PILE_UP, { eval: true })
    expect(await recorded()).toContain('MaxListenersExceededWarning')
    await thread.terminate()
  })

  it('if it comes from a process of the program', async () => {
    await runPostern(['help'], {}, ['--import', `data:text/javascript,${encodeURIComponent(PILE_UP)}`]).exited
    expect(await recorded()).toContain('MaxListenersExceededWarning')
  })
})
