import {
  type Found,
  fieldOf,
  isRecord,
  phoneOf,
  type TheirHook,
  type TheirNumber,
  textOf,
  textsOf,
} from './their-number.ts'

const LINKED = 'WHATSAPP-BAILEYS'

/** Reads the instances of `GET /instance/fetchInstances`, each with its `Webhook`, and the settings. */
export function readEvolution({ lists, settings }: Found): TheirNumber[] {
  const everywhere = globalHook(settings)
  return lists.flat().flatMap(instance => {
    const name = textOf(instance, 'name')
    if (name === '' || textOf(instance, 'connectionStatus') === '') return []
    const webhook = fieldOf(instance, 'Webhook')
    const setting = fieldOf(instance, 'Setting')
    return [
      {
        name,
        phone: phoneOf(textOf(instance, 'ownerJid')) ?? phoneOf(textOf(instance, 'number')),
        label: textOf(instance, 'profileName') || name,
        hooks: [...everywhere, ...hookOf(webhook)],
        rejectsCalls: fieldOf(setting, 'rejectCall') === true ? { message: textOf(setting, 'msgCall') || null } : null,
        left: [...leftOfHook(webhook, settings), ...leftOfInstance(instance, setting)],
      },
    ]
  })
}

const hookOf = (webhook: unknown): TheirHook[] =>
  textOf(webhook, 'url') === '' || fieldOf(webhook, 'enabled') === false
    ? []
    : [{ url: textOf(webhook, 'url'), events: textsOf(webhook, 'events') }]

function globalHook(settings: Found['settings']): TheirHook[] {
  const url = settings.get('WEBHOOK_GLOBAL_URL') ?? ''
  if (settings.get('WEBHOOK_GLOBAL_ENABLED') !== 'true' || url === '') return []
  const prefix = 'WEBHOOK_EVENTS_'
  const on = [...settings].filter(([name, value]) => name.startsWith(prefix) && value === 'true')
  return [{ url, events: on.map(([name]) => name.slice(prefix.length)) }]
}

function leftOfHook(webhook: unknown, settings: Found['settings']): string[] {
  const isSplit =
    fieldOf(webhook, 'webhookByEvents') === true || settings.get('WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS') === 'true'
  const left = []
  if (isSplit)
    left.push('a path for each event behind the URL: categories have a URL each, and every event says its kind')
  if (isRecord(fieldOf(webhook, 'headers'))) left.push('headers of the webhook: the signature tells who posts')
  return left
}

const SWITCHES = ['groupsIgnore', 'alwaysOnline', 'readMessages', 'readStatus', 'syncFullHistory']
const PARTS = ['Chatwoot', 'Proxy', 'Rabbitmq', 'Nats', 'Sqs', 'Websocket']

function leftOfInstance(instance: unknown, setting: unknown): string[] {
  const integration = textOf(instance, 'integration')
  const on = SWITCHES.filter(name => fieldOf(setting, name) === true)
  const parts = PARTS.filter(name => fieldOf(fieldOf(instance, name), 'enabled') === true)
  return [
    integration !== '' && integration !== LINKED
      ? `its integration is ${integration}: only linked devices are spoken here`
      : '',
    on.length > 0 ? `switches of the instance: ${on.join(', ')}` : '',
    parts.length > 0 ? `what the instance is connected with: ${parts.join(', ')}` : '',
  ].filter(Boolean)
}
