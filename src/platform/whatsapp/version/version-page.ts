import { revisionOf } from '../../../domain/client-version.ts'

/** The revision that a page of the platform's own says its client has, also where the page quotes it in a text. */
export function revisionOnPage(page: string): number | undefined {
  const revision = /\bclient_revision\\?"\s*:\s*(\d{10})(?!\d)/.exec(page)?.[1]
  return revision === undefined ? undefined : Number(revision)
}

/** The newest revision of the list of versions that wa-version publishes. */
export function revisionInList(list: string): number | undefined {
  const current = readJson(list)?.currentVersion
  return typeof current === 'string' ? revisionOf(current.replace(/-alpha$/, '')) : undefined
}

function readJson(text: string): { currentVersion?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
