import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const OPERATOR_TOKEN = 'operator-of-the-n8n-trial'

/** A gateway of this checkout with an account and a sandbox number. */
export async function startGateway(root, folder, port) {
  const url = `http://127.0.0.1:${port}`
  mkdirSync(folder, { recursive: true })
  const settings = { POSTERN_PORT: String(port), POSTERN_DATA_DIR: folder, POSTERN_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const env = { ...process.env, ...settings, POSTERN_LOG_LEVEL: 'warn' }
  const child = spawn(process.execPath, [join(root, 'bin/postern.mjs'), 'start'], { env, cwd: folder })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const ended = new Promise(resolve => child.once('exit', resolve))
  const ask = asker(url)
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the gateway ended:\n${output}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  const made = await ask('POST', '/operator/accounts', { name: 'n8n', plan: 'max', accept_tos: true }, OPERATOR_TOKEN)
  const { key } = made.api_key
  const session = await ask('POST', '/v1/sessions', { platform: 'sandbox', label: 'Trial' }, key)
  return {
    url,
    key,
    session: session.id,
    operatorToken: OPERATOR_TOKEN,
    ask: (method, path, body) => ask(method, path, body, key),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const isReady = url =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

const asker = url => async (method, path, body, token) => {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${json.error}`)
  return json
}
