import type { ChatRequest, CommandResult } from '../../../domain/command.ts'
import { changesOf, settingsFor } from '../app-state/chat-settings.ts'
import { COLLECTIONS, type CollectionName } from '../app-state/collection.ts'
import { openConnection, type SessionContext } from '../session-context.ts'
import { namesOf } from '../to-event/names.ts'
import { lastNameOf } from './addressing.ts'

/** Changes a chat on all devices of the number, its phone included. */
export async function changeChat(context: SessionContext, request: ChatRequest): Promise<CommandResult> {
  const connection = openConnection(context)
  const nowMs = context.clock.now().getTime()
  const jid = await context.lids.phoneFirst(request.jid)
  const wanted = settingsFor(request.change, request.labels, nowMs)
  for (const name of COLLECTIONS) {
    const settings = []
    for (const { collection, setting } of wanted)
      if (collection === name) settings.push(setting(await nameInSettings(context, jid, name, setting)))
    if (settings.length === 0) continue
    await context.settings.change(connection, name, settings, changesOf(jid, settings, nowMs))
  }
  return { kind: 'chat', jid }
}

/** A person has several names: a second setting under another one would contradict the first. */
async function nameInSettings(
  context: SessionContext,
  jid: string,
  collection: CollectionName,
  setting: (jid: string) => { index: readonly string[] },
): Promise<string> {
  const names = [...(await namesOf(context, [jid]))]
  const used = await context.settings.nameInUse(collection, names, name => setting(name).index)
  return used ?? (await lastNameOf(context, jid))
}
