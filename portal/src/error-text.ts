import { t } from './t.ts'

/** What went wrong, in words for people. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : t('Something went wrong.')

/** What the gateway's log calls the request that failed, where it has answered one. */
export function requestIdOf(error: unknown): string | null {
  const { requestId } = (error ?? {}) as { requestId?: unknown }
  return typeof requestId === 'string' ? requestId : null
}
