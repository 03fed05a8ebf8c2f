import type { RoleName } from './config.ts'

/** A part of the gateway that runs until its signal aborts, then drains what it has begun, then resolves. */
export interface Role {
  readonly name: RoleName
  /** Rejects when the role fails: the process ends then. */
  run(signal: AbortSignal): Promise<void>
  /** Whether it works now; `/readyz` is 200 only when every role is ready. */
  isReady(): boolean
}

/** Whether each role of this process is ready, by its name. */
export type Health = () => Record<string, boolean>

/** Resolves when the signal aborts, or at once if it has aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
