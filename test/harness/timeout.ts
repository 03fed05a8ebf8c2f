/** How long a test or hook may hang. A machine may be as slow as it likes: no test waits for this but one that hangs. */
export const TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? (process.env.TEST_LONG === '1' ? 900_000 : 300_000))
