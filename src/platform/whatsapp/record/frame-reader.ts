import { type BinaryNode, decodeBinaryNode, type KeyPair, makeNoiseHandler, NOISE_WA_HEADER, proto } from 'baileys'

/** The two frames of the handshake are no stanzas. */
const HANDSHAKE_FRAMES = 2
const LENGTH_BYTES = 3
const TAG_BYTES = 16

/**
 * Reads what the library writes. Its stanzas are encrypted where they can first be seen, so a second half of the
 * handshake goes along with the library's: it has the same keys. Encrypting the other way round is the same operation,
 * so encrypting what was encrypted opens it.
 */
export class FrameReader {
  readonly #noise: ReturnType<typeof makeNoiseHandler>
  readonly #noiseKey: KeyPair
  #written = 0
  #isReady = false

  constructor(ephemeral: KeyPair, noiseKey: KeyPair, logger: Parameters<typeof makeNoiseHandler>[0]['logger']) {
    this.#noise = makeNoiseHandler({ keyPair: ephemeral, NOISE_HEADER: NOISE_WA_HEADER, logger })
    this.#noiseKey = noiseKey
  }

  /** The server's part of the handshake. */
  async hear(hello: Uint8Array): Promise<void> {
    if (this.#isReady) return
    this.#noise.processHandshake(proto.HandshakeMessage.decode(hello), this.#noiseKey)
    this.#isReady = true
    await this.#noise.finishInit()
  }

  /** What a frame holds, each of them in its turn; `undefined` for one of the handshake. */
  async read(frame: Uint8Array): Promise<BinaryNode | undefined> {
    this.#written += 1
    if (this.#written <= HANDSHAKE_FRAMES || !this.#isReady) return undefined
    const sealed = frame.subarray(LENGTH_BYTES, frame.length - TAG_BYTES)
    const opened = Buffer.from(this.#noise.encrypt(sealed)).subarray(0, sealed.length)
    return await decodeBinaryNode(opened)
  }
}
