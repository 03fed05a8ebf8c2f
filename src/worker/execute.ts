import type { CommandResult, SessionCommand } from '../domain/command.ts'
import type { Failure } from '../domain/failure.ts'
import { PlatformError } from '../platform/platform.ts'
import type { HostDeps } from './deps.ts'
import { TimedOut } from '../runtime/deadline.ts'

/** Has the platform do something for a number. */
export type Execute = (command: SessionCommand, signal: AbortSignal) => Promise<CommandResult>

/** A platform rejects with PlatformError and nothing else; whatever else comes is our own fault, and may pass. */
export function failureOf({ log }: Pick<HostDeps, 'log'>, error: unknown): Failure {
  if (error instanceof PlatformError) return error.failure
  if (error instanceof TimedOut) return { kind: 'transient', detail: 'the platform did not acknowledge in time' }
  log.error({ err: error }, 'execute.broke')
  return { kind: 'transient', detail: 'the gateway could not run the command' }
}
