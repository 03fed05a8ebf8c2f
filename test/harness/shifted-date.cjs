// Loaded first in every thread: shifts the clock of this process.
const byMs = Number(process.env.SHIFT_CLOCK_MS ?? 0)
const now = Date.now.bind(Date)

globalThis.Date = new Proxy(Date, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now() + byMs] : args, made),
  apply: target => new target(now() + byMs).toString(),
  get: (target, name, receiver) => (name === 'now' ? () => now() + byMs : Reflect.get(target, name, receiver)),
})
