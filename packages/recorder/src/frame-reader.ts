import { type BinaryNode, decodeBinaryNode, type KeyPair, makeNoiseHandler, NOISE_WA_HEADER, proto } from 'baileys'

/** The first two frames belong to the handshake and hold no stanza. */
const HANDSHAKE_FRAMES = 2
const LENGTH_BYTES = 3
const TAG_BYTES = 16

/**
 * Decrypts the frames that the engine sends. The first place where a frame can be seen is behind its encryption, so this
 * reader performs the handshake in parallel and derives the same keys. The cipher is its own inverse: encrypting an
 * encrypted frame decrypts it.
 */
export class FrameReader {
  readonly #noise: ReturnType<typeof makeNoiseHandler>
  readonly #noiseKey: KeyPair
  #frames = 0
  #isReady = false

  constructor(ephemeral: KeyPair, noiseKey: KeyPair, logger: Parameters<typeof makeNoiseHandler>[0]['logger']) {
    this.#noise = makeNoiseHandler({ keyPair: ephemeral, NOISE_HEADER: NOISE_WA_HEADER, logger })
    this.#noiseKey = noiseKey
  }

  /** Takes the server's part of the handshake. */
  async receiveHello(hello: Uint8Array): Promise<void> {
    if (this.#isReady) return
    this.#noise.processHandshake(proto.HandshakeMessage.decode(hello), this.#noiseKey)
    this.#isReady = true
    await this.#noise.finishInit()
  }

  /** Decodes the frames in the order in which they are sent; `undefined` for a frame of the handshake. */
  async read(frame: Uint8Array): Promise<BinaryNode | undefined> {
    this.#frames += 1
    if (this.#frames <= HANDSHAKE_FRAMES || !this.#isReady) return undefined
    const sealed = frame.subarray(LENGTH_BYTES, frame.length - TAG_BYTES)
    const decrypted = Buffer.from(this.#noise.encrypt(sealed)).subarray(0, sealed.length)
    return await decodeBinaryNode(decrypted)
  }
}
