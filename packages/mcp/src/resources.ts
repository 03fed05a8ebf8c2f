import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Resource {
  uri: string
  name: string
  title: string
  mimeType: string
}

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url))
const OPENAPI: Resource = {
  uri: 'postern://openapi.json',
  name: 'openapi.json',
  title: 'The HTTP interface and the events, as OpenAPI 3.1',
  mimeType: 'application/json',
}

/** The pages of `docs/`, and the description of the API that the gateway serves. */
export function listResources(): Resource[] {
  const pages = readdirSync(DOCS).filter(name => name.endsWith('.md'))
  return [OPENAPI, ...pages.sort().map(pageOf)]
}

function pageOf(name: string): Resource {
  const title = /^# (.+)$/m.exec(readFileSync(join(DOCS, name), 'utf8'))?.[1] ?? name
  return { uri: `postern://docs/${name}`, name, title, mimeType: 'text/markdown' }
}

/** `undefined` if no resource has this URI. Only listed files are read. */
export function readResource(uri: string, openApi: unknown): { mimeType: string; text: string } | undefined {
  const found = listResources().find(each => each.uri === uri)
  if (found === undefined) return undefined
  const text = found === OPENAPI ? JSON.stringify(openApi, null, 2) : readFileSync(join(DOCS, found.name), 'utf8')
  return { mimeType: found.mimeType, text }
}
