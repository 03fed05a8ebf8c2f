import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { exportNumber as exportFile } from '../../actions/moving/export-number.ts'
import { importNumber as importFile } from '../../actions/moving/import-number.ts'
import { emptyFile } from '../../actions/store-upload.ts'
import { invalid, missing, notFound, wrongState } from '../../domain/errors.ts'
import { parseSessionId } from '../../domain/jid.ts'
import { readFile } from '../connection/read-file.ts'
import { operatorRoute } from '../route.ts'
import { rejectForms } from '../sandbox/media.ts'
import { Strict } from '../schemas.ts'
import { Type } from '../type.ts'
import { BySession } from '../v1/sessions.ts'

const MIN_PASSPHRASE = 12
const MAX_PASSPHRASE = 200
/** A file has about 2 KB for each person that the number writes to, and for each message of the last week. */
const MAX_FILE_BYTES = 8 * 1_073_741_824
const PART_BYTES = 262_144

const sessionIn = (id: string): string => {
  const sessionId = parseSessionId(id)
  if (sessionId === undefined) throw notFound('session')
  return sessionId
}

export const exportNumber = operatorRoute({
  method: 'POST',
  path: '/operator/sessions/:id/export',
  tag: 'Operator',
  summary: 'Move a number away: stop it here, and get its sealed file for another gateway',
  description:
    'The number goes offline and stays linked: the gateway that imports the file runs it without a new link. The file has ' +
    'its device credentials and keys, the messages that it received and has not processed yet, copies of sent messages, ' +
    'what it knows of people and chats, and its settings. Webhooks, endpoints, API keys, the records of messages and ' +
    'uploaded files stay here. If messages of the number wait to be sent, the response is 400, unless `fail_waiting` lets ' +
    'them fail. Send the request again if a download was interrupted: the number does not change any more.',
  params: BySession,
  body: Strict({
    passphrase: Type.String({
      minLength: MIN_PASSPHRASE,
      maxLength: MAX_PASSPHRASE,
      description: 'Seals the file. Whoever has both can act as the number.',
    }),
    fail_waiting: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether messages and changes that wait to be sent fail.' }),
    ),
  }),
  status: 200,
  contentType: 'application/octet-stream',
  response: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }),
  errors: [404, 502],
  async handler({ params, body }, deps) {
    const file = await exportFile(deps, {
      sessionId: sessionIn(params.id),
      passphrase: body.passphrase,
      failWaiting: body.fail_waiting ?? false,
    })
    return Readable.from(file, { objectMode: false })
  },
})

export const takeBackNumber = operatorRoute({
  method: 'POST',
  path: '/operator/sessions/:id/take-back',
  tag: 'Operator',
  summary: 'Run a number here again that was moved away',
  description:
    'Only if no gateway has imported its file: this gateway cannot check that. Two gateways with one device would damage ' +
    'its keys, and the platform would unlink it. Destroy the file.',
  params: BySession,
  status: 200,
  response: Strict({ id: Type.String() }),
  errors: [404],
  async handler({ params }, { store }) {
    const id = sessionIn(params.id)
    if ((await store.sessions.getSession(id)) === undefined) throw notFound('session')
    if (!(await store.movedNumbers.takeBackNumber(id))) throw wrongState('the number was not moved away')
    return { id }
  },
})

export const importNumber = operatorRoute({
  method: 'POST',
  path: '/operator/sessions/import',
  tag: 'Operator',
  summary: 'Import a number that another gateway has exported',
  description:
    'The body is the file. The number connects without a new link. A gateway imports each file once, and none that is older ' +
    'than what it knows of the number. It cannot know what other gateways do: import a file into one gateway only.',
  file: rejectForms,
  query: Strict({ account_id: Type.String({ maxLength: 100, description: 'The account that gets the number.' }) }),
  headers: Type.Object({
    'postern-passphrase': Type.String({
      description: 'The passphrase of the file, in base64.',
      examples: ['Zm91ciB3b3JkcyBhcmUgZW5vdWdo'],
    }),
  }),
  body: Type.Unsafe<IncomingMessage>({ type: 'string', format: 'binary' }),
  bodyLimit: MAX_FILE_BYTES,
  status: 201,
  response: Strict({
    id: Type.String({ description: 'The session JID of the number.' }),
    account_id: Type.String(),
    move: Type.Integer({ description: 'How often the number has been moved.' }),
    rows: Type.Integer({ description: 'How many entries the file had.' }),
  }),
  errors: [404],
  async handler({ query, body, headers }, deps) {
    const passphrase = passphraseIn(headers['postern-passphrase'])
    if ((body as IncomingMessage | undefined) === undefined) throw emptyFile()
    const bytes = readFile(body, { limit: MAX_FILE_BYTES, partBytes: PART_BYTES })
    const imported = await importFile(deps, { accountId: query.account_id, passphrase, bytes }).catch(
      async (error: unknown) => {
        // A client that still sends when the connection closes never reads why its file was refused.
        await bytes.return(undefined)
        body.resume()
        throw error
      },
    )
    return { id: imported.sessionId, account_id: query.account_id, move: imported.epoch, rows: imported.rows }
  },
})

function passphraseIn(header: string | string[] | undefined): string {
  if (typeof header !== 'string' || header === '') throw missing('Postern-Passphrase is required', 'Postern-Passphrase')
  const passphrase = Buffer.from(header, 'base64').toString('utf8')
  if (passphrase.length < MIN_PASSPHRASE || passphrase.length > MAX_PASSPHRASE)
    throw invalid(
      `Postern-Passphrase must have ${MIN_PASSPHRASE} to ${MAX_PASSPHRASE} characters, in base64`,
      'Postern-Passphrase',
    )
  return passphrase
}
