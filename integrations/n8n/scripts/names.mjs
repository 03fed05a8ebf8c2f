/** The names that n8n users expect for the paths of the API. Other names are derived from the path. */
export const RESOURCES = {
  chats: 'Chat',
  contacts: 'Contact',
  deliveries: 'Delivery',
  groups: 'Group',
  newsletters: 'Channel',
  keys: 'API Key',
  listeners: 'Listener',
  me: 'Account',
  messages: 'Message',
  operator: 'Operator',
  pairings: 'Pairing',
  people: 'Person',
  requests: 'API Log',
  sandbox: 'Sandbox',
  sessions: 'Number',
  tos: 'Account',
  usage: 'Account',
  webhooks: 'Webhook',
  endpoints: 'Endpoint',
}

/** Operations whose derived name would be poor. */
export const OPERATIONS = {
  deleteKeysId: 'Revoke',
  deleteListenersId: 'Delete',
  deleteMediaId: 'Delete File',
  deleteMessagesId: 'Revoke or Cancel',
  deletePairingsId: 'Cancel',
  deleteSessionsId: 'Unlink',
  deleteSessionsIdBlocksJid: 'Unblock',
  deleteSessionsIdChatsJidStarsMessageId: 'Unstar Message',
  deleteSessionsIdGroupsJidInvite: 'Revoke Invite',
  deleteEndpointsIdReplayReplayId: 'Cancel Replay',
  deleteWebhooksIdReplayReplayId: 'Cancel Replay',
  getDeliveriesEvents: 'Watch',
  getEndpointsIdEvents: 'Read Events',
  getEndpointsIdStream: 'Watch Events',
  getListenersIdEvents: 'Read Events',
  getMe: 'Get',
  getOperatorOverview: 'Get Overview',
  getPairingsIdEvents: 'Watch',
  getPeopleEraseId: 'Get Erasure',
  getSandboxDeliveriesId: 'Get Delivery Body',
  getSandboxSessionsIdConditions: 'Get Conditions',
  getSandboxSessionsIdMessages: 'Get Messages',
  getSessionsIdBlocks: 'Get Blocked',
  getSessionsIdContactsCheck: 'Check',
  getSessionsIdContactsJidPicture: 'Get Picture',
  getSessionsIdGroupsJidInvite: 'Get Invite',
  getSessionsIdGroupsJidPicture: 'Get Picture',
  putSessionsIdGroupsJidPicture: 'Set Picture',
  deleteSessionsIdGroupsJidPicture: 'Remove Picture',
  putSessionsIdNewslettersNlPicture: 'Set Picture',
  deleteSessionsIdNewslettersNlPicture: 'Remove Picture',
  putSessionsIdNewslettersNlFollow: 'Follow',
  deleteSessionsIdNewslettersNlFollow: 'Unfollow',
  putSessionsIdNewslettersNlMute: 'Mute',
  deleteSessionsIdNewslettersNlMute: 'Unmute',
  deleteSessionsIdNewslettersNlAdminsJid: 'Demote Admin',
  getSessionsIdNewslettersNlPosts: 'Get Posts',
  getSessionsIdNewslettersNlStats: 'Get Statistics',
  getSessionsIdNewslettersNlFollowers: 'Get Followers',
  postSessionsIdNewsletters: 'Create',
  postSessionsIdNewslettersPreview: 'Find by Link',
  postSessionsIdChatsJidHistory: 'Request History',
  getSessionsIdHistoryJob: 'Get History Request',
  getSessionsIdHealth: 'Get Health',
  getSessionsIdGroupsJidRequests: 'Get Join Requests',
  getMessagesIdViewers: 'Get Viewers',
  getSessionsIdCatalog: 'Get Products',
  getSessionsIdCatalogCollections: 'Get Product Collections',
  getSessionsIdProfile: 'Get Profile',
  deleteSessionsIdProfilePicture: 'Remove Profile Picture',
  putSessionsIdProfilePicture: 'Set Profile Picture',
  patchSessionsIdProfile: 'Update Profile',
  postSessionsIdCallsCallIdReject: 'Reject Call',
  postSessionsIdCallsLinks: 'Create Call Link',
  postSessionsIdOrders: 'Get Order',
  getSessionsIdPrivacy: 'Get Privacy',
  getSessionsIdProxy: 'Get Proxy',
  putSessionsIdProxy: 'Set Proxy',
  deleteSessionsIdProxy: 'Remove Proxy',
  postSessionsIdProxyTest: 'Test Proxy',
  getTos: 'Get Terms',
  getUsage: 'Get Usage',
  getEndpointsIdReplayReplayId: 'Get Replay',
  getWebhooksIdReplayReplayId: 'Get Replay',
  patchMessagesId: 'Edit',
  patchOperatorAccountsId: 'Update Account',
  patchSessionsIdPrivacy: 'Update Privacy',
  getOperatorAccounts: 'Get Accounts',
  postEndpointsIdAck: 'Acknowledge Events',
  postMessages: 'Send',
  postOperatorAccounts: 'Create Account',
  postOperatorAccountsIdKeys: 'Create Key for Account',
  postOperatorSignInLinks: 'Create Sign-in Link',
  postPairingsIdCode: 'Renew Code',
  postPairingsIdConfirm: 'Confirm',
  postPairingsIdPasskey: 'Answer With Passkey',
  postSandboxPairingsIdPasskey: 'Use Passkey',
  postSandboxPairingsIdScan: 'Scan Pairing',
  postSandboxSessionsIdActions: 'Do Action',
  postSandboxSessionsIdIncoming: 'Receive Message',
  postSandboxSessionsIdWatch: 'Keep Full Payloads',
  postSessions: 'Create Sandbox Number',
  postSessionsIdCallsAutoReject: 'Reject Calls',
  postSessionsIdContactsCheck: 'Check Many',
  postSessionsIdGroups: 'Create',
  postSessionsIdGroupsJidMembers: 'Change Members',
  postSessionsIdGroupsJidRequests: 'Answer Join Requests',
  postSessionsIdGroupsPreview: 'Preview',
  postSessionsIdNewslettersNlReact: 'React to Channel Post',
  postSessionsIdPresenceSubscribe: 'Subscribe to Presence',
  postSessionsIdPeople: 'Find People',
  postSessionsIdRead: 'Mark as Read',
  postSessionsIdTyping: 'Show Typing',
  postTosAccept: 'Accept Terms',
  putSessionsIdBlocksJid: 'Block',
  putSessionsIdChatsJidStarsMessageId: 'Star Message',
}

/** Words with a special spelling in the names of fields. */
const WORDS = { id: 'ID', ids: 'IDs', url: 'URL', jid: 'JID', json: 'JSON', tos: 'Terms', nl: 'Channel' }
const SMALL = new Set(['a', 'and', 'as', 'at', 'for', 'in', 'of', 'on', 'or', 'the', 'to'])

const capital = word => word[0].toUpperCase() + word.slice(1)

/** `media_url` and `rawId` as a title: `Media URL`, `Raw ID`. */
export const titleOf = name =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .split(/[_-]/)
    .map(word => word.toLowerCase())
    .map((word, at, all) => WORDS[word] ?? (at > 0 && at < all.length - 1 && SMALL.has(word) ? word : capital(word)))
    .join(' ')

/** Reacting to a post stays with the number, where it has always been. */
const isOfChannel = path => /^\/v1\/sessions\/\{id\}\/newsletters(\/|$)/.test(path) && !path.endsWith('/react')
const isOfChat = path => /^\/v1\/sessions\/\{id\}\/chats(\/|$)/.test(path)
const isOfContact = path => /^\/v1\/sessions\/\{id\}\/(contacts|blocks)(\/|$)/.test(path)

/** The name of a path parameter: `{id}` of `/v1/sessions/{id}` is a `session_id`. */
export function nameInPath(path, part) {
  if (part === 'nl') return 'newsletter_id'
  if (part === 'jid')
    return isOfChat(path) ? 'chat_jid' : isOfContact(path) || isOfChannel(path) ? 'contact_jid' : 'group_jid'
  if (part !== 'id') return part
  if (path.startsWith('/v1/people/erase/')) return 'erasure_id'
  const kind = /^\/(?:v1|sandbox|operator)\/([a-z]+)\/\{id\}/.exec(path)[1]
  return `${kind.replace(/ies$/, 'y').replace(/s$/, '')}_id`
}

/** The first segment of a path that names a resource; chats, contacts, groups and channels belong to a number and are resources of their own. */
export function resourceOf(path) {
  if (isOfChat(path)) return RESOURCES.chats
  if (isOfContact(path)) return RESOURCES.contacts
  if (/^\/v1\/sessions\/\{id\}\/groups(\/|$)/.test(path)) return RESOURCES.groups
  if (isOfChannel(path)) return RESOURCES.newsletters
  const [, first, second] = path.split('/')
  const kind = first === 'v1' ? second : first
  return RESOURCES[kind] ?? titleOf(kind)
}

/** The last words of a path, for operations without a name above. */
function madeName(method, path) {
  const parts = path.split('/').slice(2)
  const isOne = parts.at(-1).startsWith('{')
  if (method === 'get') return isOne ? 'Get' : 'Get Many'
  if (method === 'delete') return 'Delete'
  if (isOne) return 'Update'
  return parts.length === 1 ? 'Create' : titleOf(parts.at(-1))
}

export const operationName = (id, method, path) => OPERATIONS[id] ?? madeName(method, path)
