import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '@postern/simulator'

/** Where the processes of a run note how many stanzas they have compared, and the kinds that the simulator sent. */
const folder = process.env.TEST_JUDGED

/** Adds the stanzas of a simulator to the count of this run. */
export function noteJudged({ judgements }: Pick<Simulator, 'judgements'>): void {
  if (folder === undefined) return
  const { client, server } = judgements.judged
  appendFileSync(join(folder, String(process.pid)), `${[client, server, ...judgements.said].join('|')}\n`)
}

/**
 * Fails if the gateway has sent a stanza that WhatsApp's own client would not send, or the simulator one that this client
 * would not understand. `intended` are differences that the tests cause.
 */
export function expectNoDifferences({ judgements }: Simulator, intended: readonly string[] = []): void {
  const found = judgements.differences().filter(([shape]) => !intended.includes(shape))
  const shown = found.map(([shape, count]) => `${shape} (${count} times)`)
  if (shown.length > 0) throw new Error(`stanzas differ from those of the web client:\n${shown.join('\n')}`)
}
