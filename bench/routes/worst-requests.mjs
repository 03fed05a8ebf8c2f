/** The heaviest valid requests of each route, as a function of the test data. */
const LONG = 65_536
/** Characters of four bytes that combine into one. */
const FAMILY = '👩‍👩‍👧‍👦'
const wide = n => FAMILY.repeat(Math.floor(n / FAMILY.length))
const marks = n => `e${'\u0301'.repeat(n - 1)}`
const control = n => '\u0001'.repeat(n)
const many = (n, item) => Array.from({ length: n }, (_, i) => item(i))
const MIB = 1_048_576
const jid = i => `${15_550_000_000 + i}@s.whatsapp.net`
const page = '?limit=100'
/** A group that no number is in. */
const GROUP = '/groups/120363000000000000@g.us'
/** A channel that does not exist. */
const CHANNEL = '/newsletters/120363000000000000'
/** A community that no number is in. */
const COMMUNITY = '/communities/120363000000000001@g.us'
const INVITE = `https://chat.whatsapp.com/${'A'.repeat(22)}?${'x'.repeat(151)}`
const text = (session, words) => ({
  session_id: session,
  to: jid(1),
  text: words,
  quoted_message_id: 'q',
  quoted_text: words,
})

const post = body => ({ body })
const at = (path, body) => ({ path, ...(body === undefined ? {} : { body }) })
const padded = object => ({
  raw: `{${' '.repeat(MIB - 3 - JSON.stringify(object).length)}${JSON.stringify(object).slice(1)}`,
})

export const WORST = {
  'GET /v1/me': () => [['plain', {}]],
  'GET /v1/tos': () => [['plain', {}]],
  'POST /v1/tos/accept': () => [['100 characters', post({ version: wide(100) })]],
  'GET /v1/usage': () => [['400 days', at('/v1/usage?from=2025-10-12&to=2026-11-15')]],
  'GET /v1/keys': () => [['100 keys of 100 numbers', at(`/v1/keys${page}`)]],
  'POST /v1/keys': ({ sessions }) => [
    ['100 numbers', post({ label: wide(100), session_ids: sessions.map(({ id }) => id) })],
    [
      '100 numbers that do not exist',
      post({ label: 'x', session_ids: many(100, i => `${i}${'9'.repeat(80)}@s.whatsapp.net`) }),
    ],
  ],
  'DELETE /v1/keys/:id': () => [['400 characters', at(`/v1/keys/${'k'.repeat(400)}`)]],
  'GET /v1/requests': () => [['a path that no request has', at('/v1/requests?limit=100&path=/nothing')]],
  'GET /v1/requests/:id': () => [['400 characters', at(`/v1/requests/${'k'.repeat(400)}`)]],
  'POST /v1/messages': ({ sandbox }) => [
    ['text and quote of 64 Ki joined characters', post(text(sandbox, wide(LONG)))],
    ['text and quote of one letter with 64 Ki marks', post(text(sandbox, marks(LONG)))],
    ['text and quote of 64 Ki control characters', post(text(sandbox, control(LONG)))],
    ['1,000 mentions', post({ session_id: sandbox, to: jid(1), text: 'x', mentions: many(1_000, jid) })],
    [
      '50 contacts',
      post({
        session_id: sandbox,
        to: jid(1),
        contacts: many(50, i => ({ name: wide(255), phone: `+${15_550_000_000 + i}` })),
      }),
    ],
    [
      '100 rows',
      post({
        session_id: sandbox,
        to: jid(1),
        text: wide(LONG),
        list: {
          button_text: 'b',
          sections: many(10, s => ({
            title: 't',
            rows: many(10, r => ({ id: `${s}-${r}`, title: wide(24), description: wide(72) })),
          })),
        },
      }),
    ],
    [
      '10 cards of a carousel',
      post({
        session_id: sandbox,
        to: jid(1),
        text: wide(LONG),
        carousel: many(10, i => ({
          title: wide(60),
          text: wide(1_024),
          media_url: `https://example.com/${'c'.repeat(4_000)}`,
          buttons: many(3, b => ({ id: `${i}-${b}`, text: wide(25) })),
        })),
      }),
    ],
    ['1 MiB of blanks', padded({ session_id: sandbox, to: jid(1), text: 'x' })],
  ],
  'GET /v1/messages': () => [
    ['100 of 20,000', at(`/v1/messages${page}`)],
    ['a state that no message has', at(`/v1/messages${page}&state=scheduled`)],
  ],
  'GET /v1/messages/:id': ({ message }) => [['2,048 receipts', at(`/v1/messages/${message}`)]],
  'GET /v1/messages/:id/viewers': ({ message }) => [['100 of 1,024', at(`/v1/messages/${message}/viewers${page}`)]],
  'PATCH /v1/messages/:id': ({ message }) => [
    ['64 Ki joined characters', at(`/v1/messages/${message}`, { text: wide(LONG) })],
  ],
  'DELETE /v1/messages/:id': ({ message }) => [['plain', at(`/v1/messages/${message}`)]],
  'GET /v1/sessions': () => [['100 numbers with an answer to calls', at(`/v1/sessions${page}`)]],
  'GET /v1/sessions/:id': ({ own }) => [['plain', at(own(''))]],
  'PATCH /v1/sessions/:id': ({ own }) => [['100 characters', at(own(''), { label: wide(100), pace_ms: 0 })]],
  'POST /v1/sessions/:id/calls/auto-reject': ({ own }) => [
    ['4,096 characters', at(own('/calls/auto-reject'), { enabled: true, message: wide(4096) })],
  ],
  'POST /v1/sessions': () => [
    ['a number that does not exist', post({ platform: 'sandbox', phone: '1'.repeat(30), label: wide(100) })],
  ],
  'POST /v1/sessions/:id/restart': ({ own }) => [['plain', at(own('/restart'))]],
  'DELETE /v1/sessions/:id': () => [['a number that does not exist', at(`/v1/sessions/${'9'.repeat(400)}`)]],
  'POST /v1/sessions/:id/presence/subscribe': ({ live }) => [
    ['plain', at(live('/presence/subscribe'), { contact_jid: jid(1) })],
  ],
  'POST /v1/sessions/:id/chats/:jid/history': ({ live }) => [
    ['500 messages', at(live('/chats/15551234567/history'), { before_message_id: 'm'.repeat(100), count: 500 })],
  ],
  'GET /v1/sessions/:id/history/:job': ({ live }) => [
    ['what is not there', at(live('/history/job_00000000000000000000000000'))],
  ],
  'GET /v1/sessions/:id/newsletters': ({ live }) => [['plain', at(live(`/newsletters${page}`))]],
  'POST /v1/sessions/:id/newsletters': ({ live }) => [
    ['2,048 characters', at(live('/newsletters'), { name: wide(100), description: wide(2_048) })],
  ],
  'POST /v1/sessions/:id/newsletters/preview': ({ live }) => [
    ['200 characters', at(live('/newsletters/preview'), { invite: `${'A'.repeat(22)}?${'x'.repeat(170)}` })],
  ],
  'GET /v1/sessions/:id/newsletters/:nl': ({ live }) => [['plain', at(live(CHANNEL))]],
  'PATCH /v1/sessions/:id/newsletters/:nl': ({ live }) => [
    ['2,048 characters', at(live(CHANNEL), { name: wide(100), description: wide(2_048), reactions: 'none' })],
  ],
  'DELETE /v1/sessions/:id/newsletters/:nl': ({ live }) => [['plain', at(live(CHANNEL))]],
  'PUT /v1/sessions/:id/newsletters/:nl/picture': ({ live }) => [
    [
      'a URL of 4,096 characters',
      at(live(`${CHANNEL}/picture`), { media_url: `https://example.com/${'x'.repeat(4_076)}` }),
    ],
  ],
  'DELETE /v1/sessions/:id/newsletters/:nl/picture': ({ live }) => [['plain', at(live(`${CHANNEL}/picture`))]],
  'PUT /v1/sessions/:id/newsletters/:nl/follow': ({ live }) => [['plain', at(live(`${CHANNEL}/follow`))]],
  'DELETE /v1/sessions/:id/newsletters/:nl/follow': ({ live }) => [['plain', at(live(`${CHANNEL}/follow`))]],
  'PUT /v1/sessions/:id/newsletters/:nl/mute': ({ live }) => [['plain', at(live(`${CHANNEL}/mute`))]],
  'DELETE /v1/sessions/:id/newsletters/:nl/mute': ({ live }) => [['plain', at(live(`${CHANNEL}/mute`))]],
  'GET /v1/sessions/:id/newsletters/:nl/posts': ({ live }) => [['plain', at(live(`${CHANNEL}/posts${page}`))]],
  'GET /v1/sessions/:id/newsletters/:nl/stats': ({ live }) => [['plain', at(live(`${CHANNEL}/stats`))]],
  'GET /v1/sessions/:id/newsletters/:nl/followers': ({ live }) => [['plain', at(live(`${CHANNEL}/followers${page}`))]],
  'GET /v1/sessions/:id/newsletters/:nl/admins': ({ live }) => [['plain', at(live(`${CHANNEL}/admins`))]],
  'PUT /v1/sessions/:id/newsletters/:nl/admins/:jid': ({ live }) => [
    ['1,024 characters', at(live(`${CHANNEL}/admins/15551234567`), { caption: wide(1_024) })],
  ],
  'DELETE /v1/sessions/:id/newsletters/:nl/admins/:jid/invite': ({ live }) => [
    ['plain', at(live(`${CHANNEL}/admins/15551234567/invite`))],
  ],
  'POST /v1/sessions/:id/newsletters/:nl/accept': ({ live }) => [['plain', at(live(`${CHANNEL}/accept`))]],
  'DELETE /v1/sessions/:id/newsletters/:nl/admins/:jid': ({ live }) => [
    ['plain', at(live(`${CHANNEL}/admins/15551234567`))],
  ],
  'POST /v1/sessions/:id/newsletters/:nl/react': ({ live }) => [
    [
      '64 characters',
      at(live('/newsletters/120363000000000000/react'), { server_id: 1, message_id: 'm'.repeat(100), emoji: wide(64) }),
    ],
  ],
  'POST /v1/sessions/:id/typing': ({ live }) => [['plain', at(live('/typing'), { chat_jid: jid(1), typing: true })]],
  'POST /v1/sessions/:id/read': ({ live }) => [
    ['100 messages', at(live('/read'), { chat_jid: jid(1), message_ids: many(100, i => `msg_${'m'.repeat(90)}${i}`) })],
  ],
  'GET /v1/sessions/:id/contacts/check': ({ live }) => [['plain', at(live('/contacts/check?phone=15551234567'))]],
  'POST /v1/sessions/:id/contacts/check': ({ live }) => [
    ['100 texts that are no numbers', at(live('/contacts/check'), { phones: many(100, () => '('.repeat(30)) })],
  ],
  'GET /v1/sessions/:id/contacts/:jid': ({ live }) => [['plain', at(live('/contacts/15551234567'))]],
  'GET /v1/sessions/:id/contacts/:jid/picture': ({ live }) => [['plain', at(live('/contacts/15551234567/picture'))]],
  'GET /v1/sessions/:id/blocks': ({ live }) => [['plain', at(live(`/blocks${page}`))]],
  'PUT /v1/sessions/:id/blocks/:jid': ({ live }) => [['plain', at(live('/blocks/15551234567'))]],
  'DELETE /v1/sessions/:id/blocks/:jid': ({ live }) => [['plain', at(live('/blocks/15551234567'))]],
  'GET /v1/sessions/:id/chats': ({ live }) => [['plain', at(live(`/chats${page}`))]],
  'GET /v1/sessions/:id/chats/:jid': ({ live }) => [['plain', at(live('/chats/15551234567'))]],
  'PATCH /v1/sessions/:id/chats/:jid': ({ live }) => [
    ['50 labels', at(live('/chats/15551234567'), { labels: many(50, i => `${'l'.repeat(60)}${i}`) })],
  ],
  'PUT /v1/sessions/:id/chats/:jid/stars/:message_id': ({ live }) => [
    ['a long id', at(live(`/chats/15551234567/stars/${'m'.repeat(255)}`))],
  ],
  'DELETE /v1/sessions/:id/chats/:jid/stars/:message_id': ({ live }) => [
    ['a long id', at(live(`/chats/15551234567/stars/${'m'.repeat(255)}`))],
  ],
  'GET /v1/sessions/:id/profile': ({ live }) => [['plain', at(live('/profile'))]],
  'PATCH /v1/sessions/:id/profile': ({ live }) => [['139 characters', at(live('/profile'), { about: wide(139) })]],
  'PUT /v1/sessions/:id/profile/picture': ({ live }) => [
    ['a file that does not exist', at(live('/profile/picture'), { media_id: 'm'.repeat(100) })],
  ],
  'DELETE /v1/sessions/:id/profile/picture': ({ live }) => [['plain', at(live('/profile/picture'))]],
  'POST /v1/sessions/:id/calls/:call_id/reject': ({ live }) => [
    ['a call that does not ring', at(live(`/calls/${'c'.repeat(400)}/reject`))],
  ],
  'POST /v1/sessions/:id/calls/links': ({ live }) => [['plain', at(live('/calls/links'), { media: 'video' })]],
  'GET /v1/sessions/:id/catalog': ({ live }) => [['of a contact', at(live(`/catalog${page}&jid=15551230480`))]],
  'GET /v1/sessions/:id/catalog/collections': ({ live }) => [
    ['of a contact', at(live('/catalog/collections?jid=15551230480'))],
  ],
  'POST /v1/sessions/:id/orders': ({ live }) => [
    ['1,000 characters', at(live('/orders'), { order_id: 'o'.repeat(100), token: 't'.repeat(1_000) })],
  ],
  'GET /v1/sessions/:id/privacy': ({ live }) => [['plain', at(live('/privacy'))]],
  'PATCH /v1/sessions/:id/privacy': ({ live }) => [['one setting', at(live('/privacy'), { about: 'none' })]],
  'PUT /v1/sessions/:id/proxy': ({ own }) => [
    ['long credentials', at(own('/proxy'), { url: `socks5://${'u'.repeat(255)}:${'p'.repeat(255)}@93.184.216.34` })],
  ],
  'GET /v1/sessions/:id/proxy': ({ own }) => [['plain', at(own('/proxy'))]],
  'POST /v1/sessions/:id/proxy/test': ({ live }) => [['no proxy', at(live('/proxy/test'))]],
  'DELETE /v1/sessions/:id/proxy': ({ own }) => [['plain', at(own('/proxy'))]],
  'GET /v1/sessions/:id/health': ({ live }) => [['plain', at(live('/health'))]],
  'POST /v1/sessions/:id/people': ({ live }) => [['100 people', at(live('/people'), { jids: many(100, jid) })]],
  'GET /v1/sessions/:id/groups': ({ live }) => [['plain', at(live(`/groups${page}`))]],
  'POST /v1/sessions/:id/groups': ({ live }) => [
    ['100 people', at(live('/groups'), { subject: wide(100), members: many(100, jid) })],
  ],
  'POST /v1/sessions/:id/groups/join': ({ live }) => [['200 characters', at(live('/groups/join'), { invite: INVITE })]],
  'POST /v1/sessions/:id/groups/preview': ({ live }) => [
    ['200 characters', at(live('/groups/preview'), { invite: INVITE })],
  ],
  'GET /v1/sessions/:id/groups/:jid': ({ live }) => [['plain', at(live(GROUP))]],
  'PATCH /v1/sessions/:id/groups/:jid': ({ live }) => [
    ['2,048 characters', at(live(GROUP), { subject: wide(100), description: wide(2_048) })],
  ],
  'POST /v1/sessions/:id/groups/:jid/leave': ({ live }) => [['plain', at(live(`${GROUP}/leave`))]],
  'POST /v1/sessions/:id/groups/:jid/members': ({ live }) => [
    ['100 people', at(live(`${GROUP}/members`), { action: 'add', members: many(100, jid) })],
  ],
  'GET /v1/sessions/:id/groups/:jid/invite': ({ live }) => [['plain', at(live(`${GROUP}/invite`))]],
  'DELETE /v1/sessions/:id/groups/:jid/invite': ({ live }) => [['plain', at(live(`${GROUP}/invite`))]],
  'GET /v1/sessions/:id/groups/:jid/picture': ({ live }) => [['plain', at(live(`${GROUP}/picture`))]],
  'PUT /v1/sessions/:id/groups/:jid/picture': ({ live }) => [
    [
      'a URL of 4,096 characters',
      at(live(`${GROUP}/picture`), { media_url: `https://example.com/${'x'.repeat(4_076)}` }),
    ],
  ],
  'DELETE /v1/sessions/:id/groups/:jid/picture': ({ live }) => [['plain', at(live(`${GROUP}/picture`))]],
  'GET /v1/sessions/:id/groups/:jid/requests': ({ live }) => [['plain', at(live(`${GROUP}/requests${page}`))]],
  'POST /v1/sessions/:id/groups/:jid/requests': ({ live }) => [
    ['100 people', at(live(`${GROUP}/requests`), { action: 'approve', members: many(100, jid) })],
  ],
  'GET /v1/sessions/:id/communities': ({ live }) => [['plain', at(live(`/communities${page}`))]],
  'POST /v1/sessions/:id/communities': ({ live }) => [
    ['2,048 characters', at(live('/communities'), { subject: wide(100), description: wide(2_048) })],
  ],
  'GET /v1/sessions/:id/communities/:jid/groups': ({ live }) => [['plain', at(live(`${COMMUNITY}/groups${page}`))]],
  'PUT /v1/sessions/:id/communities/:jid/groups/:group': ({ live }) => [['plain', at(live(`${COMMUNITY}${GROUP}`))]],
  'DELETE /v1/sessions/:id/communities/:jid/groups/:group': ({ live }) => [['plain', at(live(`${COMMUNITY}${GROUP}`))]],
  'POST /v1/sessions/:id/communities/:jid/leave': ({ live }) => [['plain', at(live(`${COMMUNITY}/leave`))]],
  'POST /v1/pairings': () => [
    ['30 characters that are no number', post({ method: 'code', phone: '('.repeat(30), label: wide(100) })],
  ],
  'GET /v1/pairings/:id': () => [['400 characters', at(`/v1/pairings/${'p'.repeat(400)}`)]],
  'GET /v1/pairings/:id/events': () => [['400 characters', at(`/v1/pairings/${'p'.repeat(400)}/events`)]],
  'POST /v1/pairings/:id/passkey': () => [
    [
      'all fields with their maximum length',
      at(`/v1/pairings/${'p'.repeat(400)}/passkey`, {
        id: 'a'.repeat(1_400),
        rawId: 'a'.repeat(1_400),
        type: 'public-key',
        response: {
          clientDataJSON: 'a'.repeat(8_192),
          authenticatorData: 'a'.repeat(8_192),
          signature: 'a'.repeat(1_024),
          userHandle: 'a'.repeat(128),
        },
      }),
    ],
  ],
  'POST /v1/pairings/:id/code': () => [['400 characters', at(`/v1/pairings/${'p'.repeat(400)}/code`)]],
  'POST /v1/pairings/:id/confirm': () => [['400 characters', at(`/v1/pairings/${'p'.repeat(400)}/confirm`)]],
  'DELETE /v1/pairings/:id': () => [['400 characters', at(`/v1/pairings/${'p'.repeat(400)}`)]],
  'POST /v1/endpoints': ({ sessions }) => [
    [
      '100 numbers and 20 headers',
      post({
        url: `https://example.com/${'e'.repeat(4_000)}`,
        description: wide(200),
        session_ids: sessions.map(({ id }) => id),
        headers: Object.fromEntries(many(20, i => [`X-Header-${i}`, 'v'.repeat(1_000)])),
      }),
    ],
  ],
  'POST /v1/media': () => [['a file of 1 MiB, a 2048th of the largest', { ...post('x'.repeat(MIB)), few: true }]],
  'GET /v1/media/:id': () => [['400 characters', at(`/v1/media/${'m'.repeat(400)}`)]],
  'DELETE /v1/media/:id': () => [['400 characters', { ...at(`/v1/media/${'m'.repeat(400)}`), method: 'DELETE' }]],
  'GET /v1/endpoints': () => [['50 endpoints', at(`/v1/endpoints${page}`)]],
  'GET /v1/endpoints/:id': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}`)]],
  'PATCH /v1/endpoints/:id': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}`, { active: false })]],
  'DELETE /v1/endpoints/:id': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}`)]],
  'POST /v1/endpoints/:id/rotate-secret': () => [
    ['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/rotate-secret`, { overlap_seconds: 604_800 })],
  ],
  'POST /v1/endpoints/:id/test': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/test`, {})]],
  'POST /v1/endpoints/:id/replay': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/replay`, {})]],
  'GET /v1/endpoints/:id/replay/:replay_id': () => [
    ['400 characters', at(`/v1/endpoints/ep_x/replay/${'r'.repeat(400)}`)],
  ],
  'DELETE /v1/endpoints/:id/replay/:replay_id': () => [
    ['400 characters', at(`/v1/endpoints/ep_x/replay/${'r'.repeat(400)}`)],
  ],
  'GET /v1/endpoints/:id/events': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/events`)]],
  'POST /v1/endpoints/:id/ack': () => [
    ['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/ack`, { cursor: '9'.repeat(15) })],
  ],
  'GET /v1/endpoints/:id/stream': () => [['400 characters', at(`/v1/endpoints/${'e'.repeat(400)}/stream`)]],
  'POST /v1/webhooks': ({ sessions }) => [
    ['four URLs of 4,096 characters', post({ session_id: sessions[0].id, ...urls('https://example.com/', 'a') })],
    ['four URLs of percent signs', post({ session_id: sessions[0].id, ...urls('https://example.com/', '%') })],
    ['four host names of 4,096 characters', post({ session_id: sessions[0].id, ...urls('https://', 'ß.') })],
  ],
  'GET /v1/webhooks': () => [['100 with four URLs of 4,096 characters', at(`/v1/webhooks${page}`)]],
  'GET /v1/webhooks/:id': ({ hook }) => [['four URLs of 4,096 characters', at(hook(''))]],
  'PUT /v1/webhooks/:id': ({ hook }) => [
    ['four URLs of 4,096 characters', at(hook(''), urls('https://example.com/', 'a'))],
  ],
  'DELETE /v1/webhooks/:id': () => [['400 characters', at(`/v1/webhooks/${'w'.repeat(400)}`)]],
  'POST /v1/webhooks/:id/rotate-secret': ({ hook }) => [
    ['plain', at(hook('/rotate-secret'), { overlap_seconds: 604_800 })],
  ],
  'POST /v1/webhooks/:id/test': ({ hook }) => [
    ['one endpoint', { ...at(hook('/test'), { category: 'messages' }), few: true }],
  ],
  'POST /v1/webhooks/:id/replay': ({ hook }) => [
    ['all dead letters', at(hook('/replay'), { since: '2020-01-01T00:00:00Z' })],
  ],
  'GET /v1/webhooks/:id/replay/:replay_id': ({ hook }) => [['400 characters', at(hook(`/replay/${'r'.repeat(400)}`))]],
  'DELETE /v1/webhooks/:id/replay/:replay_id': ({ hook }) => [
    ['400 characters', at(hook(`/replay/${'r'.repeat(400)}`))],
  ],
  'GET /v1/deliveries': () => [
    ['100 with four attempts of 1,024 characters', at(`/v1/deliveries${page}`)],
    ['a time that no delivery has', at(`/v1/deliveries${page}&since=0001-01-01&until=0001-01-02&event_type=other`)],
  ],
  'GET /v1/deliveries/events': () => [['opened', { ...at('/v1/deliveries/events'), stream: true }]],
  'GET /v1/deliveries/:id': ({ delivery }) => [['four attempts of 1,024 characters', at(`/v1/deliveries/${delivery}`)]],
  'POST /v1/deliveries/:id/resend': ({ dead }) => [['a payload that was deleted', at(`/v1/deliveries/${dead}/resend`)]],
  'POST /v1/deliveries/:id/give-up': ({ dead }) => [['a dead letter', at(`/v1/deliveries/${dead}/give-up`)]],
  'POST /v1/listeners': () => [['an eleventh', post({})]],
  'GET /v1/listeners/:id/events': () => [['400 characters', at(`/v1/listeners/${'l'.repeat(400)}/events?after=0`)]],
  'DELETE /v1/listeners/:id': () => [['400 characters', at(`/v1/listeners/${'l'.repeat(400)}`)]],
  'POST /sandbox/sessions/:id/incoming': ({ box }) => [
    ['64 Ki joined characters', at(box('/incoming'), { from: '15551230001', type: 'text', text: wide(LONG) })],
    [
      'a file of 768 KiB in the body',
      at(box('/incoming'), { from: '15551230001', type: 'image', media: { data: 'A'.repeat(1_048_000) } }),
    ],
    [
      'a file of 16 MiB, made up',
      { ...at(box('/incoming'), { from: '15551230001', type: 'document', media: { size: 16 * MIB } }), few: true },
    ],
  ],
  'POST /sandbox/sessions/:id/actions': ({ box }) => [
    ['64 Ki joined characters', at(box('/actions'), { action: 'newsletter_post', name: 'News', text: wide(LONG) })],
  ],
  'GET /sandbox/sessions/:id/messages': ({ box }) => [
    ['100 of 64 Ki characters', at(box('/messages?limit=100&contact=15551230002'))],
    ['100 with files of 1 MiB', at(box('/messages?limit=100&contact=15551230003&include_media=true'))],
  ],
  'POST /sandbox/media': () => [['a file of 1 MiB, a 64th of the largest', { ...post('x'.repeat(MIB)), few: true }]],
  'POST /sandbox/pairings/:id/passkey': () => [['400 characters', at(`/sandbox/pairings/${'p'.repeat(400)}/passkey`)]],
  'POST /sandbox/pairings/:id/scan': () => [['400 characters', at(`/sandbox/pairings/${'p'.repeat(400)}/scan`)]],
  'GET /sandbox/sessions/:id/conditions': ({ box }) => [
    ['100 characters', at(box(`/conditions?contact=${'9'.repeat(100)}`))],
  ],
  'POST /sandbox/sessions/:id/watch': ({ box }) => [['plain', at(box('/watch'))]],
  'GET /sandbox/deliveries/:id': () => [['400 characters', at(`/sandbox/deliveries/${'d'.repeat(400)}`)]],
  'POST /v1/people/erase': () => [['a person', { ...post({ jid: '15557654321' }), few: true }]],
  'GET /v1/people/erase/:id': () => [['400 characters', at(`/v1/people/erase/${'j'.repeat(400)}`)]],
  'POST /v1/people/export': () => [['a person, from all data', { ...post({ jid: '15557654321' }), few: true }]],
  'POST /operator/accounts': () => [
    [
      '200 characters, a password of 200',
      {
        ...post({
          name: wide(200),
          email: `${'a'.repeat(64)}@${'b'.repeat(180)}`,
          password: 'p'.repeat(200),
          limits: {},
        }),
        operator: true,
        few: true,
      },
    ],
  ],
  'POST /operator/sign-in-links': () => [['plain', { ...post({}), operator: true, few: true }]],
  'GET /operator/accounts': () => [['100 accounts', { ...at(`/operator/accounts${page}`), operator: true }]],
  'PATCH /operator/accounts/:id': () => [
    [
      'an account that does not exist',
      { ...at(`/operator/accounts/${'a'.repeat(400)}`, { name: wide(200) }), operator: true },
    ],
  ],
  'POST /operator/accounts/:id/keys': () => [
    [
      'an account that does not exist',
      { ...at(`/operator/accounts/${'a'.repeat(400)}/keys`, { label: wide(100) }), operator: true },
    ],
  ],
  'GET /operator/overview': () => [['plain', { ...at('/operator/overview'), operator: true }]],
  'POST /operator/sessions/:id/export': () => [
    [
      'a number that does not exist, a passphrase of 200 characters',
      { ...at('/operator/sessions/19995550000%40s.whatsapp.net/export', { passphrase: wide(200) }), operator: true },
    ],
  ],
  'POST /operator/sessions/:id/take-back': () => [
    ['400 characters', { ...at(`/operator/sessions/${'9'.repeat(400)}/take-back`, {}), operator: true }],
  ],
  'POST /operator/sessions/import': () => [
    [
      'a passphrase that is stretched, and is wrong',
      {
        ...at(
          '/operator/sessions/import?account_id=acc_none',
          `POSTERN NUMBER 1\n${'s'.repeat(16)}\0\0\0\0\x01${'t'.repeat(16)}`,
        ),
        headers: {
          'content-type': 'application/octet-stream',
          'postern-passphrase': Buffer.from('p'.repeat(200)).toString('base64'),
        },
        operator: true,
        few: true,
      },
    ],
  ],
  'POST /portal/api/sign-in': ({ email }) => [
    ['a password of 200 characters', { ...post({ email, password: wide(200) }), open: true }],
    ['255 letters that grow in lower case', { ...post({ email: 'İ'.repeat(255), password: wide(200) }), open: true }],
    ['1 MiB of names', { raw: JSON.stringify(Object.fromEntries(many(90_000, i => [`k${i}`, 1]))), open: true }],
    ['1 MiB of brackets', { raw: '['.repeat(MIB / 2) + ']'.repeat(MIB / 2), open: true }],
  ],
  'POST /portal/api/sign-in/link': () => [['200 characters', { ...post({ token: wide(200) }), open: true }]],
  'POST /portal/api/sign-up': () => [
    [
      'an invalid address',
      { ...post({ name: wide(200), email: `${'a'.repeat(64)}@${'b'.repeat(180)} `, password: wide(200) }), open: true },
    ],
  ],
  'GET /portal/api/v1/stats': () => [['30 days', { ...at('/portal/api/v1/stats?range=30d'), cookie: true }]],
  'GET /portal/api/v1/replayable': () => [['all dead letters', { ...at('/portal/api/v1/replayable'), cookie: true }]],
  'GET /portal/api/v1/messages/:id/deliveries': () => [
    ['400 characters', { ...at(`/portal/api/v1/messages/${'a'.repeat(400)}/deliveries`), cookie: true }],
  ],
  'GET /portal/api/v1/deliveries/:id/message': () => [
    ['400 characters', { ...at(`/portal/api/v1/deliveries/${'a'.repeat(400)}/message`), cookie: true }],
  ],
  'GET /portal/api/live': () => [['opened', { ...at('/portal/api/live'), cookie: true, stream: true }]],
  'GET /docs': () => [['plain', { open: true }]],
  'GET /openapi.json': () => [['plain', { open: true }]],
  'GET /metrics': () => [['plain', { operator: true }]],
  'GET /healthz': () => [
    ['14 KiB of headers', { open: true, headers: Object.fromEntries(many(60, i => [`x-${i}`, 'h'.repeat(220)])) }],
  ],
  'GET /unknown': () => [['a path of 14 KiB', { ...at(`/${'%25'.repeat(4_700)}`), open: true }]],
}

function urls(start, filler) {
  const url = start + filler.repeat((4096 - start.length) / filler.length)
  return { messages_url: url, status_url: url, connection_url: url, events_url: url }
}
