import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { PlatformError } from '../../platform.ts'
import type { SessionContext } from '../session-context.ts'
import { answerIn, failureOfLibrary, isFinal, refused, transient, Unanswered } from '../errors.ts'

type QueryingSock = Pick<WASocket, 'query' | 'generateMessageTag'>

export const node = (tag: string, attrs: BinaryNode['attrs'] = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content }

/** A person whom a query names by phone number. */
export const userWithPhone = (digits: string): BinaryNode => node('user', {}, [node('contact', {}, `+${digits}`)])

/** What the platform says about people. It refuses single protocols inside of an answer. */
export async function queryPeople(
  sock: QueryingSock,
  users: BinaryNode[],
  protocols: BinaryNode[],
): Promise<BinaryNode[]> {
  const attrs = { sid: sock.generateMessageTag(), mode: 'query', last: 'true', index: '0', context: 'interactive' }
  const asked = node('usync', attrs, [node('query', {}, protocols), node('list', {}, users)])
  const usync = getBinaryNodeChild(await queryServer(sock, 'get', 'usync', [asked]), 'usync')
  const refusal = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(usync, 'result'), 'contact'), 'error')
  if (refusal) throw transient(`the platform refused a query for now (${refusal.attrs.code})`)
  return getBinaryNodeChildren(getBinaryNodeChild(usync, 'list'), 'user')
}

/** A query of the platform itself; its refusals are explained. */
export async function queryServer(
  sock: QueryingSock,
  type: 'get' | 'set',
  xmlns: string,
  content?: BinaryNode[],
): Promise<BinaryNode> {
  try {
    return await query(sock, { type, xmlns }, content)
  } catch (error) {
    throw failureOf(error)
  }
}

/** The library takes a missing answer for success. */
export async function query(
  sock: QueryingSock,
  attrs: Record<string, string>,
  content: BinaryNode[] | undefined,
): Promise<BinaryNode> {
  const answer = (await sock.query(node('iq', { to: S_WHATSAPP_NET, ...attrs }, content))) as BinaryNode | undefined
  if (!answer) throw new Unanswered()
  return answer
}

/** The meaning of an error of the platform about a person. */
export function failureOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const code = answerIn(error)
  if (code === 404) return notFound()
  return isFinal(code) ? refused(`the platform refused the request (${code})`) : failureOfLibrary(error, 'the contact')
}

/** The about of a person; `undefined` if it is hidden, or the platform does not say it. */
export async function queryAbout(sock: QueryingSock, jid: string): Promise<string | undefined> {
  const [user] = await queryPeople(sock, [node('user', { jid })], [node('status')])
  const status = user && getBinaryNodeChild(user, 'status')
  return status && status.attrs.code === undefined ? textIn(status) : undefined
}

export type PicturePlace = { id: string; url: string }

/** Where the picture of a person is. The web client shows the person's token, where it has one. */
export async function queryPicture(
  { lids, tokens }: Pick<SessionContext, 'lids' | 'tokens'>,
  sock: QueryingSock,
  jid: string,
  size: 'preview' | 'full',
): Promise<PicturePlace | 'none' | 'hidden'> {
  const lid = await lids.lidOf(jid)
  const token = lid && (await tokens.givenNodeFor(lid))
  const wanted = node(
    'picture',
    { type: size === 'full' ? 'image' : 'preview', query: 'url' },
    token ? [token] : undefined,
  )
  try {
    const answer = await query(sock, { target: jid, type: 'get', xmlns: 'w:profile:picture' }, [wanted])
    const { id, url } = getBinaryNodeChild(answer, 'picture')?.attrs ?? {}
    return id !== undefined && url !== undefined ? { id, url } : 'none'
  } catch (error) {
    const code = answerIn(error)
    if (code === 404) return 'none'
    if (code === 401 || code === 403) return 'hidden'
    throw failureOf(error)
  }
}

export const notFound = (): PlatformError => refused('contact not found', 'not_found')

export function textIn(found: BinaryNode | undefined): string {
  const content = found?.content
  if (typeof content === 'string') return content
  return content instanceof Uint8Array ? Buffer.from(content).toString() : ''
}
