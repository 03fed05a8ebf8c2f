import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { findChromium } from './chromium.ts'
import { findBinaries, type PostgresServer, startPostgres } from './postgres.ts'
import { findProgram, installPackages } from './programs.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers the address of a new, empty PostgreSQL database. */
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
  let postgres: Promise<PostgresServer> | undefined
  const desk = createServer((_request, response) => {
    postgres ??= startPostgres()
    postgres
      .then(server => server.createDatabase())
      .then(
        url => response.end(url),
        (error: unknown) => response.writeHead(500).end((error as Error).message),
      )
  })
  await new Promise<void>(resolve => desk.listen(0, '127.0.0.1', resolve))
  project.provide('databases', `http://127.0.0.1:${(desk.address() as AddressInfo).port}/`)
  return async () => {
    desk.close()
    await (await postgres)?.stop()
  }
}

function missingPackages(): string[] {
  const needed: Array<[string | undefined, string]> = [
    [findBinaries(), 'postgresql'],
    [findChromium(), 'chromium'],
    [findProgram('php'), 'php-cli'],
    [findProgram('go'), 'golang-go'],
  ]
  return needed.filter(([found]) => found === undefined).map(([, name]) => name)
}
