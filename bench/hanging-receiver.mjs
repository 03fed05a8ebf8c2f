import { answerParent } from './child.mjs'
import { listen, takeArrivals, watch } from './fast-endpoints.mjs'

answerParent({ listen, watch, arrivals: takeArrivals })
