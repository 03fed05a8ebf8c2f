import type { CommandResult, SessionCommand } from '../../../domain/command.ts'
import { PlatformError } from '../../platform.ts'
import { failureOfLibrary, linkDown, Unanswered } from '../errors.ts'
import type { SessionContext } from '../session-context.ts'
import { changeChat, starMessage } from './chats.ts'
import { createCallLink, rejectCall } from './calls.ts'
import { listCollections, listProducts, showOrder } from './catalogue.ts'
import {
  changeChannel,
  changeChannelPicture,
  channelStats,
  createChannel,
  deleteChannel,
  followChannel,
  listChannels,
  listFollowers,
  listPosts,
  muteChannel,
  previewChannel,
  showChannel,
} from './channels.ts'
import { changeBlock, checkContacts, listBlocks, showContact, showPicture } from './contacts.ts'
import { markRead, reactInChannel, showTyping, subscribePresence } from './short-commands.ts'
import { fetchFile } from '../to-event/received-file.ts'
import { acceptAdminInvite, demoteAdmin, inviteAdmin, listAdmins, revokeAdminInvite } from './channel-admins.ts'
import { createCommunity, leaveCommunity, linkGroup, listLinkedGroups } from './communities.ts'
import { createGroup } from './create-group.ts'
import { changeGroup, changeMembers, leaveGroup, listGroups, showGroup } from './groups.ts'
import { changeGroupPicture, showGroupPicture } from './group-picture.ts'
import { answerJoinRequests, getInvite, joinGroup, listJoinRequests, previewGroup } from './group-invites.ts'
import { requestHistory } from './history.ts'
import { changePrivacy, showPrivacy } from './privacy.ts'
import { changePicture, changeProfile, showProfile } from './profile.ts'
import { edit, revoke, send } from './send.ts'

/** Runs a command; every failure is a PlatformError. */
export async function execute(
  context: SessionContext,
  command: SessionCommand,
  signal: AbortSignal,
): Promise<CommandResult> {
  const connection = context.link.current()
  try {
    return await run(context, command, signal)
  } catch (error) {
    // An aborted wait proves no failure of the command.
    if (signal.aborted) throw linkDown()
    const failure = error instanceof PlatformError ? error : failureOfLibrary(error, 'the recipient')
    if (failure instanceof Unanswered && !(await connection?.isAnswering())) throw linkDown()
    throw failure
  }
}

async function run(context: SessionContext, command: SessionCommand, signal: AbortSignal): Promise<CommandResult> {
  switch (command.kind) {
    case 'send':
      return send(context, command, signal)
    case 'edit':
      return edit(context, command, signal)
    case 'revoke':
      return revoke(context, command, signal)
    case 'typing':
      return showTyping(context, command)
    case 'read':
      return markRead(context, command)
    case 'presence_subscribe':
      return subscribePresence(context, command)
    case 'newsletter_react':
      return reactInChannel(context, command)
    case 'contact_check':
      return checkContacts(context, command)
    case 'contact_show':
      return showContact(context, command)
    case 'contact_picture':
      return showPicture(context, command)
    case 'block_list':
      return listBlocks(context, command)
    case 'block_change':
      return changeBlock(context, command)
    case 'chat_change':
      return changeChat(context, command)
    case 'message_star':
      return starMessage(context, command)
    case 'history_request':
      return requestHistory(context, command)
    case 'privacy_show':
      return showPrivacy(context)
    case 'privacy_change':
      return changePrivacy(context, command)
    case 'profile_show':
      return showProfile(context)
    case 'profile_change':
      return changeProfile(context, command)
    case 'profile_picture':
      return changePicture(context, command, signal)
    case 'call_reject':
      return rejectCall(context, command)
    case 'call_link':
      return createCallLink(context, command)
    case 'catalog_list':
      return listProducts(context, command)
    case 'catalog_collections':
      return listCollections(context, command)
    case 'order_show':
      return showOrder(context, command)
    case 'proxy_test':
      return { kind: 'proxy_tested', test: (await context.route.test(signal)) ?? null }
    case 'file_fetch':
      return fetchFile(context, command, signal)
    case 'group_list':
      return listGroups(context, command)
    case 'group_show':
      return showGroup(context, command)
    case 'group_create':
      return createGroup(context, command)
    case 'group_change':
      return changeGroup(context, command)
    case 'group_leave':
      return leaveGroup(context, command)
    case 'group_members':
      return changeMembers(context, command)
    case 'group_invite':
      return getInvite(context, command)
    case 'group_preview':
      return previewGroup(context, command)
    case 'group_join':
      return joinGroup(context, command)
    case 'group_requests':
      return listJoinRequests(context, command)
    case 'group_admit':
      return answerJoinRequests(context, command)
    case 'group_picture':
      return showGroupPicture(context, command)
    case 'group_picture_change':
      return changeGroupPicture(context, command, signal)
    case 'community_create':
      return createCommunity(context, command)
    case 'community_groups':
      return listLinkedGroups(context, command)
    case 'community_link':
      return linkGroup(context, command)
    case 'community_leave':
      return leaveCommunity(context, command)
    case 'channel_list':
      return listChannels(context, command)
    case 'channel_show':
      return showChannel(context, command)
    case 'channel_preview':
      return previewChannel(context, command)
    case 'channel_create':
      return createChannel(context, command)
    case 'channel_change':
      return changeChannel(context, command)
    case 'channel_picture_change':
      return changeChannelPicture(context, command, signal)
    case 'channel_delete':
      return deleteChannel(context, command)
    case 'channel_follow':
      return followChannel(context, command)
    case 'channel_mute':
      return muteChannel(context, command)
    case 'channel_posts':
      return listPosts(context, command)
    case 'channel_stats':
      return channelStats(context, command)
    case 'channel_followers':
      return listFollowers(context, command)
    case 'channel_admins':
      return listAdmins(context, command)
    case 'channel_invite':
      return inviteAdmin(context, command)
    case 'channel_uninvite':
      return revokeAdminInvite(context, command)
    case 'channel_accept':
      return acceptAdminInvite(context, command)
    case 'channel_demote':
      return demoteAdmin(context, command)
    default: {
      const never: never = command
      return never
    }
  }
}
