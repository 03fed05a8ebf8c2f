/** The command that sends this, with the user's own number filled in. */
export function curlOf(body: object): string {
  return [
    `curl ${window.location.origin}/v1/messages \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Idempotency-Key: $(uuidgen)" \\`,
    `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join('\n')
}

/** The same for a text. */
export const sendCurl = (sessionId: string, to: string, text: string): string =>
  curlOf({ session_id: sessionId, to, text })
