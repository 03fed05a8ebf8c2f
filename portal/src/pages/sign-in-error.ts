import { ApiError } from '../api/client.ts'
import { errorText } from '../error-text.ts'
import { lookUp } from '../look-up.ts'
import { t } from '../t.ts'

/** Errors before the sign-in, in the language of the page instead of the English of the API. */
const WORDS: Record<string, string> = {
  sign_in_failed: t('Email or password is wrong'),
  too_many_attempts: t('Too many attempts to sign in; wait before the next'),
  already_exists: t('This email is in use; sign in instead'),
  link_expired: t('This sign-in link was used or has expired; make another one with: postern sign-in-link'),
}

export const signInError = (error: unknown): string =>
  (error instanceof ApiError && error.code !== null && lookUp(WORDS, error.code)) || errorText(error)
