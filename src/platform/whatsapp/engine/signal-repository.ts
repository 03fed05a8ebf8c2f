import { DEFAULT_CONNECTION_CONFIG, type SocketConfig } from 'baileys'
import { verifySignature } from './curve.ts'

type Make = SocketConfig['makeSignalRepository']

/**
 * The library's Signal repository with five changes: it sends no query while a message is being handled (the query
 * could not leave before the message is done), it reports whether a message could be decrypted, it passes on only what
 * the library may see of the content, it rejects prekeys with a wrong signature, and it reports devices for which
 * encryption failed, which the library skips silently.
 */
export function makeRepository(
  onDecrypted: (plaintext: Uint8Array) => Uint8Array,
  onUndecryptable: () => Uint8Array | undefined,
  onUnencryptable: (device: string) => void,
): Make {
  return (auth, logger) => {
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, async () => [])
    const { decryptMessage, decryptGroupMessage, encryptMessage, injectE2ESession } = repository
    const reporting = async (decrypting: Promise<Uint8Array>): Promise<Uint8Array> => {
      let plaintext: Uint8Array
      try {
        plaintext = await decrypting
      } catch (error) {
        const instead = onUndecryptable()
        if (instead) return instead
        throw error
      }
      return onDecrypted(plaintext)
    }
    repository.decryptMessage = message => reporting(decryptMessage.call(repository, message))
    repository.decryptGroupMessage = message => reporting(decryptGroupMessage.call(repository, message))
    repository.encryptMessage = message => {
      const encrypting = encryptMessage.call(repository, message)
      encrypting.catch(() => onUnencryptable(message.jid))
      return encrypting
    }
    repository.injectE2ESession = async bundle => {
      const { identityKey, signedPreKey } = bundle.session
      if (!verifySignature(identityKey, signedPreKey.publicKey, signedPreKey.signature))
        throw new Error('the signature of a signed prekey is wrong')
      return injectE2ESession.call(repository, bundle)
    }
    return repository
  }
}
