import type { ErrorCode } from '../../domain/error-codes.ts'

interface Explained {
  /** The same words in every response with this code. */
  title: string
  means: string
  cure: string
}

/** The meaning of each code and what to do about it, in words for people. */
export const ERROR_DOCS: Record<ErrorCode, Explained> = {
  parameter_missing: {
    title: 'A required field is missing',
    means: 'A field that is needed is not there, or empty.',
    cure: 'Send the field that `param` names.',
  },
  parameter_unknown: {
    title: 'The request has an unknown field',
    means: 'The request has a field that this operation does not know.',
    cure: 'Take it out, or check its spelling; fields of one content do not go with another.',
  },
  parameter_invalid: {
    title: 'A field has an invalid value',
    means: 'A field has another type or form than it must have, or names something that is not there.',
    cure: 'Correct the field that `param` names as `detail` says.',
  },
  parameters_conflict: {
    title: 'Fields do not go together',
    means: 'Fields are given that do not go together, or not without another.',
    cure: 'Send one content at a time, and only the fields that belong to it.',
  },
  country_code_missing: {
    title: 'The number has no country code',
    means: 'The number begins with 0, as numbers are dialled within a country: no country code does.',
    cure: 'Write it as from abroad, such as +49 171 1234567 instead of 0171 1234567 or 0049 171 1234567.',
  },
  url_not_allowed: {
    title: 'The URL is not allowed',
    means: 'The URL is not one that the gateway may send requests to.',
    cure: 'Give a public address without a user name in it. An operator can allow private ranges with POSTERN_ALLOWED_TARGETS.',
  },
  https_required: {
    title: 'The URL must use https',
    means: 'The URL begins with http, which is allowed in development alone.',
    cure: 'Use https.',
  },
  body_invalid: {
    title: 'The body is invalid',
    means:
      'The body is not JSON, not as long as it says, or has more values or levels than any request needs. Where it is a file: it is empty.',
    cure: 'Send one JSON object, encoded as UTF-8, or the file itself.',
  },
  request_malformed: {
    title: 'The request is malformed',
    means: 'What came is not HTTP as it should be: the path, a header or the way the body is sent.',
    cure: 'Look at what the client and the proxies before the gateway write.',
  },
  already_exists: {
    title: 'It exists already',
    means: 'There is one already, and there can be no second.',
    cure: 'Change the one that is there, or choose another value.',
  },
  wrong_state: {
    title: 'The current state does not allow this',
    means: 'The request is fine, but things do not stand so that it could be done.',
    cure: 'Read the state that `detail` names; ask again when it has changed, where it can.',
  },
  payload_not_kept: {
    title: 'The payload is no longer kept',
    means: 'The full payload was dropped when the event was delivered.',
    cure: 'Nothing is left to resend. Ask the receiver for what it got.',
  },
  idempotency_key_reused: {
    title: 'The Idempotency-Key was used before',
    means: 'The Idempotency-Key was used before, with another body.',
    cure: 'Take a new key for each message; repeat a request with the very same body.',
  },
  platform_refused: {
    title: 'The platform refused the request',
    means: 'WhatsApp, or the sandbox in its place, did not take it.',
    cure: '`detail` has what it said. Repeating the same request will not help.',
  },
  api_key_missing: {
    title: 'The API key is missing',
    means: 'The request brings no API key.',
    cure: 'Send the header `Authorization: Bearer ptn_…`.',
  },
  api_key_invalid: {
    title: 'The API key is invalid',
    means: 'The API key is not one of this gateway, or was revoked.',
    cure: 'Compare it with the portal, page API keys. Hidden characters and spaces make a key invalid.',
  },
  operator_token_invalid: {
    title: 'The operator token is missing or invalid',
    means: 'The operator interface is asked without its token, or with a wrong one.',
    cure: 'Send the header `Authorization: Bearer` with the value of POSTERN_OPERATOR_TOKEN.',
  },
  sign_in_required: {
    title: 'Signing in is required',
    means: 'The portal is asked by somebody who is not signed in.',
    cure: 'Sign in. Programs use an API key below /v1.',
  },
  sign_in_failed: {
    title: 'Signing in failed',
    means: 'Email or password is wrong.',
    cure: 'Try again, or ask the operator for a new password.',
  },
  link_expired: {
    title: 'The link is not valid any more',
    means: 'A one-time link is wrong, was used, or its time is over.',
    cure: 'Get a new one where this one came from.',
  },
  session_forbidden: {
    title: 'The session belongs to another account',
    means: 'The number, or what belongs to it, is not this account’s, or the key was not given it.',
    cure: 'Check `session_id` against GET /v1/sessions with the same key.',
  },
  terms_not_accepted: {
    title: 'The Terms of Service are not accepted',
    means: 'The account has not accepted the Terms of Service.',
    cure: 'Accept them in the portal, or with POST /v1/tos/accept.',
  },
  scope_missing: {
    title: 'The key lacks a scope',
    means: 'The key may not do this.',
    cure: 'Use a key with the scope that `detail` names.',
  },
  key_limited: {
    title: 'The key is limited to certain numbers',
    means: 'The key is limited to certain numbers, and this is not about one of them.',
    cure: 'Use a key of the whole account.',
  },
  operator_only: {
    title: 'Only an operator may do this',
    means: 'Only an operator of the gateway may do this.',
    cure: 'Ask the operator.',
  },
  sign_up_closed: {
    title: 'Sign-up is closed',
    means: 'Accounts are made by the operator here.',
    cure: 'Ask the operator for one. POSTERN_SIGNUP opens it for everybody.',
  },
  origin_not_allowed: {
    title: 'The origin is not allowed',
    means: 'The portal is asked from a page of another site.',
    cure: 'Open the portal at its own address, the one in POSTERN_PUBLIC_URL.',
  },
  not_found: {
    title: 'The id does not exist',
    means: 'There is nothing with this id.',
    cure: 'Check the id. What was deleted, or is older than the plan keeps it, is gone.',
  },
  path_not_found: {
    title: 'The path does not exist',
    means: 'There is no such path.',
    cure: 'Compare it with the reference; ids in a path are URL-encoded.',
  },
  method_not_allowed: {
    title: 'The method is not allowed',
    means: 'The path is right, the method is not.',
    cure: 'Use one that the header Allow names.',
  },
  request_timeout: {
    title: 'The request did not arrive in time',
    means: 'The request did not arrive in full within its time.',
    cure: 'Send it again. A send with an Idempotency-Key is never done twice.',
  },
  session_offline: {
    title: 'The session is offline',
    means: 'No worker holds the number now, or its link to WhatsApp is down.',
    cure: 'Wait for the `connection` event and repeat the request. GET /v1/sessions/{id} says why.',
  },
  session_logged_out: {
    title: 'The session is logged out',
    means: 'The number was logged out, by its phone or by WhatsApp.',
    cure: 'Link the number again; waiting does not help.',
  },
  body_too_large: {
    title: 'The body is too large',
    means: 'The body is larger than this operation takes.',
    cure: 'Send less. Files are given by URL, not in the body; one that is uploaded for the sandbox has 64 MiB at most.',
  },
  unsupported_media_type: {
    title: 'The content type is not supported',
    means: 'The body is not sent as JSON. Where it is a file: its type is not said.',
    cure: 'Send the header `Content-Type: application/json`, with a file that of the file, such as `image/jpeg`.',
  },
  expectation_failed: {
    title: 'The expectation cannot be met',
    means: 'The header Expect asks for something that the gateway does not do.',
    cure: 'Leave it out.',
  },
  rate_limited: {
    title: 'The rate limit is exceeded',
    means: 'More was asked within a second than the plan or the tool allows.',
    cure: 'Wait as long as Retry-After says, then repeat the same request.',
  },
  quota_exceeded: {
    title: 'The monthly quota is exceeded',
    means: 'The messages of this month are used up.',
    cure: 'Wait for the next month, or ask for a larger plan.',
  },
  plan_limit_reached: {
    title: 'A limit of the plan is reached',
    means: 'The account has as many of something as its plan allows.',
    cure: 'Remove one first, or ask for a larger plan.',
  },
  too_many_open: {
    title: 'Too many of these are open',
    means: 'As many of these are open, running or waiting as may be at the same time.',
    cure: 'Let one end, then repeat the same request.',
  },
  too_many_attempts: {
    title: 'Too many attempts failed',
    means: 'Too many wrong passwords or keys came from this address.',
    cure: 'Wait as long as Retry-After says.',
  },
  headers_too_large: {
    title: 'The headers are too large',
    means: 'The headers of the request are larger than 16 KiB together.',
    cure: 'Send fewer or shorter ones.',
  },
  internal_error: {
    title: 'The gateway failed',
    means: 'Something failed in the gateway itself.',
    cure: 'Repeat the request; tell the operator the `request_id`, which the log knows.',
  },
  not_stored: {
    title: 'The request could not be stored',
    means: 'The database did not answer, or not in time: it is not known whether the request was stored.',
    cure: 'Repeat it. A send with the same Idempotency-Key is never done twice.',
  },
  worker_unavailable: {
    title: 'The worker did not answer',
    means: 'The worker that holds the number did not answer in time.',
    cure: 'Repeat the request.',
  },
  sandbox_unavailable: {
    title: 'The sandbox network does not answer',
    means: 'The sandbox network does not answer.',
    cure: 'Have a process with the simulator role run, then repeat the request.',
  },
}
