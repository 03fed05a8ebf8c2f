import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exportNumber } from '../actions/moving/export-number.ts'
import { importNumber } from '../actions/moving/import-number.ts'
import { ConfigError, readConfig } from '../config.ts'
import { GatewayError } from '../domain/errors.ts'
import { parseSessionId, phoneJid } from '../domain/jid.ts'
import { findGateway, withStore } from './operator-client.ts'
import { PASSPHRASE_HELP, readPassphrase } from './passphrase.ts'
import { printResult } from './terminal.ts'

const URL_HELP = `  --url         the gateway. Default: POSTERN_URL, or the gateway that runs with
                this data folder
  --json        print the result as JSON

For a gateway with another data folder, set POSTERN_OPERATOR_TOKEN. If no
gateway runs, the command opens the database directly.`

export const exportSessionHelp = `postern sessions export <id> --to FILE [--passphrase …] [--fail-waiting]
                        [--json] [--url http://…]
postern sessions export <id> --take-back

Moves a number away: stops it in this gateway for good, and writes its keys,
memory and settings into a sealed file for \`postern sessions import\` at another
gateway. The number stays linked. Webhooks, API keys and message records stay
here. Import the file into one gateway only, and delete it afterwards.

  --to            the file to write; it must not exist
${PASSPHRASE_HELP}
  --fail-waiting  let messages that wait to be sent fail. Without it the command
                  stops if there are any
  --take-back     run the number here again, if its file was not imported
${URL_HELP}`

export const importSessionHelp = `postern sessions import <file> --account acc_… [--passphrase …] [--json]
                        [--url http://…]

Takes over a number from a file of \`postern sessions export\`. It connects
without a new link. A gateway imports each file once.

  --account     the account that gets the number (postern account list)
${PASSPHRASE_HELP}
${URL_HELP}`

interface Common {
  passphrase?: string
  url?: string
  json?: boolean
}

interface ExportOptions extends Common {
  to?: string
  'fail-waiting'?: boolean
  'take-back'?: boolean
}

export async function exportSession(options: ExportOptions, env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const sessionId = /^\+?\d+$/.test(id) ? phoneJid(id.replace('+', '')) : (parseSessionId(id) ?? id)
  if (options['take-back']) return await takeBack(options, env, sessionId)
  if (options.to === undefined) throw new ConfigError('--to is missing: name the file to write.')
  const file = resolve(options.to)
  if (existsSync(file)) throw new ConfigError(`${file} exists already. Name another file.`)
  const passphrase = await readPassphrase(options.passphrase, env, { isNew: true })
  const failWaiting = options['fail-waiting'] ?? false
  const gateway = await findGateway(readConfig(env), options.url, env)
  const path = `/operator/sessions/${encodeURIComponent(sessionId)}/export`
  if (gateway === null)
    await withStore(env, async context =>
      writeFile(file, await explained(() => exportNumber(context, { sessionId, passphrase, failWaiting }))),
    )
  else await writeFile(file, await gateway.download(path, { passphrase, fail_waiting: failWaiting }))
  const { size } = await stat(file)
  printResult(
    options.json,
    { file, bytes: size },
    () =>
      `${file}: ${(size / 1e6).toFixed(1)} MB. The number is stopped here. Import it with \`postern sessions import\` at the other gateway, then delete the file.`,
  )
}

/** The file has its name only when it is complete. */
async function writeFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw new ConfigError(
      `${file} was not written (${(error as Error).message}). The number is stopped: run this again, or with --take-back.`,
    )
  }
}

async function takeBack(options: ExportOptions, env: NodeJS.ProcessEnv, sessionId: string): Promise<void> {
  if (options.to !== undefined) throw new ConfigError('--to does not go with --take-back. Leave one of them out.')
  const gateway = await findGateway(readConfig(env), options.url, env)
  const isBack =
    gateway === null
      ? await withStore(env, ({ store }) => store.movedNumbers.takeBackNumber(sessionId))
      : await gateway.post(`/operator/sessions/${encodeURIComponent(sessionId)}/take-back`, undefined)
  if (isBack === false) throw new ConfigError(`${sessionId} was not moved away.`)
  printResult(options.json, { id: sessionId }, () => `${sessionId} runs here again. Delete its file.`)
}

interface ImportOptions extends Common {
  account?: string
}

export async function importSession(options: ImportOptions, env: NodeJS.ProcessEnv, file: string): Promise<void> {
  if (options.account === undefined)
    throw new ConfigError('--account is missing: name the account that gets the number (postern account list).')
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) throw new ConfigError(`${file} is no file that can be read.`)
  const passphrase = await readPassphrase(options.passphrase, env, { isNew: false })
  const gateway = await findGateway(readConfig(env), options.url, env)
  const imported =
    gateway === null
      ? await withStore(env, async context => {
          const bytes = createReadStream(file)
          const { sessionId } = await explained(() =>
            importNumber(context, { accountId: options.account!, passphrase, bytes }),
          )
          return { id: sessionId, account_id: options.account }
        })
      : await gateway.upload<{ id: string }>(
          `/operator/sessions/import?account_id=${encodeURIComponent(options.account)}`,
          Readable.toWeb(createReadStream(file)),
          { 'postern-passphrase': Buffer.from(passphrase).toString('base64') },
        )
  printResult(options.json, imported, ({ id }) => `${id} is here and connects. Delete ${file}.`)
}

/** An error that the API would answer is the user's to correct. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof GatewayError ? new ConfigError(error.detail) : error
  }
}
