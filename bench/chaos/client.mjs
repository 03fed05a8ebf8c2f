const TIMEOUT_MS = 8_000

/**
 * A customer's program in front of several nodes: each question goes to the next of them, and a node that does not
 * answer in time counts as none. Answers status 0 then.
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
    /** How often each status was answered; 0: nobody answered. */
    statuses,
    ask: async (method, path, question) => {
      const answer = await ask(method, path, question)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      return answer
    },
  }
}
