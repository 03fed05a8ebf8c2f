import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/domain/bounds.ts'
import { makeId } from '../../src/domain/ids.ts'
import { type Answer, expectError, PROBLEM } from '../harness/client.ts'
import { onEachStore } from '../harness/gateway.ts'
import { queryPlace } from '../harness/stores.ts'

const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort((a, b) => a - b)

describe('The data of an account', () => {
  onEachStore(gateway => {
    const countOf = async (table: string, accountId: string): Promise<number> =>
      Number(
        (await queryPlace(gateway().place, `select count(*) as n from ${table} where account_id = '${accountId}'`))[0]!
          .n,
      )

    it('live API keys are limited by the plan, even if many are created at once; a revoked one makes room', async () => {
      const account = await gateway().account({ limits: { keys: 5 } })
      const create = () => account.ask('POST', '/v1/keys', { label: 'x' })
      const answers = await Promise.all(Array.from({ length: 20 }, create))
      expect(statuses(answers)).toEqual([...Array(4).fill(201), ...Array(16).fill(429)])
      const refused = answers.find(answer => answer.status === 429)!
      expectError(refused, 429, 'rate limit exceeded')
      expect((await account.ask('POST', '/v1/keys', { label: 'x' }, PROBLEM)).json.detail).toBe(
        "rate limit exceeded: the plan's limit of 5 live keys is reached; revoke one first",
      )
      expect(refused.headers['retry-after']).toBe('60')
      const { id } = answers.find(answer => answer.status === 201)!.json
      await account.ask('DELETE', `/v1/keys/${id}`)
      expect((await create()).status).toBe(201)
      expect((await create()).status).toBe(429)
    })

    it('an operator gives a recovery key to an account that has used up its keys', async () => {
      const account = await gateway().account({ limits: { keys: 1 } })
      const made = await gateway().operator('POST', `/operator/accounts/${account.id}/keys`, { label: 'recovery' })
      expect(made.status).toBe(201)
    })

    it('revoked keys do not accumulate: only the latest are kept', async () => {
      const account = await gateway().account({ limits: { requests_per_second: null } })
      const hash = () => crypto.getRandomValues(new Uint8Array(32))
      for (let n = 0; n < BOUNDS.revokedKeysKept + 5; n++) {
        const key = {
          id: makeId('key'),
          label: 'x',
          prefix: 'ptn_12345678',
          scopes: ['read'] as const,
          sessionIds: null,
        }
        const asked = { accountId: account.id, key: { ...key, scopes: [...key.scopes], hash: hash() }, maxKeys: 10 }
        await gateway().store.keys.createKey(asked)
        await gateway().store.keys.revokeKey({ accountId: account.id, keyId: key.id })
      }
      expect((await account.ask('POST', '/v1/keys', { label: 'one more' })).status).toBe(201)
      expect(await countOf('api_keys', account.id)).toBe(BOUNDS.revokedKeysKept + 2)
    })

    it('waiting pairings are limited, even if many begin at once; a cancelled one makes room', async () => {
      const account = await gateway().account()
      const begin = () =>
        gateway().store.pairings.createPairing({
          id: makeId('pair'),
          accountId: account.id,
          platform: 'whatsapp',
          method: 'qr',
          phone: null,
          label: '',
          timeoutMs: 60_000,
          maxOpen: BOUNDS.openPairings,
        })
      const begun = await Promise.all(Array.from({ length: BOUNDS.openPairings + 20 }, begin))
      const open = begun.flatMap(each => (each.kind === 'created' ? [each.pairing] : []))
      expect(open).toHaveLength(BOUNDS.openPairings)
      expectError(
        await account.ask('POST', '/v1/pairings', { method: 'qr' }),
        429,
        `at most ${BOUNDS.openPairings} pairings of an account may be open; cancel one, or wait until it expires`,
      )
      expect((await account.ask('DELETE', `/v1/pairings/${open[0]!.id}`)).status).toBe(200)
      expect((await begin()).kind).toBe('created')
    })

    it('a request that creates a sandbox number has a higher limit of pairings', async () => {
      const account = await gateway().account()
      const begin = { accountId: account.id, platform: 'sandbox', method: 'qr', label: '', timeoutMs: 60_000 } as const
      const maxOpen = BOUNDS.openSandboxPairings
      const begun = await Promise.all(
        Array.from({ length: maxOpen + 20 }, (_, n) =>
          gateway().store.pairings.createPairing({
            ...begin,
            id: makeId('pair'),
            phone: `999${100_000_000 + n}`,
            maxOpen,
          }),
        ),
      )
      expect(begun.filter(each => each.kind === 'created')).toHaveLength(maxOpen)
      expectError(
        await account.ask('POST', '/v1/sessions', { platform: 'sandbox' }),
        429,
        `at most ${maxOpen} pairings of an account may be open; cancel one, or wait until it expires`,
      )
    })

    it('answers that wait for a pairing are limited, even if many come at once; those of another pairing continue', async () => {
      const account = await gateway().account()
      const begin = {
        accountId: account.id,
        platform: 'whatsapp',
        method: 'code',
        label: '',
        timeoutMs: 60_000,
      } as const
      const [crowded, other] = [makeId('pair'), makeId('pair')]
      for (const id of [crowded, other])
        await gateway().store.pairings.createPairing({ ...begin, id, phone: '15550001111' })
      const bring = (pairingId: string) =>
        gateway().store.requests.addRequest({
          id: makeId('req'),
          to: { kind: 'pairing', pairingId },
          kind: 'new_code',
          sealed: new Uint8Array(1),
          timeoutMs: 60_000,
        })
      const most = BOUNDS.waitingPairingAnswers
      const brought = await Promise.all(Array.from({ length: most + 20 }, () => bring(crowded)))
      expect(brought.filter(outcome => outcome === 'asked')).toHaveLength(most)
      expect(await bring(crowded)).toBe('crowded')
      expect(await bring(other)).toBe('asked')
      await queryPlace(gateway().place, `update requests set expires_at = 1 where pairing_id = '${crowded}'`)
      expect(await bring(crowded)).toBe('asked')
    })

    it('finished pairings do not accumulate: only the latest are shown', async () => {
      const account = await gateway().account()
      const begin = { accountId: account.id, platform: 'whatsapp', method: 'qr', phone: null, label: '' } as const
      for (let n = 0; n < BOUNDS.endedPairingsKept + 10; n++) {
        const id = makeId('pair')
        await gateway().store.pairings.createPairing({ ...begin, id, timeoutMs: 60_000 })
        await gateway().store.pairings.endPairing({ id, status: 'cancelled', error: null })
      }
      await gateway().store.pairings.createPairing({ ...begin, id: makeId('pair'), timeoutMs: 60_000 })
      expect(await countOf('pairings', account.id)).toBe(BOUNDS.endedPairingsKept + 1)
    })
  })
})
