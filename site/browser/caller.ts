/** Caller sends the request of "Try it": the account signed in to the portal, or the holder of a key. */
export interface Caller {
  name: string
  /** Sends a request as this caller. */
  send(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Response>
}

/** Only in memory: gone after a reload or on another page. */
let pasted: string | undefined

export const keepKey = (key: string): void => {
  pasted = key.trim() === '' ? undefined : key.trim()
}

const request = (
  url: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<Response> =>
  fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })

const byKey = (key: string): Caller => ({
  name: `the key ${key.slice(0, 12)}…`,
  send: (method, path, body, headers) => request(path, method, body, { ...headers, Authorization: `Bearer ${key}` }),
})

const bySession = (name: string): Caller => ({
  name,
  send: (method, path, body, headers) => request(`/portal/api${path}`, method, body, headers),
})

let visitor: Promise<Caller | null> | undefined

/** The account that is signed in to the portal in this browser, if any. */
async function signedIn(): Promise<Caller | null> {
  const answer = await fetch('/portal/api/v1/me').catch(() => null)
  if (answer === null || !answer.ok) return null
  const { account } = (await answer.json()) as { account: { name: string } }
  return bySession(`the account ${account.name}`)
}

export async function currentCaller(): Promise<Caller | null> {
  if (pasted !== undefined) return byKey(pasted)
  visitor ??= signedIn()
  return await visitor
}

/** The caller's first connected number, which replaces the one in the examples. */
export async function firstNumber(caller: Caller): Promise<string | null> {
  const answer = await caller.send('GET', '/v1/sessions', undefined, {}).catch(() => null)
  if (answer === null || !answer.ok) return null
  const { data } = (await answer.json()) as { data: { id: string; state: string }[] }
  return (data.find(({ state }) => state === 'connected') ?? data[0])?.id ?? null
}
