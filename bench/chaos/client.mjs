const TIMEOUT_MS = 8_000

/**
 * A customer's program in front of several nodes: each request goes to the next node. If a node does not respond in
 * time, the status is 0.
 */
export function makeClient(urls) {
  const statuses = new Map()
  let turn = 0

  async function ask(method, path, { key, body, headers = {}, timeoutMs = TIMEOUT_MS }) {
    const url = urls[turn++ % urls.length]
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: answer.status, headers: answer.headers, json: await answer.json() }
    } catch (error) {
      return { status: 0, json: { error: String(error) } }
    }
  }

  return {
    /** How often each status occurred; 0 means no response. */
    statuses,
    ask: async (method, path, question) => {
      const answer = await ask(method, path, question)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      return answer
    },
  }
}
