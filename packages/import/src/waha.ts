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

/** Reads the sessions of `GET /api/sessions?all=true`, and the settings. */
export function readWaha({ lists, settings }: Found): TheirNumber[] {
  const everywhere = globalHook(settings)
  return lists.flat().flatMap(session => {
    const name = textOf(session, 'name')
    if (name === '' || textOf(session, 'status') === '') return []
    const me = fieldOf(session, 'me')
    const config = fieldOf(session, 'config')
    const webhooks = fieldOf(config, 'webhooks')
    const own = Array.isArray(webhooks) ? webhooks.filter(each => textOf(each, 'url') !== '') : []
    return [
      {
        name,
        phone: phoneOf(textOf(me, 'id')),
        label: textOf(me, 'pushName') || name,
        hooks: [...everywhere, ...own.map(each => ({ url: textOf(each, 'url'), events: textsOf(each, 'events') }))],
        rejectsCalls: null,
        left: [...leftOfHooks(own), ...leftOfSession(config), ...leftOfSettings(settings)],
      },
    ]
  })
}

function globalHook(settings: Found['settings']): TheirHook[] {
  const url = settings.get('WHATSAPP_HOOK_URL') ?? ''
  const events = (settings.get('WHATSAPP_HOOK_EVENTS') ?? '').split(',').flatMap(each => each.trim() || [])
  return url === '' ? [] : [{ url, events }]
}

const SIGNING =
  'the key of their signature (hmac): ours is another, in X-Webhook-Signature, with a secret that is shown once'
const RETRIES = 'their retries: attempts and waits are those of the gateway (POSTERN_RETRY_DELAYS)'
const HEADERS = 'custom headers: the signature tells who posts'

function leftOfHooks(hooks: unknown[]): string[] {
  const has = (name: string): boolean =>
    hooks.some(each => isRecord(fieldOf(each, name)) || Array.isArray(fieldOf(each, name)))
  return [has('hmac') ? SIGNING : '', has('retries') ? RETRIES : '', has('customHeaders') ? HEADERS : ''].filter(
    Boolean,
  )
}

function leftOfSession(config: unknown): string[] {
  const has = (name: string): boolean =>
    isRecord(fieldOf(config, name)) && Object.keys(fieldOf(config, name) as object).length > 0
  return [
    has('proxy') ? 'a proxy for the number: there is none for single numbers' : '',
    has('metadata') ? 'metadata of the session: keep it by the session_id that every event carries' : '',
  ].filter(Boolean)
}

const leftOfSettings = (settings: Found['settings']): string[] =>
  [
    settings.has('WHATSAPP_HOOK_HMAC_KEY') ? SIGNING : '',
    settings.has('WHATSAPP_HOOK_CUSTOM_HEADERS') ? HEADERS : '',
    settings.has('WHATSAPP_HOOK_RETRIES_POLICY') || settings.has('WHATSAPP_HOOK_RETRIES_ATTEMPTS') ? RETRIES : '',
  ].filter(Boolean)
