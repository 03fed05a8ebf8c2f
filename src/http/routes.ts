import { createAccount, listAccounts, patchAccount, createAccountKey, createSignInLink } from './operator/accounts.ts'
import { exportNumber, importNumber, takeBackNumber } from './operator/moves.ts'
import { getOverview } from './operator/overview.ts'
import type { AccountRoute, OperatorRoute } from './route.ts'
import { getChat, listChats, starMessage, unstarMessage, updateChat } from './v1/chats.ts'
import { createCallLink, rejectCall } from './v1/calls.ts'
import { listCollections, listProducts, showOrder } from './v1/catalog.ts'
import {
  blockContact,
  checkContact,
  checkContacts,
  getContact,
  getContactPicture,
  listBlocks,
  unblockContact,
} from './v1/contacts.ts'
import { getDelivery, giveUpDelivery, listDeliveries, resendDelivery, tailDeliveries } from './v1/deliveries.ts'
import { actInSandbox, listSandboxMessages, receiveInSandbox } from './sandbox/sandbox.ts'
import { uploadMedia } from './sandbox/media.ts'
import { signInSandbox, scanInSandbox } from './sandbox/pairing.ts'
import { getConditions, getSandboxDelivery, watchSandbox } from './sandbox/watch.ts'
import {
  cancelEndpointReplay,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  getEndpointReplay,
  listEndpoints,
  replayEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from './v1/endpoints.ts'
import { acknowledgeEndpoint, readEndpoint, streamEndpoint } from './v1/pull.ts'
import {
  answerJoinRequests,
  changeMembers,
  createGroup,
  deleteGroupPicture,
  getGroup,
  getGroupPicture,
  getInvite,
  joinGroup,
  leaveGroup,
  listGroups,
  listJoinRequests,
  previewGroup,
  revokeInvite,
  setGroupPicture,
  updateGroup,
} from './v1/groups.ts'
import {
  createNewsletter,
  deleteNewsletter,
  deleteNewsletterPicture,
  demoteNewsletterAdmin,
  followNewsletter,
  getNewsletter,
  getNewsletterStats,
  listNewsletterFollowers,
  listNewsletterPosts,
  listNewsletters,
  muteNewsletter,
  previewNewsletter,
  setNewsletterPicture,
  unfollowNewsletter,
  unmuteNewsletter,
  updateNewsletter,
} from './v1/newsletters.ts'
import { getHealth } from './v1/health.ts'
import { getHistoryJob, requestHistory } from './v1/history.ts'
import { createKey, listKeys, revokeKey } from './v1/keys.ts'
import { createListener, deleteListener, readListener } from './v1/listeners.ts'
import { deleteMedia, getMedia, postMedia } from './v1/media.ts'
import { acceptTos, getMe, getTos } from './v1/me.ts'
import { erasePerson, exportPerson, getErasure } from './v1/erasures.ts'
import { findNumberPeople } from './v1/people.ts'
import { deleteMessage, editMessage, getMessage, listMessages, listViewers, postMessage } from './v1/messages.ts'
import { askForNewCode, cancelPairing, createPairing, followPairing, getPairing } from './v1/pairings.ts'
import { answerPasskey, confirmPairing } from './v1/passkey.ts'
import { getPrivacy, updatePrivacy } from './v1/privacy.ts'
import { deleteProfilePicture, getProfile, setProfilePicture, updateProfile } from './v1/profile.ts'
import { deleteProxy, getProxy, setProxy, testProxy } from './v1/proxy.ts'
import { getRequest, listRequests } from './v1/requests.ts'
import { createSandboxSession, getSession, listSessions, patchSession, setAutoReject } from './v1/sessions.ts'
import {
  deleteSession,
  markRead,
  reactInNewsletter,
  restartSession,
  showTyping,
  subscribePresence,
} from './v1/session-actions.ts'
import { getUsage } from './v1/usage.ts'
import { cancelReplay, getReplay, replayWebhook, testWebhook } from './v1/webhook-tools.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateSecret, updateWebhook } from './v1/webhooks.ts'

/** Every operation that an API key or a signed-in user may call. */
export const accountRoutes: readonly AccountRoute[] = [
  getMe,
  getTos,
  acceptTos,
  getUsage,
  listKeys,
  createKey,
  revokeKey,
  listRequests,
  getRequest,
  postMessage,
  listMessages,
  getMessage,
  listViewers,
  editMessage,
  deleteMessage,
  postMedia,
  getMedia,
  deleteMedia,
  listSessions,
  getSession,
  patchSession,
  setAutoReject,
  createSandboxSession,
  restartSession,
  deleteSession,
  subscribePresence,
  reactInNewsletter,
  showTyping,
  markRead,
  checkContact,
  checkContacts,
  getContact,
  getContactPicture,
  listBlocks,
  blockContact,
  unblockContact,
  listChats,
  getChat,
  updateChat,
  starMessage,
  unstarMessage,
  requestHistory,
  getHistoryJob,
  getPrivacy,
  updatePrivacy,
  getProfile,
  updateProfile,
  setProfilePicture,
  deleteProfilePicture,
  rejectCall,
  createCallLink,
  listProducts,
  listCollections,
  showOrder,
  getProxy,
  setProxy,
  deleteProxy,
  testProxy,
  findNumberPeople,
  erasePerson,
  getErasure,
  exportPerson,
  getHealth,
  listGroups,
  createGroup,
  joinGroup,
  previewGroup,
  getGroup,
  updateGroup,
  leaveGroup,
  changeMembers,
  getInvite,
  revokeInvite,
  getGroupPicture,
  setGroupPicture,
  deleteGroupPicture,
  listJoinRequests,
  answerJoinRequests,
  listNewsletters,
  createNewsletter,
  previewNewsletter,
  getNewsletter,
  updateNewsletter,
  deleteNewsletter,
  setNewsletterPicture,
  deleteNewsletterPicture,
  followNewsletter,
  unfollowNewsletter,
  muteNewsletter,
  unmuteNewsletter,
  listNewsletterPosts,
  getNewsletterStats,
  listNewsletterFollowers,
  demoteNewsletterAdmin,
  createPairing,
  getPairing,
  followPairing,
  askForNewCode,
  answerPasskey,
  confirmPairing,
  cancelPairing,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  replayWebhook,
  getReplay,
  cancelReplay,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  replayEndpoint,
  getEndpointReplay,
  cancelEndpointReplay,
  readEndpoint,
  acknowledgeEndpoint,
  streamEndpoint,
  listDeliveries,
  tailDeliveries,
  getDelivery,
  resendDelivery,
  giveUpDelivery,
  createListener,
  readListener,
  deleteListener,
  receiveInSandbox,
  actInSandbox,
  listSandboxMessages,
  uploadMedia,
  scanInSandbox,
  signInSandbox,
  getConditions,
  watchSandbox,
  getSandboxDelivery,
]

/** Every operation that the operator's token opens. */
export const operatorRoutes: readonly OperatorRoute[] = [
  createAccount,
  listAccounts,
  patchAccount,
  createAccountKey,
  createSignInLink,
  getOverview,
  exportNumber,
  takeBackNumber,
  importNumber,
]
