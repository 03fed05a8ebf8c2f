import type { Relay } from './relay.mjs'

export interface ReplicatedPostgres {
  url(): string
  port(): number
  /** Only with an asynchronous replica. */
  readonly replication: Relay | undefined
  restart(options: { crash: boolean }): Promise<void>
  promote(): Promise<void>
  stop(): Promise<void>
}

export function startReplicatedPostgres(options: { synchronous: boolean }): Promise<ReplicatedPostgres>
