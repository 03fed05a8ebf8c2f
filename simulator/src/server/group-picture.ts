import { unixSeconds } from '../clock.ts'
import { type BinaryNode, bytesOf, child, node } from '../wire/node.ts'
import type { LinkedDevice } from '../world/device.ts'
import type { Group } from '../world/group.ts'
import type { Network } from '../world/network.ts'
import { announcePicture, saveGroup } from './group.ts'
import { requireEditor } from './group-rules.ts'
import { IqError } from './iq-error.ts'
import { requirePicture } from './picture-rules.ts'

/** Shows the picture of a group to its members, and lets those set or remove it who may change the group. */
export function answerGroupPicture(network: Network, { digits }: LinkedDevice, iq: BinaryNode): BinaryNode[] {
  const group = network.groups.get(iq.attrs.target ?? '')
  if (!group) throw new IqError(404, 'item-not-found')
  const isMember = group.members.has(digits)
  const asked = child(iq, 'picture')
  if (iq.attrs.type === 'set') {
    if (!isMember) throw new IqError(403, 'forbidden')
    requireEditor(group, digits)
    if (asked) requirePicture(bytesOf(asked))
    const picture = changeGroupPicture(network, group, digits, asked && bytesOf(asked))
    return picture ? [node('picture', { id: picture.id })] : []
  }
  if (asked?.attrs.query !== 'url') throw new IqError(400, 'bad-request')
  if (!isMember) throw new IqError(401, 'not-authorized')
  if (!group.picture) throw new IqError(404, 'item-not-found')
  const { id, path } = group.picture
  return [node('picture', { id, type: asked.attrs.type, url: network.media.url(path), direct_path: path })]
}

/** Without a file the picture is removed. */
export function changeGroupPicture(
  network: Network,
  group: Group,
  actor: string,
  file: Uint8Array | undefined,
): Group['picture'] {
  // Two pictures of one second differ.
  const id = String(Math.max(unixSeconds(network), Number(group.picture?.id ?? 0) + 1))
  group.picture = file && { id, path: network.media.put(file) }
  saveGroup(network, group)
  announcePicture(network, group, actor, { id, isRemoved: file === undefined })
  return group.picture
}
