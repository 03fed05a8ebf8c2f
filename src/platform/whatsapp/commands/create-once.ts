import { createHash } from 'node:crypto'
import { canonical } from '../../../domain/fingerprint.ts'
import type { CommandResult } from '../../../domain/command.ts'
import { text } from '../../../domain/errors.ts'
import type { PlatformError } from '../../platform.ts'
import { linkDown, refused } from '../errors.ts'
import type { CreatedGroup, CreatedGroups } from '../remembered/created-groups.ts'
import type { SessionContext } from '../session-context.ts'

/** The platform's clock may be this much behind the gateway's. */
export const CLOCKS_DIFFER_MS = 5 * 60_000

interface Work<Made extends { jid: string }> {
  /** Calls `onRefused` if the platform answers that it made nothing. */
  create(onRefused: () => Promise<void>): Promise<Made>
  /** What a creation whose answer never came may have made. */
  findMade(begun: CreatedGroup): Promise<string[]>
  describe(made: Made | { jid: string }): Promise<CommandResult>
}

interface Running {
  fingerprint: string
  result: Promise<CommandResult>
}

/** Creations under way, by kind and key: a retry waits for the first request instead of creating the same again. */
const running = new WeakMap<CreatedGroups, Map<string, Running>>()

/**
 * Creates a group or a channel. With a key it is created once: a retry gets what the first request made, also if that
 * request never learned its outcome.
 */
export async function createOnce<Made extends { jid: string }>(
  context: SessionContext,
  created: CreatedGroups,
  { key, ...request }: { key: string | null },
  work: Work<Made>,
): Promise<CommandResult> {
  if (key === null) return await work.describe(await work.create(async () => {}))
  const underWay = running.get(created) ?? new Map<string, Running>()
  running.set(created, underWay)
  const fingerprint = createHash('sha256').update(canonical(request)).digest('base64url')
  const first = underWay.get(key)
  if (first) {
    if (first.fingerprint !== fingerprint) throw keyReused()
    return await first.result
  }
  const result = create(context, created, { key, fingerprint }, work).finally(() => underWay.delete(key))
  underWay.set(key, { fingerprint, result })
  return await result
}

async function create<Made extends { jid: string }>(
  { link }: SessionContext,
  created: CreatedGroups,
  { key, fingerprint }: { key: string; fingerprint: string },
  work: Work<Made>,
): Promise<CommandResult> {
  const begun = await created.find(key)
  if (begun && begun.fingerprint !== fingerprint) throw keyReused()
  const known = begun && (begun.jid ?? (await created.claim(key, await work.findMade(begun))))
  if (known !== undefined) return await work.describe({ jid: known })
  await created.begin(key, fingerprint)
  // Only what is on disk tells a later process that it may exist.
  if (!(await link.state()?.changes.areDurable())) throw linkDown()
  const made = await work.create(() => created.delete(key))
  await created.end(key, made.jid)
  return await work.describe(made)
}

const keyReused = (): PlatformError => refused(text.keyReused, 'idempotency_key_reused')
