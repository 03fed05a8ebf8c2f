/** The table has only what the web client generates from its own grammar; these parts of it are written by hand. */
const NOT_DESCRIBED = 'the table does not describe it'
/** The table merges all kinds of messages, and what only one of them has is lost. */
const MERGED = 'the table merges all kinds of this stanza and has lost it'
const OF_LIBRARY = 'the library adds it, and the platform accepts it'
const OF_BUTTONS = 'only businesses send buttons; this is the form in which phones show those of other numbers'

const REPEATED = 'an ack repeats the addresses of the stanza that it confirms, however wrong they are'

/** Changes of a group that clients make, and those that the server announces. */
const GROUP_CHANGES = [
  'add',
  'announcement',
  'create',
  'demote',
  'description',
  'ephemeral',
  'invite',
  'leave',
  'locked',
  'member_add_mode',
  'membership_approval_mode',
  'membership_requests_action',
  'not_announcement',
  'not_ephemeral',
  'promote',
  'remove',
  'subject',
  'unlocked',
]
const GROUP_NEWS = [
  'announcement',
  'created_membership_requests',
  'description',
  'ephemeral',
  'invite',
  'locked',
  'membership_approval_mode',
  'not_announcement',
  'not_ephemeral',
  'revoked_membership_requests',
  'unlocked',
]

/** Differences from the web client that are meant or cannot be mended, with their reasons. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  ['call: no such stanza', NOT_DESCRIBED],
  ['iq blocklist set item: no such stanza', NOT_DESCRIBED],
  ['iq encrypt get count: no such stanza', NOT_DESCRIBED],
  ['iq md set remove-companion-device: no such stanza', NOT_DESCRIBED],
  ['iq privacy get privacy: no such stanza', NOT_DESCRIBED],
  ['iq privacy set privacy: no such stanza', NOT_DESCRIBED],
  ['iq privacy set tokens: no such stanza', NOT_DESCRIBED],
  ['iq usync get usync: no such stanza', NOT_DESCRIBED],
  ...GROUP_CHANGES.map(tag => [`iq w:g2 set ${tag}: no such stanza`, NOT_DESCRIBED] as const),
  ['iq w:g2 get invite: no such stanza', NOT_DESCRIBED],
  ['iq w:g2 get membership_approval_requests: no such stanza', NOT_DESCRIBED],
  ...GROUP_NEWS.map(tag => [`server: notification w:gp2 ${tag}: no child add`, NOT_DESCRIBED] as const),
  ['iq w:biz get business_profile: no such stanza', NOT_DESCRIBED],
  ['iq w:m set media_conn: no such stanza', NOT_DESCRIBED],
  ['iq w:mex get query: no such stanza', NOT_DESCRIBED],
  ['iq w:p get ping: no such stanza', NOT_DESCRIBED],
  ['iq w:profile:picture get picture: no such stanza', NOT_DESCRIBED],
  ['iq w:profile:picture set picture: no such stanza', NOT_DESCRIBED],
  ['iq w:profile:picture set: no such stanza', NOT_DESCRIBED],
  ['iq newsletter get messages: no attribute count', MERGED],
  ['server: answer to newsletter messages, error > error: text is item-not-found instead of bad-request', MERGED],
  ['iq newsletter get messages > messages: unknown attribute type', MERGED],
  ['iq newsletter get messages > messages: unknown attribute jid', MERGED],
  ['iq newsletter get messages > messages: unknown attribute before', MERGED],
  ['iq w:sync:app:state set sync: no such stanza', NOT_DESCRIBED],
  ['iq result pair-device-sign: unknown child pair-device-sign', NOT_DESCRIBED],
  ['iq encrypt set registration: unknown child list', MERGED],
  ['message: unknown child participants', MERGED],
  ['message: unknown attribute media_id', MERGED],
  ['message > plaintext: unknown attribute mediatype', MERGED],
  ['message > meta: unknown attribute contenttype', MERGED],
  [
    'receipt: type is retry instead of delivery|hist_sync|inactive|peer_msg|played|played-self|read|read-self|sender|server-error|view',
    MERGED,
  ],
  ['receipt: unknown child encrypt', NOT_DESCRIBED],
  ['receipt: unknown child rmr', NOT_DESCRIBED],
  ['receipt > keys: unknown child type', MERGED],
  ['ack: to is no jid', REPEATED],
  ['ack: participant is no device', REPEATED],
  ['message: unknown child cstoken', 'people who require a token accept it, and the table is older'],
  ['message: unknown attribute expiration', OF_LIBRARY],
  ['presence: unknown attribute id', OF_LIBRARY],
  ['ack: unknown attribute from', OF_LIBRARY],
  ['message > biz: unknown attribute actual_actors', OF_BUTTONS],
  ['message > biz: unknown attribute host_storage', OF_BUTTONS],
  ['message > biz: unknown attribute privacy_mode_ts', OF_BUTTONS],
  ['message > biz > interactive > native_flow: unknown attribute v', OF_BUTTONS],
  ['message > biz > quality_control: unknown attribute source_type', OF_BUTTONS],
])
