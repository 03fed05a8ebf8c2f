import type { AccountRoute, VisitorRoute } from '../route.ts'
import { followAccount } from './live.ts'
import { getDeliveryMessage, listMessageDeliveries } from './message-trail.ts'
import { countReplayable } from './replayable.ts'
import { getSignInOptions, signIn, signInByLink, signOut, signUp } from './sign-in-routes.ts'
import { getStats } from './stats.ts'
import { tryUrls } from './try-urls.ts'
import { changeEmail, changePassword, getVisitor, signOutEverywhere } from './user-routes.ts'

/** The operations that visitors of the portal may call. */
export const visitorRoutes: readonly VisitorRoute[] = [getSignInOptions, signIn, signInByLink, signUp, signOut]

/** The operations that only a signed-in user may call, and no API key. */
export const userRoutes: readonly AccountRoute[] = [
  getVisitor,
  signOutEverywhere,
  changePassword,
  changeEmail,
  getStats,
  tryUrls,
  countReplayable,
  listMessageDeliveries,
  getDeliveryMessage,
  followAccount,
]
