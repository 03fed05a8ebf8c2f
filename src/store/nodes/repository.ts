import { announceNode, forgetNode, listListening, listNodes, touchNode } from './nodes.ts'
import type { Call } from '../repository.ts'

/** The processes of this gateway. */
export interface NodeRepository {
  announceNode: Call<typeof announceNode>
  forgetNode: Call<typeof forgetNode>
  listListening: Call<typeof listListening>
  listNodes: Call<typeof listNodes>
  touchNode: Call<typeof touchNode>
}

export const nodes = {
  reads: {
    listListening,
    listNodes,
  },
  writes: {
    announceNode,
    forgetNode,
    touchNode,
  },
  batches: {},
}
