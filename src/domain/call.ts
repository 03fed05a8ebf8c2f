import type { CommandResult } from './command.ts'
import type { SendFailure } from './send-retry.ts'

/** What a worker answers to a call. */
export type CallAnswer = { ok: true; result: CommandResult } | { ok: false; failure: SendFailure }
