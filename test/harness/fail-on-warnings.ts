import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach } from 'vitest'

/** The file that record-warnings.cjs writes, in this process and in all that it starts. */
const path = join(tmpdir(), `postern-warnings-${randomUUID()}`)
process.env.TEST_WARNINGS = path

function failOnWarnings(): void {
  if (!existsSync(path)) return
  const warnings = readFileSync(path, 'utf8')
  rmSync(path)
  throw new Error(`Node warned: ${warnings}`)
}

afterEach(failOnWarnings)
// Catches warnings of a process that is ending.
afterAll(failOnWarnings)
