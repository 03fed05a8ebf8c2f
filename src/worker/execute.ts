import type { CommandResult, SessionCommand } from '../domain/command.ts'
import type { Failure } from '../domain/failure.ts'
import { PlatformError } from '../platform/platform.ts'
import type { HostDeps } from './deps.ts'
import { TimedOut } from '../runtime/deadline.ts'

/** Runs a command on the platform. */
export type Execute = (command: SessionCommand, signal: AbortSignal) => Promise<CommandResult>

/** A platform rejects with PlatformError only; any other error is a bug of the gateway, and counts as transient. */
export function failureOf({ log }: Pick<HostDeps, 'log'>, error: unknown): Failure {
  if (error instanceof PlatformError) return error.failure
  if (error instanceof TimedOut) return { kind: 'transient', detail: 'the attempt took too long' }
  log.error({ err: error }, 'command.execute_failed')
  return { kind: 'transient', detail: 'the gateway could not run the command' }
}
