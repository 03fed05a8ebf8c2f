import { expect, it } from 'vitest'
import { OwedConfirmations } from './owed.ts'

const stanza = (id: number) => ({ tag: 'message', attrs: { id: String(id) } })

it('only the latest 100 unconfirmed stanzas are remembered', () => {
  const owed = new OwedConfirmations()
  for (let id = 0; id <= 100; id++) owed.add({ data: { tag: 'ack', attrs: { class: 'message', id: String(id) } } })
  expect([0, 1, 100].map(id => owed.has(stanza(id)))).toEqual([false, true, true])
})
