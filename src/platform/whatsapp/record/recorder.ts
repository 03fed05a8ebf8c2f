import { type BinaryNode, DEFAULT_CONNECTION_CONFIG, type UserFacingSocketConfig, type WASocket } from 'baileys'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../runtime/clock.ts'
import { digitsOf } from '../../../domain/jid.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { LIBRARY, VERSION } from '../../../version.ts'
import { rawSocketOf } from '../link/hold-frames.ts'
import { ownNames } from '../wire/own-names.ts'
import type { FrameReader } from './frame-reader.ts'
import { Placeholders } from './placeholders.ts'
import { type Bounds, Recording, removeOldRecordings } from './recording.ts'
import { shapeOf } from './shape.ts'

export interface RecorderOptions {
  clock: Clock
  folder: string
  network: 'whatsapp' | 'sandbox'
  /** Tells which file is whose: the file itself must not. */
  onFile(session: string, path: string): void
  bounds?: Bounds
}

/** What goes along with one connection. */
export interface RecordedConnection {
  heard(stanza: BinaryNode): void
  said(stanza: BinaryNode): void
  ended(): void
}

type Creds = UserFacingSocketConfig['auth']['creds']

const MOST_NUMBERS = 5_000
const MOST_FILES = 500
const SWEEP_EVERY = 20

interface NumberRecording {
  creds: Creds
  recording: Recording
  placeholders: Placeholders
  connections: number
}

/** Writes down the shapes of what every number of this thread says and hears. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #numbers = new ExpiringMap<NumberRecording>(MOST_NUMBERS)
  #made = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#sweep()
  }

  #sweep(): void {
    void removeOldRecordings(this.#options.folder, MOST_FILES).catch(() => {})
  }

  /** A new connection; one without an own id is a pairing. */
  begin(config: UserFacingSocketConfig): RecordedConnection {
    const { clock } = this.#options
    const number = this.#recordingOf(config.auth.creds)
    number.connections += 1
    const { recording, placeholders, connections } = number
    const version = (config.version ?? DEFAULT_CONNECTION_CONFIG.version).join('.')
    const purpose = config.auth.creds.me === undefined ? 'pairing' : 'login'
    recording.add({ connection: connections, purpose, version })
    const beganMs = clock.monotonicMs()
    const add = (dir: 'in' | 'out') => (stanza: BinaryNode) =>
      recording.add({ ms: Math.round(clock.monotonicMs() - beganMs), dir, ...shapeOf(stanza, placeholders) })
    return {
      heard: add('in'),
      said: add('out'),
      ended: () => {
        recording.add({ connection: connections, ended: true })
        void recording.flush()
      },
    }
  }

  /** A number goes on in the file of its last connection: the same people have the same names there. */
  #recordingOf(creds: Creds): NumberRecording {
    const own = digitsOf(creds.me?.id ?? '')
    const known = own === '' ? undefined : this.#numbers.get(own)
    if (known !== undefined) {
      known.creds = creds
      return known
    }
    // Every pairing has a file of its own.
    this.#made += 1
    if (this.#made % SWEEP_EVERY === 0) this.#sweep()
    const { clock, folder, network, onFile, bounds } = this.#options
    const day = clock
      .now()
      .toISOString()
      .replace(/[-:]|\..*/g, '')
    const name = `${day}-${network}-${randomBytes(4).toString('hex')}`
    const head = (): object => ({ recording: 1, postern: VERSION, library: LIBRARY, network })
    const made: NumberRecording = {
      creds,
      recording: new Recording(folder, name, head, bounds),
      placeholders: new Placeholders(user => isOwnUser(made.creds, user)),
      connections: 0,
    }
    if (own !== '') this.#numbers.set(own, made)
    onFile(creds.me?.id ?? 'pairing', made.recording.path)
    return made
  }
}

const isOwnUser = (creds: Creds, user: string): boolean => ownNames(creds).some(jid => digitsOf(jid) === user)

/** Lets a connection be recorded from its first frame to its end. What cannot be read is left out, and changes nothing. */
export function recordSocket(sock: WASocket, connection: RecordedConnection, reader: FrameReader): void {
  const raw = rawSocketOf(sock)
  if (!raw) return
  const send = raw.send.bind(raw)
  raw.send = (frame, done) => {
    reader.read(frame).then(
      stanza => stanza && connection.said(stanza),
      () => {},
    )
    send(frame, done)
  }
  sock.ws.on('frame', (frame: Uint8Array | BinaryNode) => {
    if (frame instanceof Uint8Array) void reader.hear(frame).catch(() => {})
    else connection.heard(frame)
  })
  // The library takes its own listeners away before the end.
  raw.once('close', () => connection.ended())
}
