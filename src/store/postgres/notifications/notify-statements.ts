import type { Signal } from '../../signals.ts'
import { channelOf, type Target, targetOf } from './channels.ts'
import { cutToPayloads, payloadOf } from './signal-payloads.ts'

export interface Statement {
  name: string
  text: string
  values: unknown[]
}

interface ForOwner extends Extract<Target, { kind: 'owner' }> {
  text: string
}

/** An owner is a process, or a part of one with its id first: `node_…/host_…`. */
const TO_OWNERS = `
  select pg_notify($5::text || coalesce(to_node, or_else_to), '[' || string_agg(distinct signal, ',') || ']')
  from (
    select nullif(split_part(l.owner, '/', 1), '') as to_node, t.or_else_to,
      case when l.owner is null then t.or_else else t.signal end as signal
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $7::text[]) t(kind, id, signal, or_else, or_else_to)
    left join leases l on l.kind = t.kind and l.id = t.id
  ) found
  where to_node is distinct from $6 and coalesce(to_node, or_else_to) is not null
  group by coalesce(to_node, or_else_to)`

const TO_CHANNELS = 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) n(channel, payload)'

/** Statements that notify other processes of the signals, each only if it has listeners. */
export function notifyStatements(signals: Signal[], self: string): Statement[] {
  const held: ForOwner[] = []
  const byChannel = new Map<string, Array<{ text: string }>>()
  for (const signal of signals) {
    const text = JSON.stringify(signal)
    const target = targetOf(signal)
    if (target.kind === 'owner') held.push({ ...target, text })
    else if (target.kind === 'all' || target.address !== self) {
      const channel = channelOf(target.kind === 'all' ? signal.about : target.address)
      const others = byChannel.get(channel)
      if (others === undefined) byChannel.set(channel, [{ text }])
      else others.push({ text })
    }
  }
  const named = cutToPayloads(held).map(part => toOwners(part, self))
  return byChannel.size === 0 ? named : [...named, toChannels(byChannel)]
}

function toOwners(held: ForOwner[], self: string): Statement {
  return {
    name: 'notify_owners',
    text: TO_OWNERS,
    values: [
      held.map(({ lease }) => lease.kind),
      held.map(({ lease }) => lease.id),
      held.map(({ text }) => text),
      held.map(({ orElse }) => orElse && JSON.stringify(orElse)),
      channelOf(''),
      self,
      held.map(({ orElse }) => orElse && orElse.about),
    ],
  }
}

function toChannels(byChannel: Map<string, Array<{ text: string }>>): Statement {
  const notifications = [...byChannel].flatMap(([channel, items]) =>
    cutToPayloads(items).map(part => ({ channel, payload: payloadOf(part) })),
  )
  return {
    name: 'notify_channels',
    text: TO_CHANNELS,
    values: [notifications.map(({ channel }) => channel), notifications.map(({ payload }) => payload)],
  }
}
