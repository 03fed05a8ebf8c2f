import type { RoleName } from './config.ts'

/** A part of the gateway that runs until it is told to stop, then drains what it has begun, then resolves. */
export interface Role {
  readonly name: RoleName
  /** Rejects when the role cannot go on: the process ends then. */
  run(signal: AbortSignal): Promise<void>
  /** Whether it does its work now; `/readyz` is 200 only when every role says yes. */
  isReady(): boolean
}
