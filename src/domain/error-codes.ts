/** The kind of an error; `http/error-response.ts` gives each its status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timed_out'
  | 'offline'
  | 'too_large'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'range_unsatisfiable'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'unavailable'

/** Every error code with its kind. The list is closed: `http/openapi/error-docs.ts` explains each. */
export const ERROR_CODES = {
  parameter_missing: 'invalid',
  parameter_unknown: 'invalid',
  parameter_invalid: 'invalid',
  parameters_conflict: 'invalid',
  country_code_missing: 'invalid',
  url_not_allowed: 'invalid',
  https_required: 'invalid',
  body_invalid: 'invalid',
  request_malformed: 'invalid',
  already_exists: 'invalid',
  wrong_state: 'invalid',
  payload_not_kept: 'invalid',
  idempotency_key_reused: 'invalid',
  platform_refused: 'invalid',
  not_group_admin: 'invalid',
  not_group_member: 'invalid',
  not_channel_admin: 'invalid',
  invite_invalid: 'invalid',
  api_key_missing: 'unauthenticated',
  api_key_invalid: 'unauthenticated',
  operator_token_invalid: 'unauthenticated',
  sign_in_required: 'unauthenticated',
  sign_in_failed: 'unauthenticated',
  link_expired: 'unauthenticated',
  session_forbidden: 'forbidden',
  terms_not_accepted: 'forbidden',
  scope_missing: 'forbidden',
  key_limited: 'forbidden',
  operator_only: 'forbidden',
  sign_up_closed: 'forbidden',
  origin_not_allowed: 'forbidden',
  not_found: 'not_found',
  path_not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  request_timeout: 'timed_out',
  session_offline: 'offline',
  session_logged_out: 'offline',
  body_too_large: 'too_large',
  unsupported_media_type: 'unsupported_media_type',
  range_unsatisfiable: 'range_unsatisfiable',
  expectation_failed: 'expectation_failed',
  rate_limited: 'rate_limited',
  quota_exceeded: 'rate_limited',
  plan_limit_reached: 'rate_limited',
  too_many_open: 'rate_limited',
  too_many_attempts: 'rate_limited',
  headers_too_large: 'headers_too_large',
  internal_error: 'internal',
  not_stored: 'unavailable',
  worker_unavailable: 'unavailable',
  sandbox_unavailable: 'unavailable',
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERROR_CODES
