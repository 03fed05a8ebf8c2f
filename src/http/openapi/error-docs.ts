import type { ErrorCode } from '../../domain/error-codes.ts'

interface Explained {
  /** The same text in every response with this code. */
  title: string
  means: string
  cure: string
}

/** The meaning of each code and what a person can do about it. */
export const ERROR_DOCS: Record<ErrorCode, Explained> = {
  parameter_missing: {
    title: 'A required field is missing',
    means: 'A required field is missing or empty.',
    cure: 'Send the field that `param` names.',
  },
  parameter_unknown: {
    title: 'The request has an unknown field',
    means: 'The request has a field that this operation does not accept.',
    cure: 'Remove the field or check its spelling. A field of one content type cannot be combined with another content type.',
  },
  parameter_invalid: {
    title: 'A field has an invalid value',
    means: 'A field has the wrong type or format, or refers to something that does not exist.',
    cure: 'Correct the field in `param`. `detail` says what is expected.',
  },
  parameters_conflict: {
    title: 'Fields do not go together',
    means: 'The request combines fields that exclude each other, or a field lacks another one that it requires.',
    cure: 'Send one content per message, with only the fields that belong to it.',
  },
  country_code_missing: {
    title: 'The number has no country code',
    means: 'The number begins with 0, which is the national form. No country code begins with 0.',
    cure: 'Use the international form: +49 171 1234567 instead of 0171 1234567 or 0049 171 1234567.',
  },
  url_not_allowed: {
    title: 'The URL is not allowed',
    means: 'The gateway may not send requests to this URL.',
    cure: 'Use a public address without a user name in it. An operator can allow private ranges with POSTERN_ALLOWED_TARGETS.',
  },
  https_required: {
    title: 'The URL must use https',
    means: 'The URL begins with http, which the gateway accepts only in development.',
    cure: 'Use https.',
  },
  body_invalid: {
    title: 'The body is invalid',
    means:
      'The body is not JSON, differs from its Content-Length, or has more values or levels than any request needs. An uploaded file is empty.',
    cure: 'Send one JSON object encoded as UTF-8, or the file itself.',
  },
  request_malformed: {
    title: 'The request is malformed',
    means: 'The request is not valid HTTP: its path, a header or the framing of its body is wrong.',
    cure: 'Check what your client, and any proxy in front of the gateway, sends.',
  },
  already_exists: {
    title: 'It exists already',
    means: 'The resource exists already, and only one is allowed.',
    cure: 'Change the existing one, or choose another value.',
  },
  wrong_state: {
    title: 'The current state does not allow this',
    means: 'The request is valid, but the current state does not allow it.',
    cure: '`detail` names the state. Repeat the request when the state has changed.',
  },
  payload_not_kept: {
    title: 'The payload is no longer kept',
    means: 'The gateway deleted the full payload when it delivered the event.',
    cure: 'The event cannot be resent. Look for it at the receiver.',
  },
  idempotency_key_reused: {
    title: 'The Idempotency-Key was used before',
    means: 'An earlier request used this Idempotency-Key with another body.',
    cure: 'Use a new key for each message. When you repeat a request, send exactly the same body.',
  },
  platform_refused: {
    title: 'The platform refused the request',
    means: 'WhatsApp, or the sandbox, did not accept the request.',
    cure: '`detail` has the reason that it gave. Repeating the same request does not help.',
  },
  not_group_admin: {
    title: 'The number is not an admin of the group',
    means: 'Only admins of the group may do this, and the number is not one of them.',
    cure: 'Ask an admin to promote the number, or to allow it for all members.',
  },
  not_group_member: {
    title: 'The number is not in the group',
    means: 'The number is not, or is no longer, a member of the group.',
    cure: 'Join the group with an invite, or ask an admin to add the number.',
  },
  not_channel_admin: {
    title: 'The number does not manage the channel',
    means: 'Only the owner of the channel may do this, or only its owner and admins, and the number is neither.',
    cure: 'Use the number that owns the channel.',
  },
  invite_invalid: {
    title: 'The invite is not valid',
    means: 'The link of the group or channel was revoked, or never existed.',
    cure: 'Ask an admin for the current link.',
  },
  api_key_missing: {
    title: 'The API key is missing',
    means: 'The request has no API key.',
    cure: 'Send the header `Authorization: Bearer ptn_…`.',
  },
  api_key_invalid: {
    title: 'The API key is invalid',
    means: 'This gateway does not know the API key, or the key was revoked.',
    cure: 'Compare it with the page API keys of the portal. Hidden characters and spaces make a key invalid.',
  },
  operator_token_invalid: {
    title: 'The operator token is missing or invalid',
    means: 'The request to the operator API has no token, or a wrong one.',
    cure: 'Send the header `Authorization: Bearer` with the value of POSTERN_OPERATOR_TOKEN.',
  },
  sign_in_required: {
    title: 'Signing in is required',
    means: 'The request to the portal comes from a browser that is not signed in.',
    cure: 'Sign in. Programs use the routes below /v1 with an API key.',
  },
  sign_in_failed: {
    title: 'Signing in failed',
    means: 'The email or the password is wrong.',
    cure: 'Try again, or ask the operator for a new password.',
  },
  link_expired: {
    title: 'The link is not valid any more',
    means: 'The one-time link is wrong, was used before, or has expired.',
    cure: 'Request a new link.',
  },
  session_forbidden: {
    title: 'The session belongs to another account',
    means: 'The number, or a resource of it, belongs to another account, or the key has no access to the number.',
    cure: 'Check `session_id` against GET /v1/sessions with the same key.',
  },
  terms_not_accepted: {
    title: 'The Terms of Service are not accepted',
    means: 'The account has not accepted the Terms of Service.',
    cure: 'Accept them in the portal, or with POST /v1/tos/accept.',
  },
  scope_missing: {
    title: 'The key lacks a scope',
    means: 'The key does not have the scope that this operation requires.',
    cure: 'Use a key with the scope that `detail` names.',
  },
  key_limited: {
    title: 'The key is limited to certain numbers',
    means: 'The key is limited to certain numbers, and the request concerns another number or the whole account.',
    cure: 'Use a key that covers the whole account.',
  },
  operator_only: {
    title: 'Only an operator may do this',
    means: 'Only an operator of the gateway may do this.',
    cure: 'Ask the operator.',
  },
  sign_up_closed: {
    title: 'Sign-up is closed',
    means: 'Only the operator of this gateway creates accounts.',
    cure: 'Ask the operator for an account. POSTERN_SIGNUP opens sign-up for everyone.',
  },
  origin_not_allowed: {
    title: 'The origin is not allowed',
    means: 'The request to the portal comes from a page of another site.',
    cure: 'Open the portal at its own address, the one in POSTERN_PUBLIC_URL.',
  },
  not_found: {
    title: 'The id does not exist',
    means: 'No resource has this id.',
    cure: 'Check the id. Deleted resources, and those older than the retention of the plan, are no longer available.',
  },
  path_not_found: {
    title: 'The path does not exist',
    means: 'The gateway has no such path.',
    cure: 'Compare the path with the reference. Ids in a path must be URL-encoded.',
  },
  method_not_allowed: {
    title: 'The method is not allowed',
    means: 'The path exists, but not with this method.',
    cure: 'Use a method from the header Allow.',
  },
  request_timeout: {
    title: 'The request did not arrive in time',
    means: 'The gateway did not receive the complete request within the time limit.',
    cure: 'Repeat the request. The gateway never sends a message with the same Idempotency-Key twice.',
  },
  session_offline: {
    title: 'The session is offline',
    means: 'No worker hosts the number now, or its connection to WhatsApp is down.',
    cure: 'Wait for the `connection` event, then repeat the request. GET /v1/sessions/{id} shows the reason.',
  },
  session_logged_out: {
    title: 'The session is logged out',
    means: 'The phone or WhatsApp logged the number out.',
    cure: 'Link the number again. Waiting does not help.',
  },
  body_too_large: {
    title: 'The body is too large',
    means: 'The body is larger than this operation accepts.',
    cure: 'Send a smaller body. Pass files by URL or upload them, instead of putting them into the body. An upload may have up to 2 GiB, one for the sandbox up to 64 MiB. A gateway that keeps media in its database accepts up to 64 MiB.',
  },
  unsupported_media_type: {
    title: 'The content type is not supported',
    means: 'The content type of the body is not JSON, or an uploaded file has no content type.',
    cure: 'Send the header `Content-Type: application/json`, or for a file its own type, such as `image/jpeg`.',
  },
  range_unsatisfiable: {
    title: 'The range is beyond the end of the file',
    means: 'The header `Range` asks for bytes that the file does not have.',
    cure: 'The header `Content-Range` of the response has the size of the file. Ask for a range within it.',
  },
  expectation_failed: {
    title: 'The expectation cannot be met',
    means: 'The gateway does not support the value of the header Expect.',
    cure: 'Remove the header.',
  },
  rate_limited: {
    title: 'The rate limit is exceeded',
    means: 'The account sent more requests within a second than its plan or this operation allows.',
    cure: 'Wait for the seconds in Retry-After, then repeat the same request.',
  },
  quota_exceeded: {
    title: 'The monthly quota is exceeded',
    means: 'The account has used all messages of this month.',
    cure: 'Wait for the next month, or ask for a larger plan.',
  },
  plan_limit_reached: {
    title: 'A limit of the plan is reached',
    means: 'The account has the maximum that its plan allows.',
    cure: 'Remove one first, or ask for a larger plan.',
  },
  too_many_open: {
    title: 'Too many of these are open',
    means: 'The maximum of these is open, running or waiting at the same time.',
    cure: 'Wait until one ends, then repeat the same request.',
  },
  too_many_attempts: {
    title: 'Too many attempts failed',
    means: 'This address sent too many wrong passwords or keys.',
    cure: 'Wait for the seconds in Retry-After.',
  },
  headers_too_large: {
    title: 'The headers are too large',
    means: 'The headers of the request together exceed 16 KiB.',
    cure: 'Send fewer or shorter ones.',
  },
  internal_error: {
    title: 'The gateway failed',
    means: 'The gateway had an internal error.',
    cure: 'Repeat the request. If it fails again, give the operator the `request_id`, which is in the log.',
  },
  not_stored: {
    title: 'The request could not be stored',
    means: 'The database did not respond in time, so the gateway does not know whether it stored the request.',
    cure: 'Repeat the request. The gateway never sends a message with the same Idempotency-Key twice.',
  },
  worker_unavailable: {
    title: 'The worker did not answer',
    means: 'The worker that hosts the number did not respond in time.',
    cure: 'Repeat the request.',
  },
  sandbox_unavailable: {
    title: 'The sandbox network does not answer',
    means: 'The sandbox network does not respond.',
    cure: 'Start a process with the simulator role, then repeat the request.',
  },
}
