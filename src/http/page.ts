import { invalid } from '../domain/errors.ts'
import type { Page, PageRequest } from '../store/page.ts'
import type { Identity } from './identity.ts'
import type { Deps } from './deps.ts'

const DEFAULT_LIMIT = 50

interface PageQuery {
  limit?: number
  cursor?: string
}

/** The caller of lists that belong to no account. */
export const OPERATOR = 'operator'

/**
 * One list as an account, or the operator, reads it with these filters. Its cursors are sealed: the last row of a page
 * may be one that the caller must not see, and a cursor of another list, account or filter cannot be opened.
 */
export function pagesOf<Query extends PageQuery>(
  { seal }: Pick<Deps, 'seal'>,
  caller: Identity | typeof OPERATOR,
  list: string,
  { limit, cursor, ...filters }: Query,
) {
  const filter = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))
  const about = `cursor ${JSON.stringify([list, caller === OPERATOR ? OPERATOR : caller.account.id, filter])}`
  const request: PageRequest = {
    limit: limit ?? DEFAULT_LIMIT,
    cursor: cursor === undefined ? null : open(seal, cursor, about),
  }
  const next = (position: string | null) =>
    position === null ? null : seal.seal(position, about).toString('base64url')
  return {
    request,
    next,
    answer: <T, U>(page: Page<T>, map: (item: T) => U): { data: U[]; next_cursor: string | null } => ({
      data: page.data.map(map),
      next_cursor: next(page.nextCursor),
    }),
  }
}

function open(seal: Deps['seal'], cursor: string, about: string): string {
  try {
    return seal.open(Buffer.from(cursor, 'base64url'), about).toString()
  } catch {
    throw invalid('cursor must be a next_cursor of this list, with the same filters', 'cursor')
  }
}
