import { describe, expect, it } from 'vitest'
import { Deferred } from '../../../runtime/deferred.ts'
import type { Signal } from '../../signals.ts'
import { Notifier } from './notifier.ts'
import type { Statement } from './notify-statements.ts'

const key = (n: number): Signal => ({ about: 'keys', accountId: `acc_${n}` })
const toldBy = ({ values }: Statement): string[] =>
  (JSON.parse((values[1] as string[])[0]!) as Array<{ accountId: string }>).map(({ accountId }) => accountId)

describe('a notifier', () => {
  it('signals that arrive while a notification is sent go together in the next one', async () => {
    const sent: Statement[] = []
    const way = new Deferred<void>()
    const notifier = new Notifier('node_a', async statement => {
      sent.push(statement)
      await way.promise
    })
    notifier.add([key(0)])
    while (sent.length === 0) await new Promise(resolve => setImmediate(resolve))
    for (let n = 1; n <= 100; n++) notifier.add([key(n), key(1)])
    way.resolve()
    await notifier.sent()
    expect(sent.map(toldBy)).toEqual([['acc_0'], Array.from({ length: 100 }, (_, i) => `acc_${i + 1}`)])
  })

  it('goes on after a notification that could not be sent', async () => {
    const sent: Statement[] = []
    const notifier = new Notifier('node_a', async statement => {
      sent.push(statement)
      if (sent.length === 1) throw new Error('the line is down')
    })
    notifier.add([key(0)])
    await notifier.sent()
    notifier.add([key(1)])
    await notifier.sent()
    expect(sent.map(toldBy)).toEqual([['acc_0'], ['acc_1']])
  })

  it('signals for its own process are not sent', async () => {
    const sent: Statement[] = []
    const notifier = new Notifier('node_a', async statement => void sent.push(statement))
    notifier.add([{ about: 'answers', requestId: 'req_1', to: 'node_a' }])
    await notifier.sent()
    expect(sent).toEqual([])
  })
})
