import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { type Connection, HandOff } from './hand-off.ts'

const connection = (): Connection => ({ socket: new Socket(), refusals: 0 })

function receiver() {
  const received: Connection[] = []
  return { received, receive: (each: Connection) => void received.push(each) }
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
  handOff.giveAgain(refused)
  expect([full.received, free.received]).toEqual([[refused], [refused]])
  handOff.giveAgain(refused)
  expect(refused.socket.destroyed).toBe(false)
  handOff.giveAgain(refused)
  expect(refused.socket.destroyed).toBe(true)
})
