import { listen, takeArrivals, watch } from '../shared/fast-endpoints.mjs'

process.send({ ports: await listen(100) })
process.on('message', message => {
  if (message === 'watch') watch()
  if (message === 'arrivals') process.send({ arrivals: takeArrivals() })
})
