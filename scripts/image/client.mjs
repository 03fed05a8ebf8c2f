/** A client of a gateway with a key; throws on an unexpected status. */
export function client(url, key, fetcher = fetch) {
  return async (method, path, body, expected = 200) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const answer = await fetcher(url + path, request)
    const text = await answer.text()
    if (answer.status !== expected) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
}

/** The message once it is sent; null before that. */
export async function sentOrNull(ask, id) {
  const found = await ask('GET', `/v1/messages/${id}`)
  if (found.state === 'failed') throw new Error(`${id} failed: ${found.reason}`)
  return ['sent', 'delivered', 'read', 'played'].includes(found.state) ? found : null
}
