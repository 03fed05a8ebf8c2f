import {
  DEFAULT_CONNECTION_CONFIG,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
  type WASocket,
} from 'baileys'
import { digitsOf, ownerOf } from '../../../domain/jid.ts'
import { PEOPLE_CATEGORY, type PersonSource } from '../../../domain/person.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { ExpiringMap } from '../../../runtime/expiring-map.ts'
import { withMovedSessions } from './moved-sessions.ts'
import { rememberPairs } from '../remembered/pairs.ts'
import { verifySignature } from './curve.ts'

type Make = SocketConfig['makeSignalRepository']
type Mapping = ReturnType<Make>['lidMapping']

/**
 * The names of as many people are cached for as long, each in both directions; the others are read from storage. The
 * library needs all names of one query in the cache, which are at most those of a group.
 */
const CACHED_PEOPLE = 5_000
const CACHED_MS = 600_000

/**
 * The library's Signal repository with these changes: it sends no query while a message is being handled (the query
 * could not leave before the message is done), it reports whether a message could be decrypted, it passes on only what
 * the library may see of the content, it rejects prekeys with a wrong signature, it reports devices for which
 * encryption failed, which the library skips silently, it moves every session with its person, and it stores the names
 * of people with their source, also those of hosted devices.
 */
export function makeRepository(
  onDecrypted: (plaintext: Uint8Array) => Uint8Array,
  onUndecryptable: () => Uint8Array | undefined,
  onUnencryptable: (device: string) => void,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): Make {
  return (auth, logger) => {
    const moving = { ...auth, keys: withMovedSessions(auth.keys as SignalKeyStoreWithTransaction) }
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(moving, logger, async () => [])
    storeNamesInOwnWay(repository.lidMapping, moving.keys, clock)
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

/** Names as the library gives them: those of hosted devices too, and sometimes the wrong way round. */
type GivenNames = ReadonlyArray<{ lid: string; pn: string }>
type StoreNames = (names: GivenNames, source?: PersonSource) => Promise<void>

/** Stores the names of people, so that the library uses them too. */
export const storeNames = (
  { signalRepository }: Pick<WASocket, 'signalRepository'>,
  names: GivenNames,
  source: PersonSource,
): Promise<void> => (signalRepository.lidMapping.storeLIDPNMappings as StoreNames)(names, source)

/**
 * The library ignores names of hosted devices, or takes the hidden identifier for the number. Its cache has no limit, and
 * a timer of three days for each of its entries.
 */
function storeNamesInOwnWay(
  mapping: Mapping,
  keys: SignalKeyStoreWithTransaction,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): void {
  const cache = new ExpiringMap<string>(2 * CACHED_PEOPLE, { ms: CACHED_MS, clock })
  Reflect.set(mapping, 'mappingCache', cache)
  // The library itself stores what it reads in received messages.
  const store: StoreNames = async (names, source = 'message') => {
    const pairs = names.flatMap(({ lid, pn }) => {
      const both = [ownerOf(lid), ownerOf(pn)]
      const [person, number] = [both.find(isLid), both.find(isNumber)]
      return person === undefined || number === undefined ? [] : { lid: digitsOf(person), phone: digitsOf(number) }
    })
    const changed = pairs.filter(({ lid, phone }) => cache.get(`pn:${phone}`) !== lid)
    if (changed.length === 0) return
    // One write for both categories. A transaction with the name of a category could not read that category.
    await keys.transaction(() => rememberPairs(keys, changed, source, clock.now().getTime()), PEOPLE_CATEGORY)
    for (const { lid, phone } of changed) {
      cache.set(`pn:${phone}`, lid)
      cache.set(`lid:${lid}`, phone)
    }
  }
  mapping.storeLIDPNMappings = store
}

const isLid = (jid: string): boolean => /^\d+@lid$/.test(jid)
const isNumber = (jid: string): boolean => /^\d+@s\.whatsapp\.net$/.test(jid)
