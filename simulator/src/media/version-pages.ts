import type { IncomingMessage, ServerResponse } from 'node:http'
import type { VersionPage, Versions } from '../server/versions.ts'

const PAGES: ReadonlyMap<string, VersionPage> = new Map([
  ['/sw.js', 'page'],
  ['/wa-version/versions.json', 'list'],
])

export const versionPageAt = (path: string): VersionPage | undefined => PAGES.get(path)

/** Serves the platform's own page, which only browsers get, and the version list that third parties publish. */
export function answerVersionPage(
  versions: Versions,
  which: VersionPage,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  versions.asked[which] += 1
  const fault = versions.faults.get(which)
  if (fault?.kind === 'silence') return
  if (fault?.kind === 'status') return void response.writeHead(fault.status).end()
  if (fault?.kind === 'garbage') return void response.end('<!doctype html><title>Try again later</title>')
  if (which === 'page' && !isBrowser(request)) return void response.writeHead(400).end()
  const revision = fault?.kind === 'older' ? versions.older : versions.published
  response.end(which === 'page' ? page(revision) : list(revision))
}

const isBrowser = ({ headers }: IncomingMessage): boolean =>
  (headers['user-agent'] ?? '').startsWith('Mozilla/') && headers['sec-fetch-site'] === 'none'

/** The version is configuration inside a string inside a script. */
const page = (revision: number): string =>
  `/*sw*/self.__swData=JSON.parse(${JSON.stringify(JSON.stringify({ dynamic_data: { client_revision: revision } }))});`

const list = (revision: number): string =>
  JSON.stringify({ currentBeta: null, currentVersion: `2.3000.${revision}-alpha`, versions: [] })
