import { getDelivery, listDeliveries } from './history.ts'
import { countReplayable, readReplayOutcome } from './replay-progress.ts'
import { cancelReplay, createReplay, getReplay } from './replays.ts'
import { resendDelivery } from './resend.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookSecrets,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts'

export const webhooks = {
  reads: {
    countReplayable,
    getDelivery,
    getReplay,
    getWebhook,
    getWebhookSecrets,
    listDeliveries,
    listWebhooks,
    readReplayOutcome,
  },
  writes: {
    cancelReplay,
    createReplay,
    createWebhook,
    deleteWebhook,
    resendDelivery,
    rotateWebhookSecret,
    updateWebhook,
  },
  batches: {},
}
