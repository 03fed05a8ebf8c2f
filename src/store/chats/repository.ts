import type { Call } from '../repository.ts'
import { followChats, getChat, listChats, readFollowedChats, readLabelNames } from './chats.ts'

/** The chats of numbers, without content. Hosts write them together with what they receive and send. */
export interface ChatRepository {
  followChats: Call<typeof followChats>
  getChat: Call<typeof getChat>
  listChats: Call<typeof listChats>
  readFollowedChats: Call<typeof readFollowedChats>
  readLabelNames: Call<typeof readLabelNames>
}

export const chats = {
  reads: { getChat, listChats, readFollowedChats, readLabelNames },
  writes: { followChats },
  batches: {},
}
