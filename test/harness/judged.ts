import type { Simulator } from './simulator.ts'

/** Fails if the gateway has sent a stanza that WhatsApp's own client would not send. */
export function expectNoDifferences({ judgements }: Simulator): void {
  const found = judgements.differences().map(([shape, count]) => `${shape} (${count} times)`)
  if (found.length > 0) throw new Error(`the gateway differs from the web client:\n${found.join('\n')}`)
}
