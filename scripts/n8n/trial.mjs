import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callsOf, valueOf } from '../../integrations/n8n/scripts/describe.mjs'
import { until } from '../shared/until.mjs'
import { everyCall } from './every-call.mjs'
import { actionWorkflow, credentials, echoWorkflow } from './workflows.mjs'

const CONTACT = '15559990001'
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=='

/** Tests the node in n8n: every call once, then a workflow that a message starts. */
export class Trial {
  #steps
  #n8n
  #gateway
  #calls

  constructor(steps, n8n, gateway, root) {
    this.#steps = steps
    this.#n8n = n8n
    this.#gateway = gateway
    this.#calls = callsOf(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
  }

  async run(tarball) {
    await this.#steps.step('Install the package as n8n does', async () => {
      await this.#n8n.install(tarball)
      await this.#n8n.importInto('credentials', 'credentials', credentials(this.#gateway))
      return 'installed, credentials imported'
    })
    await this.#everyCall()
    await this.#sentOnceThoughRetried()
    const webhook = await this.#activate()
    await this.#answers()
    await this.#refusesForged(webhook)
    await this.#survivesKill(webhook)
    await this.#throughTheEditor()
  }

  async #everyCall() {
    const wanted = everyCall(this.#gateway.session, 'http://127.0.0.1:9000/hooks')
    const missing = this.#calls.map(({ id }) => id).filter(id => !wanted.some(([name]) => name === id))
    if (missing.length > 0) throw new Error(`no workflow has ${missing.join(', ')}`)
    const resourceOf = id => valueOf(this.#calls.find(call => call.id === id).resource)
    await this.#steps.step('A workflow with a node for every call: n8n execute', async () => {
      await this.#n8n.importInto('workflow', 'every-call', actionWorkflow('every-call', wanted, resourceOf))
      const { runData, error } = await this.#n8n.execute('every-call')
      const wrong = wanted.flatMap(([id, , expected]) => differing(id, runData[id], expected?.refused))
      if (wrong.length > 0)
        throw new Error(`${wrong.length} of ${wanted.length} calls:\n${wrong.join('\n')}\n${error?.message ?? ''}`)
      const refused = wanted.filter(([, , expected]) => expected !== undefined)
      return `${wanted.length} calls: ${wanted.length - refused.length} succeeded, ${refused.length} rejected as expected here (${refused.map(([id, , { refused: code }]) => `${id}: ${code}`).join(', ')})`
    })
  }

  /** A retry of an item has the same key: the gateway returns the first message. */
  async #sentOnceThoughRetried() {
    await this.#steps.step('Two sends of one Idempotency Key', async () => {
      const send = { session_id: this.#gateway.session, to: CONTACT, text: 'Once', idempotencyKey: 'n8n-once' }
      const nodes = [
        ['First', send],
        ['Second', send],
      ]
      const made = actionWorkflow(
        'once',
        nodes.map(([, parameters]) => ['postMessages', parameters]),
        () => 'message',
      )
      const [start, first, second] = made.nodes
      Object.assign(second, { id: 'Second', name: 'Second' })
      made.connections = { [start.name]: to(first.name), [first.name]: to('Second') }
      await this.#n8n.importInto('workflow', 'once', made)
      const { runData } = await this.#n8n.execute('once')
      const ids = [first.name, 'Second'].map(name => jsonOf(runData[name]).message_id)
      if (ids[0] === undefined || ids[0] !== ids[1]) throw new Error(`message ids ${ids.join(' and ')}`)
      await until('the message on the phone', async () => (await this.#phone('Once')).length === 1)
      return `both returned ${ids[0]}; the phone has one message`
    })
  }

  async #activate() {
    await this.#n8n.importInto('workflow', 'echo', echoWorkflow('echo', this.#gateway.session))
    return await this.#steps.step('Activate the workflow with the trigger: n8n start', async () => {
      await this.#n8n.command('update:workflow', '--id=echo', '--active=true')
      await this.#n8n.start()
      const webhook = await until('the webhook', async () => (await this.#webhooks())[0])
      return {
        seen: `the gateway has ${webhook.id}, messages_url ${webhook.messages_url}, no other URL`,
        value: webhook,
      }
    })
  }

  async #answers() {
    await this.#steps.step('A contact writes', () =>
      this.#writes({ type: 'text', text: 'Good morning' }, 'You message: Good morning'),
    )
    await this.#steps.step('A contact sends a picture', () =>
      this.#writes({ type: 'image', media: { mimetype: 'image/png', data: PICTURE } }, 'A file: image/png'),
    )
  }

  async #writes(what, answer) {
    await this.#gateway.ask('POST', `/sandbox/sessions/${this.#gateway.session}/incoming`, { from: CONTACT, ...what })
    await until(answer, async () => (await this.#phone(answer)).length === 1)
    return `the workflow ran, the contact's phone shows "${answer}"`
  }

  async #refusesForged({ id, messages_url }) {
    await this.#steps.step('Forged requests', async () => {
      const forge = headers =>
        fetch(messages_url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"kind":"message","text":"forged"}',
        })
      const old = `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`
      const answers = [
        await forge({}),
        await forge({ 'x-webhook-id': id }),
        await forge({ 'x-webhook-id': id, 'x-webhook-signature': old }),
      ].map(({ status }) => status)
      const samples = []
      for (const sign of [true, false]) {
        const { data } = await this.#gateway.ask('POST', `/v1/webhooks/${id}/test`, { category: 'messages', sign })
        samples.push(data[0].http_status)
      }
      if (String([...answers, ...samples]) !== '401,401,401,200,401')
        throw new Error(`returned ${[...answers, ...samples]}`)
      return 'without a webhook, without a signature, with a wrong one: 401 each; the gateway’s own sample: signed 200, unsigned 401'
    })
  }

  async #survivesKill(webhook) {
    await this.#steps.step('n8n is killed, a contact writes, n8n starts again', async () => {
      await this.#n8n.stop('SIGKILL')
      const text = 'While you were away'
      await this.#gateway.ask('POST', `/sandbox/sessions/${this.#gateway.session}/incoming`, {
        from: CONTACT,
        type: 'text',
        text,
      })
      await this.#n8n.start()
      const [same, ...others] = await this.#webhooks()
      if (same?.id !== webhook.id || others.length > 0) throw new Error('another webhook')
      await until('the answer', async () => (await this.#phone(`You message: ${text}`)).length === 1)
      return 'the same webhook with the same secret, and the gateway’s next attempt started the workflow: answered once'
    })
  }

  async #throughTheEditor() {
    const editor = await signIn(this.#n8n.url)
    await this.#steps.step('Test the credentials as the editor does', async () => {
      const test = data =>
        editor('POST', '/rest/credentials/test', { credentials: { ...credentials(this.#gateway), data } })
      const good = await test(credentials(this.#gateway).data)
      const bad = await test({ ...credentials(this.#gateway).data, apiKey: 'ptn_wrong' })
      if (good.status !== 'OK' || bad.status !== 'Error') throw new Error(JSON.stringify([good, bad]))
      return `right key: ${good.status}; wrong key: ${bad.status}, "${bad.message}"`
    })
    await this.#steps.step('The list of numbers as the editor loads it', async () => {
      const options = await editor('POST', '/rest/dynamic-node-parameters/options', {
        path: 'parameters.session_id',
        methodName: 'getSessions',
        nodeTypeAndVersion: { name: 'n8n-nodes-postern.postern', version: 1 },
        currentNodeParameters: {},
        credentials: { posternApi: { id: 'postern-credentials', name: 'Postern' } },
      })
      if (!options.some(({ value }) => value === this.#gateway.session)) throw new Error(JSON.stringify(options))
      return options.map(({ name, value }) => `${name} (${value})`).join(', ')
    })
    await this.#steps.step('Deactivate the workflow', async () => {
      await this.#setActive(editor, false)
      await until('no webhook', async () => (await this.#webhooks()).length === 0)
      return 'the gateway has no webhook any more'
    })
    await this.#keepsOtherWebhook(editor)
  }

  async #keepsOtherWebhook(editor) {
    const url = 'http://127.0.0.1:9000/elsewhere'
    const { id } = await this.#gateway.ask('POST', '/v1/webhooks', {
      session_id: this.#gateway.session,
      messages_url: url,
    })
    await this.#steps.step('Activate it for a number that has another webhook', async () => {
      const message = await this.#setActive(editor, true).then(
        () => 'activated',
        error => error.message,
      )
      if (!message.includes('already has a webhook')) throw new Error(message)
      const [left] = await this.#webhooks()
      if (left.id !== id || left.messages_url !== url) throw new Error('the webhook was changed')
      return `rejected: "${/"message":"([^"]*)/.exec(message)?.[1] ?? message}"; that webhook is unchanged`
    })
    await this.#steps.step('Activate it with Take Over Webhook', async () => {
      const { nodes, versionId } = await editor('GET', '/rest/workflows/echo')
      nodes.find(({ name }) => name === 'Trigger').parameters.options = { takeOver: true }
      await editor('PATCH', '/rest/workflows/echo', { nodes, versionId })
      await this.#setActive(editor, true)
      const [taken] = await this.#webhooks()
      if (taken.id !== id || taken.messages_url === url) throw new Error('the webhook was not taken')
      const answered = await this.#writes({ type: 'text', text: 'And now' }, 'You message: And now')
      await this.#setActive(editor, false)
      await until('no webhook', async () => (await this.#webhooks()).length === 0)
      return `the same webhook now leads to n8n, with a new secret; ${answered}; deactivating removes it`
    })
  }

  async #setActive(editor, active) {
    const { versionId } = await editor('GET', '/rest/workflows/echo')
    if (!this.#n8n.publishes) await editor('PATCH', '/rest/workflows/echo', { active, versionId })
    else if (active) await editor('POST', '/rest/workflows/echo/activate', { versionId })
    else await editor('POST', '/rest/workflows/echo/deactivate', {})
  }

  async #webhooks() {
    return (await this.#gateway.ask('GET', '/v1/webhooks')).data
  }

  /** The messages with this text on the contact's phone. */
  async #phone(text) {
    const { data } = await this.#gateway.ask(
      'GET',
      `/sandbox/sessions/${this.#gateway.session}/messages?contact=${CONTACT}`,
    )
    return data.filter(message => message.text === text)
  }
}

const to = name => ({ main: [[{ node: name, type: 'main', index: 0 }]] })
const jsonOf = runs => runs?.[0]?.data?.main?.[0]?.[0]?.json ?? {}

/** The deviations of one call from its expected result. */
function differing(id, runs, refused) {
  if (runs === undefined) return [`${id}: did not run`]
  const { cure, error } = jsonOf(runs)
  const problem = runs[0].error?.message ?? (cure === undefined ? undefined : error)
  if (refused === undefined) return problem === undefined ? [] : [`${id}: ${problem} (${cure})`]
  return cure?.includes(`Code: ${refused}`)
    ? []
    : [`${id}: not refused with ${refused}, but ${problem ?? 'done'} (${cure})`]
}

/** Creates the owner of a new n8n; returns a client with the editor's session. */
async function signIn(url) {
  const owner = { email: 'owner@example.com', firstName: 'Trial', lastName: 'Owner', password: 'A-trial-of-2026' }
  let cookie = ''
  const ask = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', 'browser-id': 'trial', cookie }
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const [set] = answer.headers.getSetCookie()
    if (set !== undefined) cookie = set.split(';')[0]
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return JSON.parse(text).data
  }
  await ask('POST', '/rest/owner/setup', owner)
  return ask
}
