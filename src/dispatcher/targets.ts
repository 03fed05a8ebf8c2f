import type { Context } from '../context.ts'
import type { Category } from '../domain/event.ts'
import { aboutWebhook } from '../domain/sealed.ts'

/** A webhook as it stands now. */
export interface Target {
  urls: Record<Category, string>
  active: boolean
  /** The secrets that sign at this time: two while a rotation overlaps. */
  secretsAt(nowMs: number): string[]
}

/** Wake-ups tell of changes at once; this bounds how long a change can stay unseen without one. */
const FRESH_MS = 1_000

/** The webhooks that deliveries go to, read again when they have changed. */
export function createTargets({ store, seal }: Pick<Context, 'store' | 'seal'>) {
  const cache = new Map<string, { target: Promise<Target | undefined>; readAt: number }>()

  function get(webhookId: string): Promise<Target | undefined> {
    const cached = cache.get(webhookId)
    const now = performance.now()
    if (cached !== undefined && now - cached.readAt < FRESH_MS) return cached.target
    const target = read(webhookId)
    const entry = { target, readAt: now }
    cache.set(webhookId, entry)
    target.catch(() => {
      if (cache.get(webhookId) === entry) cache.delete(webhookId)
    })
    return target
  }

  async function read(webhookId: string): Promise<Target | undefined> {
    const row = await store.readTarget(webhookId)
    if (row === undefined) return undefined
    const open = (sealed: Uint8Array) => seal.open(sealed, aboutWebhook(webhookId)).toString('utf8')
    const sealed = row.oldSecret === null ? [row.secret] : [row.secret, row.oldSecret]
    let secrets: string[] | undefined
    return {
      urls: row.urls,
      active: row.active,
      secretsAt: nowMs => {
        secrets ??= sealed.map(open)
        return nowMs < (row.oldSecretUntil ?? 0) ? secrets : secrets.slice(0, 1)
      },
    }
  }

  function forget(webhookId: string): void {
    cache.delete(webhookId)
  }

  function forgetOld(): void {
    const before = performance.now() - FRESH_MS
    for (const [id, entry] of cache) if (entry.readAt < before) cache.delete(id)
  }

  return { get, forget, forgetOld }
}

export type Targets = ReturnType<typeof createTargets>
