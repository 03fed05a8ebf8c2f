/** Parses a link of the portal: https://gateway/passkey/pair_…#ticket. Returns `undefined` for any other text. */
export function parseLink(text) {
  if (!URL.canParse(text.trim())) return undefined
  const { protocol, hostname, origin, pathname, hash } = new URL(text.trim())
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost'
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) return undefined
  if (!/^\/passkey\/pair_[a-z0-9]+$/.test(pathname) || !/^#[\w-]{43}$/.test(hash)) return undefined
  return { url: origin + pathname, origin, hostname, ticket: hash.slice(1) }
}
