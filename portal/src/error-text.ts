import { t } from './t.ts'

/** What went wrong, in words for people. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : t('Something went wrong.')

/** The request id of a failed request in the gateway's log, if there was a response. */
export function requestIdOf(error: unknown): string | null {
  const { requestId } = (error ?? {}) as { requestId?: unknown }
  return typeof requestId === 'string' ? requestId : null
}
