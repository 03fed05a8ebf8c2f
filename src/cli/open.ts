import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, readConfig, readPlace } from '../config.ts'
import { Secret } from '../boot/untrusted-address.ts'
import { namedUrl, runningHere } from './gateway-client.ts'
import { findGateway } from './operator-client.ts'
import { printResult } from './terminal.ts'

export const openHelp = `postern open [--account acc_…] [--print] [--json] [--url http://…]

Opens the portal in the browser. In the folder of a running gateway it creates a
one-time link that signs you in; elsewhere it opens the sign-in page. If it
cannot open a browser, it prints the address.

  --account   sign in as the user of this account. Default: the operator of the
              first start
  --print     print the address and open no browser
  --json      print the address, the email of the user and whether a browser
              opened, as JSON
  --url       the gateway. Default: POSTERN_URL, or the gateway that runs with
              this data folder`

interface Options {
  account?: string
  print?: boolean
  json?: boolean
  url?: string
}

interface Portal {
  url: string
  /** `null` if the page asks the user to sign in. */
  email: string | null
}

export async function openPortal(options: Options, env: NodeJS.ProcessEnv): Promise<void> {
  const { portal, folder } = await findPortal(options, env)
  const opened = options.print !== true && (await openBrowser(browserAddress(portal, folder), env))
  printResult(options.json, { ...portal, opened }, ({ url, email }) => {
    if (opened)
      return `${new URL(url).origin} is open in the browser${email === null ? '' : `, signed in as ${email}`}.`
    return email === null ? url : `${url}\nsigns in ${email} (valid once, for one hour)`
  })
}

async function findPortal(
  options: Options,
  env: NodeJS.ProcessEnv,
): Promise<{ portal: Portal; folder: string | null }> {
  const { dataDir } = readPlace(env)
  const named = namedUrl(options.url, env)
  const isHere = (await runningHere(dataDir, named?.url)) !== undefined
  if (isHere || Secret.of(env, 'POSTERN_OPERATOR_TOKEN') !== undefined) {
    const gateway = await findGateway(readConfig(env), options.url, env)
    const body = options.account === undefined ? {} : { account_id: options.account }
    const portal = await gateway?.post<{ url: string; email: string }>('/operator/sign-in-links', body)
    if (portal !== undefined) return { portal, folder: isHere ? dataDir : null }
  }
  if (options.account !== undefined)
    throw new ConfigError('--account needs the gateway of this data folder, or POSTERN_OPERATOR_TOKEN.')
  if (named !== undefined) return { portal: { url: `${named.url}/`, email: null }, folder: null }
  throw new ConfigError(
    `no gateway runs with the data folder ${dataDir}. Start one (postern start), or name one with --url or POSTERN_URL.`,
  )
}

/**
 * Every user of a machine sees the arguments of its processes. So the browser opens a file that only the owner of the
 * data folder can read and that redirects to the link.
 */
function browserAddress({ url, email }: Portal, folder: string | null): string {
  if (email === null || folder === null) return url
  const path = join(folder, 'running', 'open-portal.html')
  mkdirSync(join(folder, 'running'), { recursive: true, mode: 0o700 })
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${encodeURI(url)}">`, { mode: 0o600 })
  return pathToFileURL(path).href
}

const EXIT_MS = 2_000

/** Returns whether a browser opened: a program that still runs after two seconds shows the page. */
async function openBrowser(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const command = browserCommand(env, process.platform)
  if (command === null) return false
  const [program, ...args] = command
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' })
  return await new Promise(resolve => {
    const timer = setTimeout(() => resolve(true), EXIT_MS)
    const end = (isOpen: boolean) => (): void => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', end(false)).once('exit', code => end(code === 0)())
    child.unref()
  })
}

/** `null` if there is no screen or the user disabled it (BROWSER=none). */
export function browserCommand(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): [string, ...string[]] | null {
  const chosen = env['BROWSER']
  if (chosen === 'none' || env['SSH_CONNECTION']) return null
  if (chosen) return [chosen]
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : null
}
