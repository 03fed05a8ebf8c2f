/** Escapes a text for single quotes of a shell. */
const inQuotes = (text: string): string => text.replaceAll("'", "'\\''")

/** The command that sends this, with the user's own number filled in. */
export function curlOf(body: object): string {
  return [
    `curl ${window.location.origin}/v1/messages \\`,
    `  -H "Authorization: Bearer $POSTERN_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Idempotency-Key: $(uuidgen)" \\`,
    `  -d '${inQuotes(JSON.stringify(body))}'`,
  ].join('\n')
}

/** The command that uploads a file, before the one that sends it. */
export function uploadCurl({ name, type }: Pick<File, 'name' | 'type'>): string {
  return [
    `curl '${window.location.origin}/v1/media?${inQuotes(new URLSearchParams({ filename: name }).toString())}' \\`,
    `  -H "Authorization: Bearer $POSTERN_API_KEY" \\`,
    `  -H 'Content-Type: ${inQuotes(type || 'application/octet-stream')}' \\`,
    `  --data-binary '@${inQuotes(name)}'`,
  ].join('\n')
}

/** The same for a text. */
export const sendCurl = (sessionId: string, to: string, text: string): string =>
  curlOf({ session_id: sessionId, to, text })
