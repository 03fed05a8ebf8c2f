import { GatewayError } from '../domain/errors.ts'
import { type UrlRefusal, urlRefusalText } from '../net/target-url.ts'

/** The error for a URL that may not be a target. */
export const urlRefused = (field: string, reason: UrlRefusal): GatewayError =>
  new GatewayError(reason === 'https_required' ? 'https_required' : 'url_not_allowed', urlRefusalText(field, reason), {
    param: field,
  })
