import type { Context } from '../context.ts'
import type { FairQueue } from './fair-queue.ts'
import type { Lane } from './lane.ts'
import type { CurrentWebhooks } from './current-webhooks.ts'

interface PlacementDeps extends Pick<Context, 'log'> {
  webhooks: CurrentWebhooks
  queue: FairQueue
}

/** Stands lanes at the endpoints that their webhooks name now, and offers those to the queue. */
export class Placement {
  readonly #deps: PlacementDeps

  constructor(deps: PlacementDeps) {
    this.#deps = deps
  }

  /** One lane whose webhook cannot be read now is placed again by the next look, and holds up no other. */
  async place(lane: Lane): Promise<void> {
    try {
      await this.#place(lane)
    } catch (error) {
      this.#deps.log.warn({ err: error, lane: lane.key }, 'webhook.unread')
    }
  }

  async #place(lane: Lane): Promise<void> {
    const { webhooks, queue } = this.#deps
    const head = lane.head
    if (head === undefined) return
    const webhook = await webhooks.get(lane.webhookId)
    if (lane.isClosed) return
    const endpoint = queue.endpointOf(head.accountId, lane.webhookId, webhook?.urls[lane.category] ?? '')
    lane.standAt(endpoint)
    queue.offer(endpoint)
  }

  /** The webhook has changed: its deliveries may stand at another endpoint now. */
  async replace(webhookId: string, lanes: Lane[]): Promise<void> {
    this.#deps.webhooks.forget(webhookId)
    await Promise.all(lanes.map(lane => this.place(lane)))
  }
}
