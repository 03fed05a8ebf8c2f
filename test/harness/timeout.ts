/** The time limit of a test or hook. It is far above what a slow machine needs: only a test that hangs reaches it. */
export const TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? (process.env.TEST_LONG === '1' ? 900_000 : 300_000))
