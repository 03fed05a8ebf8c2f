/** The script that requests the passkey in the console of the platform's page and shows the answer. */
export const passkeyScript = (
  options: unknown,
): string => `// Asks your browser for your WhatsApp passkey, and shows its answer. Nothing is sent from here.
void (async () => {
  const options = ${JSON.stringify(options)}
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const { id, rawId, type, response } = (await navigator.credentials.get({ publicKey })).toJSON()
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  const answer = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
  console.log('Copy the next line, and paste it at the gateway:')
  console.log(JSON.stringify(answer))
})()`
