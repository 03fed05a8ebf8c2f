import type { Call } from '../repository.ts'
import { isIncluded, isIncludedForNew } from './fan-out.ts'
import { readCurrentEndpoints, recordEndpointHealth } from './current-endpoints.ts'
import { endEndpointMail, findEndpointMail, takeEndpointMail } from './endpoint-mails.ts'
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  updateEndpoint,
} from './endpoints.ts'

/** The endpoints of accounts, which get events of several numbers: by URL, or read by a program. */
export interface EndpointRepository {
  createEndpoint: Call<typeof createEndpoint>
  deleteEndpoint: Call<typeof deleteEndpoint>
  endEndpointMail: Call<typeof endEndpointMail>
  findEndpointMail: Call<typeof findEndpointMail>
  getEndpoint: Call<typeof getEndpoint>
  isIncluded: Call<typeof isIncluded>
  isIncludedForNew: Call<typeof isIncludedForNew>
  listEndpoints: Call<typeof listEndpoints>
  readCurrentEndpoints: Call<typeof readCurrentEndpoints>
  recordEndpointHealth: Call<typeof recordEndpointHealth>
  rotateEndpointSecret: Call<typeof rotateEndpointSecret>
  takeEndpointMail: Call<typeof takeEndpointMail>
  updateEndpoint: Call<typeof updateEndpoint>
}

export const endpoints = {
  reads: {
    findEndpointMail,
    getEndpoint,
    isIncluded,
    isIncludedForNew,
    listEndpoints,
    readCurrentEndpoints,
  },
  writes: {
    createEndpoint,
    deleteEndpoint,
    endEndpointMail,
    recordEndpointHealth,
    rotateEndpointSecret,
    takeEndpointMail,
    updateEndpoint,
  },
  batches: {},
}
