import { type Command, command, flag, text } from './command.ts'
import { CLIENT_OPTIONS } from './gateway-client.ts'

const asked = { ...CLIENT_OPTIONS, json: flag }

/** What looks at deliveries, and changes them. */
export const DELIVERY_COMMANDS: Command[] = [
  command({
    name: 'deliveries list',
    summary: 'the latest deliveries',
    options: { ...asked, status: text, session: text, limit: text },
    async load() {
      const { listDeliveries, listDeliveriesHelp } = await import('./deliveries.ts')
      return { help: listDeliveriesHelp, run: ({ values, env }) => listDeliveries(values, env) }
    },
  }),
  command({
    name: 'deliveries show',
    summary: 'one delivery with its attempts',
    words: ['<id>'],
    options: asked,
    async load() {
      const { showDelivery, showDeliveryHelp } = await import('./deliveries.ts')
      return { help: showDeliveryHelp, run: ({ values, words, env }) => showDelivery(words[0]!, values, env) }
    },
  }),
  command({
    name: 'deliveries resend',
    summary: 'deliver the same event once more',
    words: ['<id>'],
    options: asked,
    async load() {
      const { resendDelivery, resendDeliveryHelp } = await import('./deliveries.ts')
      return { help: resendDeliveryHelp, run: ({ values, words, env }) => resendDelivery(words[0]!, values, env) }
    },
  }),
  command({
    name: 'deliveries give-up',
    summary: 'retry a delivery no more: a dead letter',
    words: ['<id>'],
    options: asked,
    async load() {
      const { giveUpDelivery, giveUpDeliveryHelp } = await import('./deliveries.ts')
      return { help: giveUpDeliveryHelp, run: ({ values, words, env }) => giveUpDelivery(words[0]!, values, env) }
    },
  }),
  command({
    name: 'deliveries replay',
    summary: 'deliver again what a webhook did not take',
    options: { ...asked, webhook: text, since: text, until: text, status: text },
    async load() {
      const { replayDeliveries, replayDeliveriesHelp } = await import('./deliveries.ts')
      return { help: replayDeliveriesHelp, run: ({ values, env }) => replayDeliveries(values, env) }
    },
  }),
]
