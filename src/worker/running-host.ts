/** A host at work, in a thread or here. */
export interface RunningHost {
  /** Resolves when it was stopped; rejects when it broke. */
  readonly ended: Promise<void>
  isReady(): boolean
  stop(): void
}
