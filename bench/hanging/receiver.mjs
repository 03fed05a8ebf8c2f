import { answerParent } from '../shared/child.mjs'
import { listen, takeArrivals, watch } from '../shared/fast-endpoints.mjs'

answerParent({ listen, watch, arrivals: takeArrivals })
