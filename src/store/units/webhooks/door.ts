import { countOpenLetters } from '../delivery/open-letters.ts'
import { giveUpDelivery } from './give-up.ts'
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
    countOpenLetters,
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
    giveUpDelivery,
    resendDelivery,
    rotateWebhookSecret,
    updateWebhook,
  },
  batches: {},
}
