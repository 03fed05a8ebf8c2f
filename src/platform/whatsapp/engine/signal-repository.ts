import { DEFAULT_CONNECTION_CONFIG, type SignalKeyStoreWithTransaction, type SocketConfig } from 'baileys'
import { jidKind, ownerOf } from '../../../domain/jid.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { withMovedSessions } from './moved-sessions.ts'
import { verifySignature } from './curve.ts'

type Make = SocketConfig['makeSignalRepository']
type Mapping = ReturnType<Make>['lidMapping']

/**
 * The names of as many people are cached, each in both directions; the others are read from storage. The library needs
 * all names of one query in the cache, which are at most those of a group.
 */
const CACHED_PEOPLE = 5_000

/**
 * The library's Signal repository with these changes: it sends no query while a message is being handled (the query
 * could not leave before the message is done), it reports whether a message could be decrypted, it passes on only what
 * the library may see of the content, it rejects prekeys with a wrong signature, it reports devices for which
 * encryption failed, which the library skips silently, it moves every session with its person, and it learns the names
 * of a person from hosted devices too.
 */
export function makeRepository(
  onDecrypted: (plaintext: Uint8Array) => Uint8Array,
  onUndecryptable: () => Uint8Array | undefined,
  onUnencryptable: (device: string) => void,
): Make {
  return (auth, logger) => {
    const moving = { ...auth, keys: withMovedSessions(auth.keys as SignalKeyStoreWithTransaction) }
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(moving, logger, async () => [])
    storeNamesOfHosted(repository.lidMapping)
    boundCache(repository.lidMapping)
    // Sessions move when they are read. The library would also keep an entry in memory for each of them.
    repository.migrateSession = async () => ({ migrated: 0, skipped: 0, total: 0 })
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

/** The library ignores names of hosted devices, or takes the hidden identifier for the number. */
function storeNamesOfHosted(mapping: Mapping): void {
  const { storeLIDPNMappings } = mapping
  mapping.storeLIDPNMappings = pairs => {
    const ordered = pairs.map(({ lid, pn }) => {
      const names = [ownerOf(lid), ownerOf(pn)] as const
      return jidKind(names[0]) === 'user' ? { lid: names[1], pn: names[0] } : { lid: names[0], pn: names[1] }
    })
    return storeLIDPNMappings.call(mapping, ordered)
  }
}

/** The library's cache has no limit, and a timer of three days for each of its entries. */
function boundCache(mapping: Mapping): void {
  Reflect.set(mapping, 'mappingCache', new ExpiringMap<string>(2 * CACHED_PEOPLE))
}
