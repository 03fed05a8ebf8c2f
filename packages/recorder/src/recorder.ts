import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type UserFacingSocketConfig, type WASocket } from 'baileys'
import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { FrameReader } from './frame-reader.ts'
import { Placeholders } from './placeholders.ts'
import { RecentMap } from './recent-map.ts'
import { type Bounds, Recording, removeOldRecordings } from './recording.ts'
import { shapeOf } from './shape.ts'

export interface RecorderOptions {
  clock: { now(): Date; monotonicMs(): number }
  /** The versions that the head of every file names. */
  versions?: { postern: string; library: string }
  folder: string
  network: 'whatsapp' | 'sandbox'
  /** Reports which file belongs to which session: the file itself must not name it. */
  onFile(session: string, path: string): void
  bounds?: Bounds
}

/** Receives the stanzas of one connection. */
export interface RecordedConnection {
  received(stanza: BinaryNode): void
  sent(stanza: BinaryNode): void
  closed(): void
}

type Creds = UserFacingSocketConfig['auth']['creds']

const MAX_NUMBERS = 5_000
const MAX_FILES = 500
/** The recorder removes old files after this many new ones. */
const CLEAN_UP_EVERY = 20

interface NumberRecording {
  creds: Creds
  recording: Recording
  placeholders: Placeholders
  connections: number
}

/** Records the shapes of the stanzas that the numbers of this thread send and receive. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #numbers = new RecentMap<NumberRecording>(MAX_NUMBERS)
  #created = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#removeOld()
  }

  #removeOld(): void {
    void removeOldRecordings(this.#options.folder, MAX_FILES).catch(() => {})
  }

  /** Opens a recording for a connection. A connection without an id of its own is a pairing. */
  begin(config: UserFacingSocketConfig): RecordedConnection {
    const { clock } = this.#options
    const number = this.#recordingOf(config.auth.creds)
    number.connections += 1
    const { recording, placeholders, connections } = number
    const version = (config.version ?? DEFAULT_CONNECTION_CONFIG.version).join('.')
    const purpose = config.auth.creds.me === undefined ? 'pairing' : 'login'
    recording.add({ connection: connections, purpose, version })
    const startedMs = clock.monotonicMs()
    const add = (dir: 'in' | 'out') => (stanza: BinaryNode) =>
      recording.add({ ms: Math.round(clock.monotonicMs() - startedMs), dir, ...shapeOf(stanza, placeholders) })
    return {
      received: add('in'),
      sent: add('out'),
      closed: () => {
        recording.add({ connection: connections, ended: true })
        void recording.flush()
      },
    }
  }

  /** A number continues the file of its last connection, so that the same people keep the same placeholders. */
  #recordingOf(creds: Creds): NumberRecording {
    const own = digitsOf(creds.me?.id ?? '')
    const known = own === '' ? undefined : this.#numbers.get(own)
    if (known !== undefined) {
      known.creds = creds
      return known
    }
    // Every pairing has a separate file.
    this.#created += 1
    if (this.#created % CLEAN_UP_EVERY === 0) this.#removeOld()
    const { clock, folder, network, onFile, bounds, versions } = this.#options
    const day = clock
      .now()
      .toISOString()
      .replace(/[-:]|\..*/g, '')
    const name = `${day}-${network}-${randomBytes(4).toString('hex')}`
    const head = (): object => ({ recording: 1, ...versions, network })
    const created: NumberRecording = {
      creds,
      recording: new Recording(folder, name, head, bounds),
      placeholders: new Placeholders(user => isOwnUser(created.creds, user)),
      connections: 0,
    }
    if (own !== '') this.#numbers.set(own, created)
    onFile(creds.me?.id ?? 'pairing', created.recording.path)
    return created
  }
}

/** The digits before the device number and the server. */
const digitsOf = (jid: string): string => /^\d+/.exec(jid)?.[0] ?? ''

const isOwnUser = ({ me }: Creds, user: string): boolean =>
  [me?.id, me?.lid].some(jid => jid !== undefined && digitsOf(jid) === user)

/** The raw socket inside the engine's. */
interface RawSocket extends EventEmitter {
  send(frame: Uint8Array, done?: (error?: Error) => void): void
}

/** Records a connection from its first frame to its end. A frame that cannot be read is skipped and sent as usual. */
export function recordSocket(sock: WASocket, connection: RecordedConnection, reader: FrameReader): void {
  const raw = (sock.ws as unknown as { socket: RawSocket | null }).socket
  if (!raw) return
  const send = raw.send.bind(raw)
  raw.send = (frame, done) => {
    reader.read(frame).then(
      stanza => stanza && connection.sent(stanza),
      () => {},
    )
    send(frame, done)
  }
  sock.ws.on('frame', (frame: Uint8Array | BinaryNode) => {
    if (frame instanceof Uint8Array) void reader.receiveHello(frame).catch(() => {})
    else connection.received(frame)
  })
  // The engine removes its own listeners before the socket closes.
  raw.once('close', () => connection.closed())
}
