/** The command that sends a text, with the user's own number filled in. */
export function sendCurl(sessionId: string, to: string, text: string): string {
  return [
    `curl ${window.location.origin}/v1/messages \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H "Idempotency-Key: $(uuidgen)" \\`,
    `  -d '${JSON.stringify({ session_id: sessionId, to, text }).replaceAll("'", "'\\''")}'`,
  ].join('\n')
}
