import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from './client.ts'
import { StandInChatwoot } from './chatwoot.ts'
import { type GatewayProcess, type Running, runPostern, startProcess } from './process.ts'
import { newPlace, type Place } from './stores.ts'
import { until } from './until.ts'

const ALL_ROLES = { POSTERN_ROLES: '', POSTERN_OPERATOR_TOKEN: '', POSTERN_LOG_LEVEL: 'error' }

/**
 * A gateway with a sandbox number, a stand-in for Chatwoot, and a bridge between them; each can be stopped and started.
 */
export class BridgeRig {
  readonly place: Place
  readonly chatwoot: StandInChatwoot
  readonly dataDir = mkdtempSync(join(tmpdir(), 'postern-bridge-'))
  gateway!: GatewayProcess
  bridge: Running | undefined
  key = ''
  session = ''
  readonly #ended: Running[] = []

  private constructor(place: Place, chatwoot: StandInChatwoot) {
    this.place = place
    this.chatwoot = chatwoot
  }

  static async start(): Promise<BridgeRig> {
    const rig = new BridgeRig(await newPlace('sqlite'), await StandInChatwoot.start())
    await rig.startGateway()
    rig.session = (await until(() => /^export POSTERN_SESSION=(\S+)/m.exec(rig.gateway.stdout())))[1]!
    rig.key = /^export POSTERN_API_KEY=(\S+)/m.exec(rig.gateway.stdout())![1]!
    return rig
  }

  async startGateway(): Promise<void> {
    this.gateway = await startProcess(this.place, ALL_ROLES)
  }

  run(args: string[], env: Record<string, string> = {}): Running {
    const quick = ['--timeout', '1', '--grace', '0']
    const all = ['bridge', 'chatwoot', '--data', this.dataDir, '--port', '0', '--json', ...quick, ...args]
    return runPostern(all, { ...this.place.env, ...this.chatwoot.env, ...env })
  }

  async startBridge(...args: string[]): Promise<void> {
    this.bridge = this.run(['--set-webhook', ...args])
    const { bridge } = this
    let isOver = false
    void bridge.exited.then(() => (isOver = true))
    await until(() => isOver || this.lines().some(({ event }) => event === 'ready'))
    if (isOver) throw new Error(`the bridge did not start: ${bridge.stderr()}`)
  }

  async killBridge(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { bridge } = this
    if (bridge === undefined) return
    bridge.kill(signal)
    await bridge.exited
    this.#ended.push(bridge)
    this.bridge = undefined
  }

  /** The log of the running bridge, line by line. */
  lines(): Array<Record<string, unknown> & { event: string }> {
    const whole = (this.bridge?.stdout() ?? '').split('\n').slice(0, -1)
    return whole.map(line => JSON.parse(line) as { event: string })
  }

  /** The output of all bridges of this test. */
  printed(): string {
    return [...this.#ended, ...(this.bridge === undefined ? [] : [this.bridge])]
      .map(each => each.stdout() + each.stderr())
      .join('\n')
  }

  webhookUrl(): string {
    return readFileSync(join(this.dataDir, 'webhook-url'), 'utf8').trim()
  }

  /** Lets a contact write; returns the id of the message. */
  async write(from: string, content: Record<string, unknown>): Promise<string> {
    const path = `/sandbox/sessions/${encodeURIComponent(this.session)}/incoming`
    const answer = await ask(this.gateway.url, 'POST', path, { key: this.key, body: { from, ...content } })
    if (answer.status !== 202) throw new Error(answer.text)
    return answer.json.message_id as string
  }

  /** The messages from the number that the phones of the sandbox show. */
  async onPhones(): Promise<Array<{ message_id: string; contact: string; type: string; text: string }>> {
    const path = `/sandbox/sessions/${encodeURIComponent(this.session)}/messages?limit=100`
    const { json } = await ask(this.gateway.url, 'GET', path, { key: this.key })
    return json.data.filter(({ from_me }: { from_me: boolean }) => !from_me)
  }

  /** The same, page by page, for any number of messages. */
  async allOnPhones(): Promise<Array<{ text: string }>> {
    const found: Array<{ text: string; from_me: boolean }> = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/sandbox/sessions/${encodeURIComponent(this.session)}/messages?limit=100${cursor && `&cursor=${cursor}`}`
      const { json } = await ask(this.gateway.url, 'GET', path, { key: this.key })
      found.push(...json.data)
      cursor = json.next_cursor
    }
    return found.filter(({ from_me }) => !from_me)
  }

  async untilOnPhone(text: string): Promise<{ message_id: string; contact: string; type: string; text: string }> {
    return await until(async () => (await this.onPhones()).find(each => each.text === text))
  }

  async close(): Promise<void> {
    await this.killBridge('SIGTERM')
    this.gateway.kill('SIGTERM')
    await this.gateway.exited
    await this.chatwoot.close()
    this.place.remove()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
