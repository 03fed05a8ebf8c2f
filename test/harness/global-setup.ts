import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { findChromium } from './chromium.ts'
import { type Pooler, startPooler } from './pgbouncer.ts'
import { findBinaries, type PostgresServer, startPostgres } from './postgres.ts'
import { findProgram, installPackages } from './programs.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Returns the address of a new, empty PostgreSQL database at `database`, and a pooler's port at `pooler`. */
    databases: string
  }
}

/**
 * Builds the program, installs missing programs, and offers one PostgreSQL server to the whole run, which starts when
 * the first test requests a database. A failure here ends the run immediately.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  installMissing()
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The build failed: see above.')
  let postgres: Promise<PostgresServer> | undefined
  let pooler: Promise<Pooler> | undefined
  const wanted = async (what: string): Promise<string> => {
    postgres ??= startPostgres()
    if (what === '/database') return await (await postgres).createDatabase()
    pooler ??= postgres.then(({ port }) => startPooler(port))
    return String((await pooler).port)
  }
  const desk = createServer((request, response) => {
    wanted(request.url!).then(
      text => response.end(text),
      (error: unknown) => response.writeHead(500).end((error as Error).message),
    )
  })
  await new Promise<void>(resolve => desk.listen(0, '127.0.0.1', resolve))
  project.provide('databases', `http://127.0.0.1:${(desk.address() as AddressInfo).port}/`)
  return async () => {
    desk.close()
    await (await pooler)?.stop()
    await (await postgres)?.stop()
  }
}

function installMissing(): void {
  const needed: Array<[string | undefined, string]> = [
    [findBinaries(), 'postgresql'],
    [findProgram('pgbouncer'), 'pgbouncer'],
    [findChromium(), 'chromium'],
    [findProgram('php'), 'php-cli'],
    [findProgram('go'), 'golang-go'],
    [findProgram('python3'), 'python3'],
    [findProgram('pip3'), 'python3-pip'],
    [findProgram('openssl'), 'openssl'],
    [findProgram('microsocks'), 'microsocks'],
    [findProgram('tinyproxy'), 'tinyproxy-bin'],
  ]
  const missing = needed.filter(([found]) => found === undefined).map(([, name]) => name)
  if (missing.length === 0 || installPackages()) return
  throw new Error(`The tests need ${missing.join(', ')}. On Debian, run as root: scripts/setup-debian.sh`)
}
