import { describe, expect, it } from 'vitest'
import { urlsFor, urlsOf, type WebhookConfig } from '../../n8n/nodes/Postern/webhook-config.ts'
import { takeWebhooks, type WebhookCalls } from '../../n8n/nodes/PosternTrigger/take-webhooks.ts'

const HERE = urlsFor(['message', 'call'], 'https://n8n.example/hook')

/** A gateway that refuses one call. */
function gateway(failing: string) {
  const configs = ['1', '2'].map((n): WebhookConfig => {
    const urls = urlsFor(['message', 'status'], `https://owner.example/${n}`)
    return { id: `wh_${n}`, session_id: `s${n}`, phone: n, ...urls, active: true }
  })
  const live = new Map(configs.map(config => [config.id, config]))
  const secrets = new Map(configs.map(({ id }) => [id, 'old']))
  const refuse = (call: string) => {
    if (call === failing) throw new Error(`refused: ${call}`)
  }
  const calls: WebhookCalls = {
    create: async (sessionId, urls) => {
      refuse(`create ${sessionId}`)
      const made = { id: `wh_${sessionId}`, session_id: sessionId, phone: sessionId, ...urls, active: true }
      live.set(made.id, made)
      return { ...made, secret: 'new' }
    },
    change: async (id, urls) => {
      refuse(`change ${id} ${urls.messages_url === HERE.messages_url ? 'here' : 'back'}`)
      live.set(id, { ...live.get(id)!, ...urls })
    },
    renewSecret: async id => {
      refuse(`renew ${id}`)
      secrets.set(id, 'new')
      return { ...live.get(id)!, secret: 'new' }
    },
  }
  const places = [...configs.map(config => ({ sessionId: config.session_id, existing: config })), ...NEW_NUMBER]
  const kept: string[] = []
  const take = () => takeWebhooks(calls, places, HERE, (_, { id }) => void kept.push(id))
  return { configs, live, secrets, kept, take }
}

const NEW_NUMBER = [{ sessionId: 's3', existing: undefined }]

describe('webhooks that are taken over', () => {
  it('lead here, each with a new secret', async () => {
    const { configs, live, secrets, kept, take } = gateway('nothing')
    await take()
    expect(configs.map(({ id }) => urlsOf(live.get(id)!))).toEqual([HERE, HERE])
    expect([...secrets.values()]).toEqual(['new', 'new'])
    expect(kept.toSorted()).toEqual(['wh_1', 'wh_2', 'wh_s3'])
  })

  it.each(['change wh_2 here', 'create s3', 'renew wh_1'])(
    'lead where they led, with their secrets, where "%s" is refused',
    async failing => {
      const { configs, live, secrets, take } = gateway(failing)
      await expect(take()).rejects.toThrow(`refused: ${failing}`)
      expect(configs.map(({ id }) => live.get(id))).toEqual(configs)
      expect([...secrets.values()]).toEqual(['old', 'old'])
    },
  )
})
