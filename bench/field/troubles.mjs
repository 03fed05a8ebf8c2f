/** How long the platform bans a number in the run, and how often a login fails that fails for a while. */
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
 * Everything that a login or a stream can end with, one number each. `allowed` is how many logins may follow: one that
 * is refused, and one after a person has mended it (`restart`) or the platform takes it again (`itself`); none where the
 * stream already said that the device is gone.
 */
export const TROUBLES = [
  ...[400, 409, 415, 418, 501].map(refused),
  ...[401, 403, 406].map(over),
  { name: 'login 402, a ban', kind: 'ban', mends: 'itself', allowed: 2 },
  // Nothing newer is known: it waits for the next version, which comes later in the run.
  { name: 'login 405', kind: 'login', code: 405, times: 1, mends: 'version', allowed: 2 },
  ...[500, 503].map(passing),
  stream('restart', 'itself', 1),
  stream('unavailable', 'itself', 1),
  stream('replaced', 'itself', 1),
  stream('rate_limited', 'itself', 1),
  stream('device_removed', 'never', 0),
  stream('account_locked', 'never', 0),
]

/** When the versions age, everybody who is there logs in once with the old one and once with the new one. */
export const ALLOWED_BY_VERSION = 2
