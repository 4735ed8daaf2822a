import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { type Connection, HandOff, maxPendingPerWorker } from './hand-off.ts'

const connection = (): Connection => ({ socket: new Socket(), refusedBy: [] })

/** A worker that accepts at once, or nothing. */
function receiver({ accepts = true } = {}) {
  const received: Connection[] = []
  return {
    received,
    get pendingCount() {
      return accepts ? 0 : received.length
    },
    receive: (each: Connection) => void received.push(each),
  }
}

it('gives connections to the workers in turn', () => {
  const handOff = new HandOff()
  const [one, other] = [receiver(), receiver()]
  handOff.add(one)
  handOff.add(other)
  for (let index = 0; index < 6; index++) handOff.give(connection())
  expect([one.received.length, other.received.length]).toEqual([3, 3])
  handOff.remove(one)
  for (let index = 0; index < 2; index++) handOff.give(connection())
  expect([one.received.length, other.received.length]).toEqual([3, 5])
})

it('keeps connections until a worker is ready', () => {
  const handOff = new HandOff()
  const early = connection()
  handOff.give(early)
  const worker = receiver()
  handOff.add(worker)
  expect(worker.received).toEqual([early])
  expect(early.socket.destroyed).toBe(false)
})

it('closes connections beyond what may wait, and all of them at the end', () => {
  const handOff = new HandOff()
  const waiting = Array.from({ length: 1_001 }, connection)
  for (const each of waiting) handOff.give(each)
  expect(waiting.filter(({ socket }) => socket.destroyed)).toEqual([waiting[1_000]])
  handOff.end()
  handOff.give(waiting[0]!)
  expect(waiting.every(({ socket }) => socket.destroyed)).toBe(true)
})

it('offers what one refuses to the others, and closes what all refuse', () => {
  const handOff = new HandOff()
  const [full, free] = [receiver(), receiver()]
  handOff.add(full)
  handOff.add(free)
  const refused = connection()
  handOff.give(refused)
  handOff.giveAgain(refused, full)
  expect([full.received, free.received]).toEqual([[refused], [refused]])
  expect(refused.socket.destroyed).toBe(false)
  handOff.giveAgain(refused, free)
  expect(refused.socket.destroyed).toBe(true)
})

it('gives few connections to a worker that accepts none, and the others those that follow', () => {
  const handOff = new HandOff()
  const [blocked, free] = [receiver({ accepts: false }), receiver()]
  handOff.add(blocked)
  handOff.add(free)
  for (let index = 0; index < 100; index++) handOff.give(connection())
  expect([blocked.received.length, free.received.length]).toEqual([1, 99])
})

it('lets connections wait while all workers have enough to accept', () => {
  const handOff = new HandOff()
  const blocked = receiver({ accepts: false })
  handOff.add(blocked)
  const connections = Array.from({ length: maxPendingPerWorker + 2 }, connection)
  for (const each of connections) handOff.give(each)
  expect(blocked.received).toEqual(connections.slice(0, maxPendingPerWorker))
  blocked.received.splice(0, 1)
  handOff.giveWaiting()
  expect(blocked.received).toEqual(connections.slice(1, maxPendingPerWorker + 1))
  const free = receiver()
  handOff.add(free)
  expect(free.received).toEqual(connections.slice(maxPendingPerWorker + 1))
})
