/** How long the platform bans a number in the run, and how often a temporarily failing login fails. */
export const BAN_MS = 15_000
const FAILS = 5

const refused = code => ({ name: `login ${code}`, kind: 'login', code, times: 1, mends: 'restart', allowed: 2 })
const over = code => ({ name: `login ${code}`, kind: 'login', code, times: 1, mends: 'never', allowed: 1 })
const passing = code => ({
  name: `login ${code}`,
  kind: 'login',
  code,
  times: FAILS,
  mends: 'itself',
  allowed: FAILS + 1,
})
const stream = (error, mends, allowed) => ({ name: `stream ${error}`, kind: 'stream', error, mends, allowed })

/**
 * All codes that a login or a stream can end with, one number each. `allowed` is how many logins may follow: one that
 * is refused, and one after a person has restarted it (`restart`) or the platform accepts it again (`itself`); none if the
 * stream already reported that the device was removed.
 */
export const TROUBLES = [
  ...[400, 409, 415, 418, 501].map(refused),
  ...[401, 403, 406].map(over),
  { name: 'login 402, a ban', kind: 'ban', mends: 'itself', allowed: 2 },
  // No newer version is known: the number waits for the next one, later in the run.
  { name: 'login 405', kind: 'login', code: 405, times: 1, mends: 'version', allowed: 2 },
  ...[500, 503].map(passing),
  stream('restart', 'itself', 1),
  stream('unavailable', 'itself', 1),
  stream('replaced', 'itself', 1),
  stream('rate_limited', 'itself', 1),
  stream('device_removed', 'never', 0),
  stream('account_locked', 'never', 0),
]

/** When the platform requires a new version, every number logs in once with the old and once with the new one. */
export const ALLOWED_BY_VERSION = 2
