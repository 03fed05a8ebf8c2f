import type { RoleName } from './config.ts'

/** A part of the gateway that runs until it is told to stop, then drains what it has begun, then resolves. */
export interface Role {
  readonly name: RoleName
  /** Rejects when the role cannot go on: the process ends then. */
  run(signal: AbortSignal): Promise<void>
  /** Whether it does its work now; `/readyz` is 200 only when every role says yes. */
  isReady(): boolean
}

/** Whether each role of this process does its work, by its name. */
export type Health = () => Record<string, boolean>

/** Resolves when the signal says so, also where it has said so before. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
