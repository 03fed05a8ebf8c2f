import {
  type BinaryNode,
  cleanMessage,
  decodeMessageNode,
  getBinaryNodeChild,
  isJidNewsletter,
  proto,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { plainContent, type ReceivedContent } from './received-content.ts'

/** The message as the library emits it, without content; `undefined` if the stanza is no message. */
export function headOf({ authState }: Pick<WASocket, 'authState'>, stanza: BinaryNode): WAMessage | undefined {
  const { me } = authState.creds
  try {
    const { fullMessage } = decodeMessageNode(stanza, me?.id ?? '', me?.lid ?? '')
    cleanMessage(fullMessage, me?.id ?? '', me?.lid ?? '')
    return fullMessage
  } catch {
    return undefined
  }
}

/** The content of a channel post: only those come unencrypted. */
export function plainContentOf(stanza: BinaryNode): ReceivedContent | undefined {
  const plaintext = getBinaryNodeChild(stanza, 'plaintext')?.content
  const isPost = isJidNewsletter(stanza.attrs.from) === true && plaintext instanceof Uint8Array
  return isPost ? plainContent(plaintext) : undefined
}

/** The stanza without the parts that the library would fail on or trust without a check. */
export function cleanStanza(stanza: BinaryNode): BinaryNode {
  // The library would put an offline message into an internal queue that cannot be awaited.
  const { offline: _offline, ...attrs } = stanza.attrs
  if (!Array.isArray(stanza.content)) return { ...stanza, attrs }
  const content = stanza.content.flatMap(child => cleanChild(child, isJidNewsletter(attrs.from) === true))
  return { ...stanza, attrs, content }
}

function cleanChild(child: BinaryNode, isPost: boolean): BinaryNode[] {
  if (child.tag === 'plaintext') return isPost ? [{ ...child, content: new Uint8Array(0) }] : []
  if (child.tag === 'verified_name') return isCertificate(child.content) ? [child] : []
  return [child]
}

function isCertificate(content: BinaryNode['content']): boolean {
  try {
    const { details } = proto.VerifiedNameCertificate.decode(content as Uint8Array)
    proto.VerifiedNameCertificate.Details.decode(details!)
    return true
  } catch {
    return false
  }
}
