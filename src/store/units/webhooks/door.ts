import { getDelivery, listDeliveries } from './history.ts'
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
    getDelivery,
    getReplay,
    getWebhook,
    getWebhookSecrets,
    listDeliveries,
    listWebhooks,
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
