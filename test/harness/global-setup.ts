import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { findChromium } from './chromium.ts'
import { type Pooler, startPooler } from './pgbouncer.ts'
import { findBinaries, type PostgresServer, startPostgres } from './postgres.ts'
import { findProgram, installPackages } from './programs.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers the address of a new, empty PostgreSQL database at `database`, and a pooler's port at `pooler`. */
    databases: string
  }
}

/**
 * Threads and child processes run the compiled program, so the suite builds it once before the first test.
 * Type errors are the business of `npm run typecheck`, which `npm test` runs first.
 * What is missing is installed first, in one go, where that can be done; else the tests that need it say so.
 * One PostgreSQL serves the whole run, and starts when the first test asks for a database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = missingPackages()
  if (missing.length > 0) installPackages(...missing)
  for (const project of ['simulator/tsconfig.build.json', 'tsconfig.build.json'])
    spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { stdio: 'ignore' })
  if (!existsSync('dist/docs/index.html')) spawnSync(process.execPath, ['site/make.mjs'], { stdio: 'ignore' })
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

function missingPackages(): string[] {
  const needed: Array<[string | undefined, string]> = [
    [findBinaries(), 'postgresql'],
    [findChromium(), 'chromium'],
    [findProgram('php'), 'php-cli'],
    [findProgram('go'), 'golang-go'],
    [findProgram('pgbouncer'), 'pgbouncer'],
    [findProgram('python3'), 'python3'],
    [findProgram('pip3'), 'python3-pip'],
  ]
  return needed.filter(([found]) => found === undefined).map(([, name]) => name)
}
