import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookSecrets,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  readCurrentWebhooks,
} from './webhooks.ts'
import type { Call } from '../repository.ts'

/** Which events go to which URLs. */
export interface WebhookRepository {
  createWebhook: Call<typeof createWebhook>
  deleteWebhook: Call<typeof deleteWebhook>
  getWebhook: Call<typeof getWebhook>
  getWebhookSecrets: Call<typeof getWebhookSecrets>
  listWebhooks: Call<typeof listWebhooks>
  readCurrentWebhooks: Call<typeof readCurrentWebhooks>
  rotateWebhookSecret: Call<typeof rotateWebhookSecret>
  updateWebhook: Call<typeof updateWebhook>
}

export const webhooks = {
  reads: {
    getWebhook,
    getWebhookSecrets,
    listWebhooks,
    readCurrentWebhooks,
  },
  writes: {
    createWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    updateWebhook,
  },
  batches: {},
}
