/** Who asks when something is tried: whoever is signed in to the portal, or the holder of a key. */
export interface Who {
  name: string
  /** Sends a request as this one. */
  ask(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Response>
}

/** Kept in memory alone: another page, or this one loaded again, knows nothing of it. */
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

const byKey = (key: string): Who => ({
  name: `the key ${key.slice(0, 12)}…`,
  ask: (method, path, body, headers) => request(path, method, body, { ...headers, Authorization: `Bearer ${key}` }),
})

const bySession = (name: string): Who => ({
  name,
  ask: (method, path, body, headers) => request(`/portal/api${path}`, method, body, headers),
})

let visitor: Promise<Who | null> | undefined

/** Asked once: whether somebody is signed in to the portal in this browser. */
async function signedIn(): Promise<Who | null> {
  const answer = await fetch('/portal/api/v1/me').catch(() => null)
  if (answer === null || !answer.ok) return null
  const { account } = (await answer.json()) as { account: { name: string } }
  return bySession(`the account ${account.name}`)
}

export async function whoAsks(): Promise<Who | null> {
  if (pasted !== undefined) return byKey(pasted)
  visitor ??= signedIn()
  return await visitor
}

/** The first number of whoever asks that is connected, to be put in the place of the one in the examples. */
export async function firstNumber(who: Who): Promise<string | null> {
  const answer = await who.ask('GET', '/v1/sessions', undefined, {}).catch(() => null)
  if (answer === null || !answer.ok) return null
  const { data } = (await answer.json()) as { data: { id: string; state: string }[] }
  return (data.find(({ state }) => state === 'connected') ?? data[0])?.id ?? null
}
